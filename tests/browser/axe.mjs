// axe-core finds no violation, in both themes.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export const name = 'axe';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function run({ open, check }) {
  const look = async (theme) => {
    const page = await open({ theme });
    await page.evaluate(source);
    return page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  };
  const themes = ['light', 'dark'];
  const found = await Promise.all(themes.map(look)); // both at once: each takes a minute
  for (const [i, { violations, passes }] of found.entries()) {
    check(`${themes[i]}: its rules were tried`, passes.length > 20, `${passes.length}`);
    check(`${themes[i]}: no violation`, violations.length === 0,
      violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.length} times, as in ` +
        v.nodes[0].html.slice(0, 160)).join('\n'));
  }
}
