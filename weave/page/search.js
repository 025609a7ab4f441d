// Search in the page: headings, chunk names, identifiers, keys, and the words of the prose
// and of the code. The index is made from the page itself when the search is first used.
// `/` goes to the box; arrows choose, Enter goes there, Escape leaves.

const { make } = page;
const form = document.getElementById('search'), text = document.getElementById('text');
const MOST = 10; // results shown of a kind

// What is looked for, in the order in which kinds of results are listed.
const kinds = [
    { name: 'section', select: ':is(h1, h2, h3, h4, h5)[id]' },
    { name: 'identifier', select: '.identifiers li:not(.letter)', of: li => li.querySelector('code'),
        target: li => document.getElementById(decodeURIComponent(li.querySelector('a').hash.slice(1))) },
    { name: 'key', select: 'tr[id^="r-"]', of: tr => tr.querySelector('code'),
        words: tr => `${tr.querySelector('code').textContent}: ` +
            tr.querySelector('div').firstChild.data.replace(/ Computed by $/, '') },
    { name: 'chunk', select: '.chunk > .head', of: head => head.querySelector('a') },
    { name: 'text', select: 'p, li, figcaption, dd, td, th, .csl-entry, caption' },
    { name: 'code', select: 'pre' },
];

// The text of an element as it is read.
const plain = node => {
    if (node.nodeType === Node.TEXT_NODE)
        return node.data;
    if (/^(annotation|svg|script)$/i.test(node.nodeName))
        return '';
    return [...node.childNodes].map(plain).join('');
};
// Without case and accents, and as long as before.
const fold = s => s.replace(/[\u00c0-\u024f]/g, c => c.normalize('NFD')[0]).toLowerCase();

let index = null;
const build = () => {
    index = [];
    const seen = new Set();
    for (const [rank, kind] of kinds.entries())
        for (const element of text.querySelectorAll(kind.select)) {
            if (kind.name === 'text' && (element.querySelector(kind.select) ||
                element.closest('.index, .explorer, tr[id^="r-"], .chunk')))
                continue;
            const own = kind.of ? kind.of(element) : element;
            const target = kind.target ? kind.target(element) : element;
            if (!own || !target || seen.has(own))
                continue;
            seen.add(own);
            const words = (kind.words ? kind.words(element) : plain(own)).replace(/\s+/g, ' ').trim();
            const name = kind.name === 'text' || kind.name === 'code' ? '' : fold(plain(own).trim());
            index.push({ kind, rank, target, words, name, folded: fold(words) });
        }
};

// The section in which an element stands.
const headings = [...text.querySelectorAll(':is(h1, h2)')];
const sectionOf = element => {
    let found = headings[0];
    for (const h of headings) {
        if (h.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING)
            break;
        found = h;
    }
    return found;
};

// All words must be there. A name that is the query comes first of all; within a kind, one
// that begins with it, then what has the words side by side.
const find = query => {
    const whole = fold(query.trim()), words = whole.split(/\s+/).filter(Boolean);
    if (!words.length)
        return [];
    const place = e => e.name === whole ? -1 : e.rank +
        (e.name.startsWith(whole) ? 0 : e.folded.includes(whole) ? 0.3 : 0.6);
    return index.filter(e => words.every(w => e.folded.includes(w)))
        .map((e, order) => ({ e, order, place: place(e) }))
        .sort((a, b) => a.place - b.place || a.order - b.order).map(r => r.e);
};

// A piece of the words around the first hit, with the hits marked.
const piece = (entry, words) => {
    const whole = entry.folded.indexOf(words.join(' '));
    const first = whole >= 0 ? whole : Math.min(...words.map(w => entry.folded.indexOf(w)));
    const from = first > 60 ? entry.words.indexOf(' ', first - 40) + 1 : 0;
    const cut = entry.words.slice(from, from + 130);
    const out = [from ? '… ' : ''], folded = fold(cut);
    for (let at = 0; at < cut.length;) {
        const hits = words.map(w => [folded.indexOf(w, at), w]).filter(([i]) => i >= 0);
        const [i, w] = hits.sort((a, b) => a[0] - b[0])[0] ?? [cut.length, ''];
        out.push(cut.slice(at, i), ...w ? [make('mark', {}, cut.slice(i, i + w.length))] : []);
        at = i + w.length;
    }
    return [...out, from + 130 < entry.words.length ? ' …' : ''];
};

