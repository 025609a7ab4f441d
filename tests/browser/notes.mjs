// Notes beside links: for a number its key, value, expected value, rule and verdict, by
// mouse, by keyboard and by touch.
export const name = 'notes';

export async function run({ open, check }) {
  const page = await open();
  const note = page.locator('#note');
  const link = page.locator('main a[href="#r-3.toy.received"]').first();
  const told = async (how) => {
    await note.waitFor({ state: 'visible' });
    const text = await note.innerText();
    for (const [what, pattern] of Object.entries({ key: /3\.toy\.received/, value: /1\.8/,
      rule: /exact/, verdict: /ok/, chunk: /toy_3|report/, meaning: /dimension 3 of token 3/ }))
      check(`${how}: the note tells the ${what}`, pattern.test(text), text);
    check(`${how}: it describes the link`,
      await link.getAttribute('aria-describedby') === 'note');
    const box = await note.boundingBox();
    check(`${how}: it stands in the page`, box.x >= 0 && box.x + box.width <=
      page.viewportSize().width, JSON.stringify(box));
  };
  await link.scrollIntoViewIfNeeded();
  check('there is none at first', !await note.isVisible());
  await link.hover();
  await told('hover');
  await note.hover();
  await page.waitForTimeout(600);
  check('hover: the note can be pointed at', await note.isVisible());
  await page.mouse.move(5, 5);
  await note.waitFor({ state: 'hidden' });
  check('it goes with the mouse', true);

  // To the link by Tab: from the link before it.
  await link.evaluate((e) => {
    const all = [...document.querySelectorAll('a[href], button')];
    all[all.indexOf(e) - 1].focus();
  });
  await page.keyboard.press('Tab');
  await told('focus');
  await page.keyboard.press('Escape');
  check('Escape puts it away', !await note.isVisible());
  await page.keyboard.press('Enter');
  check('Enter goes to the report', await page.evaluate(() => location.hash) ===
    '#r-3.toy.received');

  const still = await open({ scripts: false });
  await still.locator('main a[href="#r-3.toy.received"]').first().click();
  check('without scripts a click goes there', still.url().endsWith('#r-3.toy.received'));
}
