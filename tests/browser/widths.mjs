// Nothing makes the page scroll sideways, on a phone, a tablet, a desk, in both themes.
export const name = 'widths';

export async function run({ open, check }) {
  for (const width of [360, 800, 1440]) {
    for (const theme of ['light', 'dark']) {
      const page = await open({ width, theme });
      const wide = await page.evaluate(() => {
        const edge = document.documentElement.clientWidth;
        if (document.scrollingElement.scrollWidth <= edge) return [];
        return [...document.body.querySelectorAll('*')]
          .filter((e) => e.getBoundingClientRect().right > edge + 1).slice(-8)
          .map((e) => e.outerHTML.slice(0, 120)).concat('the page is too wide');
      });
      check(`${width} px, ${theme}`, wide.length === 0, wide);
      await page.context().close();
    }
  }
}
