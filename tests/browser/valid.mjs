// The W3C's validator (vnu, a Java program in an npm package) finds no mistake in the HTML,
// the MathML and the drawings.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

export const name = 'valid HTML';

// MathML writes a tilde over a letter as an operator that is nothing but a combining tilde.
const tilde = /^Text run starts with a composing character/;

export async function run({ check, skip, file }) {
  const jar = createRequire(import.meta.url).resolve('vnu-jar/build/dist/vnu.jar');
  const java = spawnSync('java', ['-Xss2m', '-jar', jar, '--format', 'json', '--exit-zero-always',
    file], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (java.error) return skip('no mistake', 'no java: apt-get install default-jre-headless');
  const told = java.stderr || java.stdout;
  if (!told.startsWith('{')) return check('the validator runs', false, told || java.signal);
  const found = JSON.parse(told).messages.filter((m) =>
    (m.type !== 'info' || m.subType === 'warning') &&
    !(tilde.test(m.message) && m.extract.includes('>\u0303</mo>')));
  check('no mistake', found.length === 0, found.map((m) =>
    `${m.lastLine}:${m.lastColumn}: ${m.message} [${(m.extract ?? '').trim().slice(0, 100)}]`)
    .join('\n'));
}
