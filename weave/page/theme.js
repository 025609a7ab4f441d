// The switch between light and dark. Until it is used, the system decides; what was
// chosen before is set in the page's head.

const { root } = page, button = document.getElementById('theme');
const system = matchMedia('(prefers-color-scheme: dark)');

const dark = () => (root.dataset.theme || (system.matches ? 'dark' : 'light')) === 'dark';
const label = () => button.setAttribute('aria-pressed', dark());

button.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    page.store.set('theme', root.dataset.theme);
    label();
});
system.addEventListener('change', label);
label();
button.hidden = false;
