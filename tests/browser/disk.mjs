// The page is one file that opens from disk.
import { statSync } from 'node:fs';

export const name = 'from disk';

export async function run({ open, check, file }) {
  const size = statSync(file).size;
  check(`it weighs ${(size / 1e6).toFixed(2)} MB, 3 at most`, size <= 3e6);
  const page = await open();
  check('it has a title', /\w/.test(await page.title()));
  const still = await open({ scripts: false });
  const visible = await still.locator('main').innerText();
  check('without scripts the text is there', visible.length > 100000, `${visible.length}`);
  check('and all that stands in the page opens from it', await page.evaluate(() =>
    [...document.querySelectorAll('[src], link[href], use')].every((e) =>
      /^(data:|#)/.test(e.getAttribute('src') ?? e.getAttribute('href') ??
        e.getAttribute('xlink:href')))));
}
