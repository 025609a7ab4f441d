// Every link inside the page, and every reference by id, lands on an element that is there once.
export const name = 'links';

export async function run({ open, check }) {
  const page = await open();
  const found = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    const known = new Set(ids);
    const links = [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'));
    const inside = links.filter((h) => h.startsWith('#')).map((h) => decodeURIComponent(h.slice(1)));
    const named = ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for'].flatMap((name) =>
      [...document.querySelectorAll(`[${name}]`)].flatMap((e) => e.getAttribute(name).split(/\s+/)));
    const drawn = [...document.querySelectorAll('svg *')].flatMap((e) =>
      [...e.attributes].flatMap((a) => a.name.endsWith('href') ? [a.value.slice(1)]
        : [...a.value.matchAll(/url\(["']?#([^"')]+)/g)].map((m) => m[1])));
    return {
      inside: inside.length,
      twice: ids.filter((id, i) => ids.indexOf(id) < i),
      lost: [...inside, ...named, ...drawn].filter((id) => !known.has(id)),
      outside: links.filter((h) => !/^(#|https:\/\/)/.test(h)),
    };
  });
  check('there are links', found.inside > 1000, found);
  check('each lands', found.lost.length === 0, found.lost);
  check('no id is there twice', found.twice.length === 0, found.twice);
  check('the others lead to https', found.outside.length === 0, found.outside);
}
