// The report: filtered by what is typed, sorted by a column and back, by mouse and by keyboard.
export const name = 'report';

const keys = (page) => page.evaluate(() => [...document.querySelectorAll('#ledger tbody th > code')]
  .filter((e) => e.offsetParent && e.closest('tr').id).map((e) => e.textContent));

export async function run({ open, check }) {
  const page = await open();
  const book = await keys(page);
  check('it has rows', book.length > 100, `${book.length}`);

  const filter = page.getByLabel('Filter');
  await filter.fill('3.toy token');
  const some = await keys(page);
  check('the filter leaves rows that have every word', some.length > 0 &&
    some.length < book.length && some.every((key) => key.startsWith('3.toy')), some);
  await filter.fill('');
  check('without it all are there', (await keys(page)).join() === book.join());

  const head = page.locator('#ledger thead th').filter({ hasText: 'Key' });
  const button = head.getByRole('button');
  const first = (list) => list.slice(0, 5).join();
  await button.click();
  check('a click sorts', await head.getAttribute('aria-sort') === 'ascending');
  const rising = await keys(page);
  check('by key, all of them', rising.length === book.length &&
    parseFloat(rising[0]) <= parseFloat(rising.at(-1)), first(rising));
  await button.focus();
  await page.keyboard.press('Enter');
  check('Enter turns it round', await head.getAttribute('aria-sort') === 'descending' &&
    (await keys(page))[0] === rising.at(-1), first(await keys(page)));
  await page.keyboard.press('Enter');
  check('and back to the order of the book', (await keys(page)).join() === book.join() &&
    await head.getAttribute('aria-sort') === null);
}
