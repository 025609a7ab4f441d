// The contents follow the reader: the section that is being read is marked, the
// chapter's sections are open. On a narrow page they are one line until opened.

const { root } = page;
const nav = document.getElementById('contents'), fold = nav.querySelector('details');
const links = new Map(Array.from(nav.querySelectorAll('a'),
    a => [decodeURIComponent(a.hash.slice(1)), a]));
const headings = Array.from(document.querySelectorAll('main :is(h2, h3, h4)[id]'))
    .filter(h => links.has(h.id));
const narrow = matchMedia('(max-width: 75.99rem)');

// The last heading above the upper third of the window.
const read = () => {
    let low = 0, high = headings.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (headings[middle].getBoundingClientRect().top < innerHeight / 3)
            low = middle + 1;
        else
            high = middle;
    }
    return links.get(headings[low - 1]?.id);
};

let current;
const follow = () => {
    const link = read();
    if (link === current)
        return;
    current?.removeAttribute('aria-current');
    for (const item of nav.querySelectorAll('.open'))
        item.classList.remove('open');
    current = link;
    if (!link)
        return;
    link.setAttribute('aria-current', 'true');
    for (let item = link.closest('li'); item; item = item.parentElement.closest('li'))
        item.classList.add('open');
    if (!narrow.matches) { // within the list alone; scrollIntoView would move the page
        const box = link.getBoundingClientRect(), frame = nav.getBoundingClientRect();
        if (box.top < frame.top + 40 || box.bottom > frame.bottom - 40)
            nav.scrollTop += box.top - frame.top - frame.height / 3;
    }
};

const observer = new IntersectionObserver(follow, { rootMargin: '0px 0px -66% 0px' });
for (const heading of headings)
    observer.observe(heading);
addEventListener('hashchange', follow);

root.classList.add('follows');
fold.open = !narrow.matches;
narrow.addEventListener('change', () => { fold.open = !narrow.matches; });
nav.addEventListener('click', event => {
    if (narrow.matches && event.target.closest('a'))
        fold.open = false;
});
nav.addEventListener('keydown', event => {
    if (event.key === 'Escape' && narrow.matches && fold.open) {
        fold.open = false;
        fold.querySelector('summary').focus();
    }
});
