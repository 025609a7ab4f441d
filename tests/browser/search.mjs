// The search finds words, chunk names, identifiers and keys, by keyboard and by mouse.
export const name = 'search';

export async function run({ open, check }) {
  const page = await open();
  const box = page.getByRole('combobox', { name: 'Search in this book' });
  const options = page.locator('#search-list [role=option]');
  const expanded = () => box.getAttribute('aria-expanded');
  const chosen = () => box.getAttribute('aria-activedescendant');
  const look = async (query) => {
    await box.fill(query);
    await page.waitForFunction(() => document.getElementById('search-list').dataset.query ===
      document.getElementById('search-box').value);
    return options.allInnerTexts();
  };
  const focused = (f) => page.evaluate(f);

  await page.keyboard.press('/');
  check('/ goes to the box', await box.evaluate((e) => e === document.activeElement && e.value === ''));
  check('nothing is open yet', (await expanded()) === 'false');

  const [identifier] = await look('circuit_top');
  check('an identifier', /^identifier/.test(identifier), identifier);
  check('the list is open, its first result chosen', (await expanded()) === 'true' && (await chosen()) === 'search-0');
  await page.keyboard.press('Enter');
  check('Enter goes to where it is defined', await focused(() => document.activeElement.closest('.chunk')
    ?.textContent.includes('int circuit_top(')));
  check('and closes the list', (await expanded()) === 'false');
  check('a slash in the text goes back to the box', await (async () => {
    await page.keyboard.press('/');
    return box.evaluate((e) => e === document.activeElement);
  })());

  const [key] = await look('3.first.mean');
  check('a key', /^key.*\n3\.first\.mean/.test(key), key);
  await page.keyboard.press('Enter');
  check('leads to its row of the report', await focused(() => document.activeElement.id === 'r-3.first.mean' &&
    document.activeElement.getBoundingClientRect().height > 0));

  const found = await look('read a value from');
  check('the name of a chunk', found.some((t) => /^chunk.*\n⟨read a value from each source/.test(t)), found);
  const sections = await look('who a token would read');
  check('a heading, first', /^section/.test(sections[0]), sections[0]);

  const column = await look('file'); // tables have a column of that name
  check('the head of a column does not come before names and sections', !/^text/.test(column[0]) &&
    column.some((t) => /^text/.test(t)), column);

  const words = await look('nothing is ever OVERWRITTEN');
  check('words of the prose, in any case', words.length === 1 && /^text/.test(words[0]), words);
  check('with what stands around them', /head before has added/.test(words[0]), words[0]);
  await page.keyboard.press('Enter');
  check('the place is marked and in sight', await focused(() => {
    const e = document.activeElement, r = e.getBoundingClientRect();
    return e.matches('p.found') && r.top >= 0 && r.bottom <= innerHeight && CSS.highlights.get('found').size >= 4;
  }));

  // A result in a fold opens it.
  const folded = await focused(() => {
    const pre = document.querySelector('details:not([open]) pre');
    return pre?.textContent.trim().split('\n').sort((a, b) => b.length - a.length)[0].trim();
  });
  check('there are folds', folded);
  const inside = await look(folded);
  check('a line of folded code', inside.some((t) => /^code/.test(t)), inside);
  await options.filter({ hasText: /^code/ }).first().click();
  check('is shown: the fold opens', await focused(() => {
    const pre = document.querySelector('pre.found');
    return pre?.closest('details')?.open && document.activeElement === pre.closest('.chunk') &&
      pre.getBoundingClientRect().height > 0;
  }));

  // The list by keyboard.
  await page.keyboard.press('/');
  await look('softmax');
  const count = await options.count();
  await page.keyboard.press('ArrowDown');
  check('down: the next', (await chosen()) === 'search-1');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  check('up from the first: the last', (await chosen()) === `search-${count - 1}`);
  check('one option is selected, and in sight', await options.evaluateAll((all) => {
    const on = all.filter((e) => e.getAttribute('aria-selected') === 'true');
    const list = all[0].parentElement.getBoundingClientRect(), r = on[0].getBoundingClientRect();
    return on.length === 1 && r.top >= list.top - 1 && r.bottom <= list.bottom + 1;
  }));
  check('the number of results is said', /^\d+ results/.test(await page.locator('body > [role=status]').textContent()));
  await page.keyboard.press('Escape');
  check('Escape closes', (await expanded()) === 'false' && !(await page.locator('#search-list').isVisible()));
  await page.keyboard.press('Escape');
  check('and empties the box', (await box.inputValue()) === '');
  check('what is not there is not found', (await look('xyzzy plugh')).length === 0 && (await expanded()) === 'false');
  check('and that is said', /^No results/.test(await page.locator('body > [role=status]').textContent()));

  const still = await open({ scripts: false });
  check('without scripts there is no box', !(await still.locator('#search').isVisible()));
  const narrow = await open({ width: 360 });
  await narrow.locator('#search-box').fill('copying');
  await narrow.locator('#search-list').waitFor();
  check('on a phone the list is as wide as the page', await narrow.locator('#search-list').evaluate((e) => {
    const r = e.getBoundingClientRect();
    return r.left >= 0 && r.right <= innerWidth && document.documentElement.scrollWidth <= innerWidth;
  }));
}