// Goes to a result: opens what hides it, marks the words, and puts the focus there.
const go = (entry, words) => {
    for (let fold = entry.target.closest('details'); fold; fold = fold.parentElement.closest('details'))
        fold.open = true;
    close();
    // So that the way back leads to where the reader was.
    const near = entry.target.closest('[id]');
    location.hash = (near === text ? sectionOf(entry.target) : near).id;
    // A box of code takes no focus unless it scrolls; what it stands in does.
    const stop = entry.target.closest('.chunk') ??
        (entry.target.matches('pre') ? entry.target.parentElement : entry.target);
    if (!stop.hasAttribute('tabindex'))
        stop.setAttribute('tabindex', -1);
    stop.focus({ preventScroll: true });
    entry.target.scrollIntoView({ block: entry.target.offsetHeight < innerHeight / 2 ? 'center' : 'start' });
    mark(entry.target, words);
};

// Marks words in an element, until the next search.
const mark = (element, words) => {
    document.querySelectorAll('.found').forEach(e => e.classList.remove('found'));
    element.classList.add('found');
    if (!CSS.highlights)
        return;
    const ranges = [], walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode());)
        for (const w of words)
            for (let at = -1; (at = fold(node.data).indexOf(w, at + 1)) >= 0;) {
                const range = new Range();
                range.setStart(node, at);
                range.setEnd(node, Math.min(at + w.length, node.length));
                ranges.push(range);
            }
    CSS.highlights.set('found', new Highlight(...ranges));
};

// The box and its list.
const input = make('input', { type: 'text', id: 'search-box', role: 'combobox', placeholder: 'Search  /',
    autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Search in this book',
    'aria-expanded': false, 'aria-controls': 'search-list', 'aria-autocomplete': 'list' });
const list = make('ul', { id: 'search-list', role: 'listbox', 'aria-label': 'Results', hidden: '' });
let results = [], chosen = -1, words = [];

const choose = k => {
    list.children[chosen]?.setAttribute('aria-selected', false);
    chosen = k;
    const option = list.children[k];
    option?.setAttribute('aria-selected', true);
    option?.scrollIntoView({ block: 'nearest' });
    if (option)
        input.setAttribute('aria-activedescendant', option.id);
    else
        input.removeAttribute('aria-activedescendant');
};
const open = shown => {
    list.hidden = !shown;
    input.setAttribute('aria-expanded', shown);
};
const close = () => { choose(-1); open(false); };
const option = (entry, k) => make('li', { role: 'option', id: 'search-' + k, 'aria-selected': false,
    onclick: () => go(entry, words), onpointermove: () => chosen !== k && choose(k) },
    make('span', { class: 's-where' }, `${entry.kind.name} · ${plain(sectionOf(entry.target)).replace(/\s+/g, ' ')}`),
    make('span', { class: 's-piece s-' + entry.kind.name }, ...piece(entry, words)));

const search = () => {
    if (!index)
        build();
    words = fold(input.value).split(/\s+/).filter(Boolean);
    const found = find(input.value), shown = new Map();
    results = found.filter(({ kind }) => shown.set(kind, (shown.get(kind) ?? 0) + 1).get(kind) <= MOST);
    chosen = -1;
    list.replaceChildren(...results.map(option));
    list.dataset.query = input.value;
    open(results.length > 0);
    choose(results.length ? 0 : -1);
    const more = found.length > results.length ? `, ${results.length} are listed` : '';
    page.say(words.length ? `${found.length || 'No'} result${found.length === 1 ? '' : 's'}${more}` : '');
    form.classList.toggle('s-none', words.length > 0 && !results.length);
};

let waiting = 0;
input.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(search, 100); });
input.addEventListener('focus', () => input.value && results.length && open(true));
input.addEventListener('keydown', event => {
    const n = list.children.length, shown = !list.hidden;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && n) {
        open(true);
        choose(shown ? (chosen + move + n) % n : 0);
    } else if (event.key === 'Escape') {
        if (!shown)
            input.value = '';
        close();
    } else if (event.key === 'Tab') {
        close();
        return;
    } else {
        return;
    }
    event.preventDefault();
});
form.addEventListener('submit', event => {
    event.preventDefault();
    clearTimeout(waiting);
    if (list.hidden || fold(input.value).split(/\s+/).filter(Boolean).join() !== words.join())
        search();
    if (results[Math.max(0, chosen)])
        go(results[Math.max(0, chosen)], words);
});
document.addEventListener('pointerdown', event => form.contains(event.target) || close());
document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey ||
        event.target.closest('input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]'))
        return;
    event.preventDefault();
    input.focus();
    input.select();
});

// Here and not in the style sheet: the validator does not know it yet.
document.head.append(make('style', {}, '::highlight(found) { background-color: var(--mark); }'));
form.append(input, list);
form.hidden = false;
