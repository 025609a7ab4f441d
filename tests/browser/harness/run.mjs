// node run.mjs BOOK.html [SUBJECT...]: opens the page in Chromium and runs the subjects
// beside this folder (all, or the named ones), one file each, and prints TAP.
//
// A subject exports `name` and `async run({ open, check, skip, file, url, browser })`:
//   open({ width, height, theme, scripts, motion, print })   the page in a new context, without a
//       network; whatever it says on the console or requests beyond the file fails the
//       subject when that ends
//   check(what, holds, why)   one test; `why` is shown if it fails
//   skip(what, why)
// It is run from the root of the project.

import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..');
const [book, ...wanted] = process.argv.slice(2);
const file = resolve(book);
const url = pathToFileURL(file).href;
let count = 0, broken = 0;

function result(holds, what, why) {
  count += 1;
  broken += holds ? 0 : 1;
  console.log(`${holds ? 'ok' : 'not ok'} ${count} - ${what}`);
  if (holds || why === undefined) return;
  const text = typeof why === 'string' ? why : JSON.stringify(why, null, 1);
  for (const line of text.split('\n').slice(0, 40)) console.log(`#   ${line}`);
}

// The page of one subject in a context of its own; what it should not do goes to `said`.
async function open(browser, said, options) {
  const { width = 1440, height = 900, theme = 'light', scripts = true, motion = 'reduce',
    print = false } = options;
  const context = await browser.newContext({
    offline: true, viewport: { width, height }, colorScheme: theme,
    reducedMotion: motion, javaScriptEnabled: scripts,
  });
  context.setDefaultTimeout(180000);
  const page = await context.newPage();
  page.on('console', (m) => said.push(`${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => said.push(`error: ${e.message}`));
  page.on('request', (r) => {
    const target = r.url().replace(/#.*/s, '');
    if (target !== url && !/^(data|blob):/.test(target)) said.push(`request: ${target}`);
  });
  if (print) await page.emulateMedia({ media: 'print' });
  await page.goto(url);
  return page;
}

async function runSubject(browser, path) {
  const { name, run } = await import(pathToFileURL(path).href);
  const said = [], contexts = browser.contexts().length;
  const check = (what, holds, why) => result(Boolean(holds), `${name}: ${what}`, why);
  const skip = (what, why) => result(true, `${name}: ${what} # SKIP ${why}`);
  try {
    await run({ browser, file, url, check, skip, open: (o = {}) => open(browser, said, o) });
  } catch (error) {
    check('it runs to its end', false, error.stack);
  }
  check('the page says nothing on the console and requests nothing', !said.length, said);
  await Promise.all(browser.contexts().slice(contexts).map((c) => c.close()));
}

const subjects = readdirSync(folder).filter((f) => f.endsWith('.mjs')).sort()
  .filter((f) => !wanted.length || wanted.includes(f.replace('.mjs', '')));
const browser = await launch();
for (const subject of subjects) await runSubject(browser, join(folder, subject));
await browser.close();
console.log(`1..${count}`);
process.exitCode = broken || !count ? 1 : 0;
