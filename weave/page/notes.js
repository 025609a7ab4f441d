// Notes: what a link inside the book leads to, shown beside it while it is pointed at,
// has the keyboard's focus or, by touch, after a tap: for a number its row of the report,
// for an identifier its definition, for a chunk its first lines, for an equation itself.
// A note can be pointed at too, and Escape puts it away.

const { make } = page;
const MOST = 14; // lines of code
const note = make('div', { id: 'note', hidden: '' });
document.getElementById('text').append(note);

const target = link => document.getElementById(decodeURIComponent(link.hash.slice(1)));

// A number's row of the report: its key and meaning, then what came out.
const ofRow = row => {
    const [what, ...cells] = row.cells, list = make('dl');
    const names = ['Value', 'Expected', 'Rule', 'Verdict'];
    cells.forEach((cell, i) => {
        if (cell.textContent)
            list.append(make('dt', {}, names[i]),
                make('dd', { class: cell.className }, cell.textContent));
    });
    const about = what.querySelector('div').cloneNode(true);
    about.querySelector('.cited')?.remove();
    return [make('p', {}, make('a', { href: '#' + row.id }, what.querySelector('code').cloneNode(true))),
        make('p', {}, ...about.childNodes), list];
};

// No element of code reaches over the end of a line, so its markup can be cut there.
const linesOf = chunk => Array.from(chunk.querySelectorAll('pre > code'))
    .filter(code => !code.closest('.opened'))
    .map(code => code.innerHTML).join('').replace(/\n$/, '').split('\n');
const comment = line => /^<i>/.test(line);

// Whether lines are a whole definition or declaration: nothing in them is left open.
const whole = lines => {
    const text = lines.join('\n').replace(/<(u|i)>.*?<\/\1>/g, '').replace(/<[^>]*>/g, '').trimEnd();
    const count = c => text.split(c).length - 1;
    return count('{') === count('}') && count('(') === count(')') &&
        (text[0] === '#' ? !text.endsWith('\\') : /[;}]$/.test(text));
};

// The lines that define a word, with the comment above them.
const definition = (lines, id) => {
    const at = lines.findIndex(line => line.includes(`id="${id}"`));
    let from = at, to = at;
    if (/^ /.test(lines[at]))
        return [lines[at]]; // a constant among others
    if (lines[at][0] === '}') // the name of a type stands below it
        while (from > 0 && !/^<b>(typedef|static|enum|struct|union)/.test(lines[from]))
            from--;
    while (to < lines.length - 1 && !whole(lines.slice(from, to + 1)))
        to++;
    while (comment(lines[from - 1]))
        from--;
    return lines.slice(from, to + 1);
};

const ofCode = (chunk, lines) => {
    const code = make('code');
    code.innerHTML = lines.slice(0, MOST).join('\n') + (lines.length > MOST ? '\n…' : '');
    for (const button of code.querySelectorAll('button'))
        button.remove();
    for (const place of code.querySelectorAll('[id]'))
        place.removeAttribute('id');
    const head = make('p', {}, chunk.querySelector('.head > a').cloneNode(true), ' ',
        chunk.querySelector('.head > span').cloneNode(true));
    head.firstChild.href = '#' + chunk.id;
    head.querySelector('[id]')?.removeAttribute('id');
    return [head, make('pre', {}, code)];
};

const contents = link => {
    const to = target(link), chunk = to?.closest('.chunk');
    if (to?.matches('tr'))
        return ofRow(to);
    if (to?.matches('.equation'))
        return [to.querySelector('math').cloneNode(true)];
    if (!chunk)
        return null;
    const lines = linesOf(chunk);
    return ofCode(chunk, to.matches('dfn') ? definition(lines, to.id) : lines);
};

let shown = null, timer, touched = false;
const hide = () => {
    clearTimeout(timer);
    note.hidden = true;
    shown?.removeAttribute('aria-describedby');
    shown = null;
};
const show = link => {
    const what = contents(link);
    if (!what)
        return hide();
    if (shown !== link)
        hide();
    shown = link;
    note.replaceChildren(...what);
    note.hidden = false;
    link.setAttribute('aria-describedby', 'note');
    // Below the link, or above it where there is more room; never wider than the page.
    const at = link.getClientRects()[0], wide = document.documentElement.clientWidth;
    const below = innerHeight - at.bottom > note.offsetHeight + 12 || at.top < innerHeight / 2;
    note.style.left = scrollX + Math.max(8, Math.min(at.left - 12, wide - note.offsetWidth - 8)) + 'px';
    note.style.top = scrollY + (below ? at.bottom + 6 : at.top - note.offsetHeight - 6) + 'px';
};

const worth = element => {
    const link = element.closest?.('a[href^="#"]');
    return link && !link.closest('#note, #side, .head') && /^#(r-|i-|eq:|c-|\d)/.test(link.hash) && link;
};
const soon = (action, after) => {
    clearTimeout(timer);
    timer = setTimeout(action, after);
};
document.addEventListener('pointerover', event => {
    if (event.pointerType === 'touch')
        return;
    const link = worth(event.target);
    if (link && link !== shown)
        soon(() => show(link), 250);
    else if (link || note.contains(event.target))
        clearTimeout(timer);
    else if (shown)
        soon(hide, 250);
    else
        clearTimeout(timer);
});
document.addEventListener('focusin', event => {
    const link = worth(event.target);
    if (link && link.matches(':focus-visible'))
        show(link);
    else if (!note.contains(event.target))
        hide();
});
document.addEventListener('pointerdown', event => { touched = event.pointerType === 'touch'; }, true);
document.addEventListener('click', event => {
    const link = worth(event.target);
    if (link && touched && link !== shown) {
        event.preventDefault(); // the first tap shows, the second goes there
        show(link);
    } else if (link || !note.contains(event.target) || event.target.closest('a')) {
        hide();
    }
});
document.addEventListener('keydown', event => {
    if (event.key === 'Escape')
        hide();
});
