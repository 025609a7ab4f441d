// Code: a use opens in place and closes again, by mouse and by keyboard; a button copies
// clean C; a link into a fold opens it.
export const name = 'code';

export async function run({ open, check }) {
  const page = await open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const chunk = page.locator('[id="c-toy-3-c"]');
  const use = chunk.getByRole('button', { name: /^Show .*move the values/ });
  const before = await chunk.innerText();
  const opened = chunk.locator('.opened');
  check('a use is closed at first', await use.getAttribute('aria-expanded') === 'false' &&
    await opened.count() === 0);
  await use.click();
  check('a click opens it', await use.getAttribute('aria-expanded') === 'true' &&
    (await opened.innerText()).includes('r[i] += A[i][j] * v[j];'));
  await use.click();
  check('another closes it, and all is as before', await chunk.innerText() === before);
  await use.focus();
  await page.keyboard.press('Enter');
  check('Enter opens it', await opened.count() === 1);
  check('the focus stays', await use.evaluate((e) => e === document.activeElement));
  await page.keyboard.press('Enter');
  check('and closes it', await chunk.innerText() === before);

  await chunk.getByRole('button', { name: /^Copy/ }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  check('the button copies the chunk with what it uses', /^#include "toy.h"\n/.test(copied) &&
    copied.includes('r[i] += A[i][j] * v[j];') && !/[⟨⟩]|<</.test(copied), copied);

  const id = await page.evaluate(() =>
    document.querySelector('.chunk details:not([open]) dfn[id]')?.id);
  check('long plumbing is folded', id);
  if (!id) return;
  const fold = page.locator(`.chunk details:has([id="${id}"])`);
  const visible = () => fold.locator('pre').first().isVisible();
  check('its code is hidden', !await visible());
  await fold.locator('summary').click();
  check('a click shows it', await visible());
  await page.keyboard.press('Enter');
  check('Enter hides it', !await visible());
  await page.evaluate((to) => { location.hash = to; }, id);
  await page.waitForFunction((to) =>
    document.getElementById(to).closest('details').open, id);
  check('a link to what it defines shows it', await visible());
}
