// The explorer shows what the program wrote, and all of it can be reached by mouse and by keyboard.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const name = 'explorer';

const word = (w) => w.replace(/^ /, '␣');

export async function run({ open, check, file }) {
  const data = JSON.parse(readFileSync(join(dirname(file), 'data/explorer.json'), 'utf8'));
  const [first] = data.models, head = first.heads[data.head], n = data.prompt.length;
  const row = head.weights.slice(-n);
  const page = await open();
  const pattern = page.locator('.explorer[data-part=pattern]');
  const tokens = page.locator('.explorer[data-part=tokens]');
  const line = () => pattern.locator('.x-line').innerText();
  const said = () => page.locator('body > [role=status]').textContent();
  const picked = (place, legend) => place.locator('fieldset', { hasText: legend }).locator(':checked');

  // As it opens: the head of the book, and the row of the last token in numbers.
  check('it opens at the head of the book', (await picked(pattern, 'Head').inputValue()) === `0 ${data.head}`);
  const shown = await pattern.locator('tbody tr:last-child td').allInnerTexts();
  check('the last row is the program\'s', shown.join() === row.map((x) => x.toFixed(2)).join(), shown);
  const numbers = await pattern.locator('tbody td span:not(.unseen)').count();
  check('and only a row and a column are in numbers', numbers === n, numbers);
  const table = pattern.locator('table');
  check('the pattern is a table with headings on both sides', await table.evaluate((t) =>
    t.querySelectorAll('thead th[scope=col]').length === t.rows.length &&
    t.querySelectorAll('tbody th[scope=row]').length === t.rows.length - 1));
  check('no entry lies in the future', (await table.locator('td[data-i]').count()) === n * (n + 1) / 2);

  // By mouse.
  const spot = Math.floor(n / 2);
  await table.locator(`td[data-i="${n - 1}"][data-j="${spot}"]`).hover();
  check('a cell under the pointer is told', (await line()).endsWith(
    `from token ${spot + 1}, ${word(data.words[data.prompt[spot]])}: ${row[spot].toFixed(2)}.`), await line());
  await table.locator(`tbody tr:nth-child(${spot + 1}) th`).hover();
  check('a token under the pointer has its row and column', (await pattern
    .locator('tbody td span:not(.unseen)').count()) === n + 0 && (await line()).includes(`Token ${spot + 1},`),
  await line());
  await table.locator(`tbody tr:nth-child(${spot + 1}) th`).click();
  await page.mouse.move(0, 0);
  check('a click picks it', (await picked(pattern, 'Token').inputValue()) === String(spot) &&
    (await line()).includes(`Token ${spot + 1},`));

  // By keyboard alone: from the group of heads on with Tab and the arrow keys.
  await picked(pattern, 'Head').focus();
  const names = Object.keys(first.heads), atEnd = names.at(-1) === data.head;
  const next = names[names.indexOf(data.head) + (atEnd ? -1 : 1)];
  await page.keyboard.press(atEnd ? 'ArrowLeft' : 'ArrowRight');
  check('an arrow key goes to the head beside it', (await line()).startsWith(`Head ${next} of ${first.label}`), await line());
  check('and in the other part, too', (await picked(tokens, 'Head').inputValue()) === `0 ${next}`);
  check('what was picked is said', (await said()) === (await line()), await said());
  await page.keyboard.press(atEnd ? 'ArrowRight' : 'ArrowLeft');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  check('Tab and an arrow: raw scores', (await pattern.locator(`td[data-i="${n - 1}"][data-j="0"]`)
    .textContent()) === head.scores.at(-n).toFixed(1).replace('-', '−'));
  await page.keyboard.press('ArrowRight');
  const moved = (head.weights.at(-n) * head.lengths[0]).toFixed(2);
  check('and another: value-weighted', (await pattern.locator(`td[data-i="${n - 1}"][data-j="0"]`)
    .textContent()) === moved);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowLeft');
  check('Tab and an arrow: another token', (await line()).includes(`Token ${spot},`), await line());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  check('the Tab key leaves it', await pattern.evaluate((e) => !e.contains(document.activeElement)));

  // Columns, rows and parts.
  const choice = data.choices.indexOf(data.moved);
  const column = await tokens.locator('ol').first().locator('code').allInnerTexts();
  check('the OV column is the program\'s', column.join() ===
    head.ov[choice][0].map((w) => word(data.words[w])).join(), column);
  await picked(tokens, 'Token').focus();
  await page.keyboard.press('ArrowRight');
  const asked = await tokens.locator('ol').nth(1).locator('.x-value').allInnerTexts();
  check('an arrow key: the QK row of the next token', asked.join() ===
    head.qk[choice + 1][1].map((x) => x.toFixed(2).replace('-', '−')).join(), asked);
  check('and it is said', (await said()).includes(word(data.words[data.choices[choice + 1]])), await said());
  const parts = ['token', 'position', 'bias'].map((part) => head[part]);
  const sums = parts.map((list) => list.reduce((a, b) => a + b)), all = sums.reduce((a, b) => a + b);
  const foot = await tokens.locator('tfoot td').allInnerTexts();
  check('the parts of the logit sum to the last line', foot.slice(0, 4).every((text, i) =>
    Number(text.replace('−', '-')) === Number([...sums, all][i].toFixed(2))), foot);
  check('a row a source', (await tokens.locator('tbody tr').count()) === n);
  const last = data.models.at(-1), name = Object.keys(last.heads).at(-1);
  await tokens.locator(`label[data-value="${data.models.length - 1} ${name}"]`).click();
  check('any other head, of another model, by mouse', (await tokens.locator('h4').last().innerText())
    .startsWith(`What head ${name} of ${last.label} adds`));
  if (last.heads[name].earlier)
    check('a later layer has the part of earlier heads', (await tokens.locator('thead th').count()) === 6);

  // Without scripts nothing of it is there but a sentence; nor is it wider than a phone.
  const still = await open({ scripts: false });
  check('without scripts a sentence stands there', /explorer/.test(
    await still.locator('.explorer').first().innerText()));
  const narrow = await open({ width: 360 });
  const wide = await narrow.locator('.explorer').evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth));
  check('on a phone nothing sticks out', wide.every((w) => w <= 0), wide);
}
