// node picture.mjs BOOK.html ID FOLDER: two pictures of the page where ID stands,
// FOLDER/page-light.png and page-dark.png. Run by make picture.

import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { launch } from './browser.mjs';

const [book, id, folder] = process.argv.slice(2);
const browser = await launch();
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ offline: true, colorScheme, reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(180000);
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(book)).href);
  await page.locator(`[id="${id}"]`).evaluate((e) => e.scrollIntoView({ block: 'start' }));
  await page.waitForTimeout(1000);
  await page.screenshot({ path: `${folder}/page-${colorScheme}.png` });
}
await browser.close();
