// The theme: the system's wish until the switch is used, by mouse or by keyboard; then what
// was chosen stays. Drawings follow.
export const name = 'theme';

const paper = (page) => page.evaluate(() => {
  const drawn = document.querySelector('svg [stroke="#000"], svg [stroke="black"], svg text');
  const [red, green, blue] = [document.body, document.documentElement]
    .map((e) => getComputedStyle(e).backgroundColor)
    .find((c) => c !== 'rgba(0, 0, 0, 0)').match(/\d+/g);
  const ink = getComputedStyle(drawn);
  const [r] = (drawn.matches('text') ? ink.fill : ink.stroke).match(/\d+/g);
  return { dark: +red + +green + +blue < 384, drawing: +r > 128 ? 'light ink' : 'dark ink' };
});

export async function run({ open, check }) {
  const still = await open({ theme: 'dark', scripts: false });
  check('without scripts the system decides', (await paper(still)).dark);
  for (const [theme, other] of [['light', 'dark'], ['dark', 'light']]) {
    const page = await open({ theme });
    const button = page.getByRole('button', { name: 'Dark theme' });
    const is = async (what, wanted) => {
      const { dark, drawing } = await paper(page);
      check(`${theme}: ${what}: the page is ${wanted}`, dark === (wanted === 'dark'));
      check(`${theme}: ${what}: drawings too`,
        drawing === (wanted === 'dark' ? 'light ink' : 'dark ink'), drawing);
      check(`${theme}: ${what}: the switch says so`,
        await button.getAttribute('aria-pressed') === String(wanted === 'dark'));
    };
    await is('at first', theme);
    await button.click();
    await is('after a click', other);
    await page.reload();
    await is('when opened again', other);
    await button.focus();
    await page.keyboard.press('Space');
    await is('after the space bar', theme);
    await page.emulateMedia({ colorScheme: other });
    await is('whatever the system says now', theme);
  }
}
