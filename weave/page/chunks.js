// Code chunks: line numbers of the chapter's file, a button that copies, uses that
// open in place, folds that open for a link into them.
//
//   page.chunk(link)     the chunk that a link goes to or into, or null
//   page.code(chunk)     its code as text, every use in it replaced by its chunks, with
//                        the indentation that tangling gives them

const { make } = page;
const chunks = Array.from(document.querySelectorAll('.chunk'));
const blocks = (chunk, selector) =>
    Array.from(chunk.querySelectorAll(selector)).filter(e => !e.closest('.opened'));

// A chunk's name is that of its continuations too: the heading without the number.
const name = chunk => {
    const link = chunk.querySelector('.head > a'), number = link.querySelector('small');
    return link.textContent.slice(0, -number.textContent.length - 2);
};
const named = new Map();
for (const chunk of chunks)
    named.set(name(chunk), [...named.get(name(chunk)) || [], chunk]);

page.chunk = link => {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return target && target.closest('.chunk');
};

// What a chunk's blocks hold, piece by piece: text, or the chunks of a use.
const pieces = function* (chunk) {
    for (const code of blocks(chunk, 'pre > code'))
        for (const node of code.childNodes)
            yield node.nodeName === 'A' && node.className === 'u' ?
                named.get(name(page.chunk(node))) : node.textContent;
};

const tangle = (chunk, indent) => {
    let text = '';
    for (const piece of pieces(chunk))
        if (typeof piece === 'string') {
            text += piece.replaceAll('\n', '\n' + indent);
        } else {
            const line = text.slice(text.lastIndexOf('\n') + 1).replace(/\S/g, ' ');
            text += piece.map(c => tangle(c, line || indent)).join('\n' + (line || indent));
        }
    return text.replace(/\n\s*$/, '');
};
page.code = chunk => tangle(chunk, '').replace(/^ +$/gm, '') + '\n';

const copy = async text => {
    try {
        await navigator.clipboard.writeText(text);
    } catch { // older browsers, and pages that may not
        const box = make('textarea', { class: 'unseen' });
        box.value = text;
        document.body.append(box);
        box.select();
        document.execCommand('copy');
        box.remove();
    }
};

// The numbers of the lines stand in an attribute, which a style sheet shows: so they
// are not part of the code that a reader selects.
const number = (pre, from) => {
    const count = pre.textContent.split('\n').length - 1;
    pre.dataset.from = from;
    pre.dataset.lines = Array.from({ length: count }, (_, i) => from + i).join('\n');
    return from + count;
};

// Opening a use cuts its block in two after the line it stands in; closing joins them.
const open = (button, chunk) => {
    const pre = button.closest('pre'), code = pre.firstChild, rest = document.createRange();
    let last = button.nextSibling;
    while (last && !(last.nodeType === Node.TEXT_NODE && last.data.includes('\n')))
        last = last.nextSibling;
    rest.setStart(last, last.data.indexOf('\n') + 1);
    rest.setEnd(code, code.childNodes.length);
    const tail = make('pre', {}, make('code', {}, rest.extractContents()));
    const copies = named.get(name(chunk)).map(copyOf);
    pre.after(make('div', { class: 'opened' }, ...copies), tail);
    number(tail, number(pre, +pre.dataset.from));
    tail.hidden = tail.textContent === '';
};

const close = button => {
    const pre = button.closest('pre'), tail = pre.nextElementSibling.nextElementSibling;
    pre.nextElementSibling.remove();
    pre.firstChild.append(...tail.firstChild.childNodes);
    pre.firstChild.normalize();
    tail.remove();
    number(pre, +pre.dataset.from);
};

const toggle = event => {
    const button = event.currentTarget;
    const opening = button.getAttribute('aria-expanded') !== 'true';
    button.setAttribute('aria-expanded', opening);
    if (opening)
        open(button, page.chunk(button.nextSibling));
    else
        close(button);
};

const prepare = chunk => {
    const [, line] = chunk.querySelector('.head > span').textContent.match(/:(\d+)/);
    let from = +line + 1;
    for (const pre of blocks(chunk, 'pre'))
        from = number(pre, from);
    for (const use of chunk.querySelectorAll('pre a.u'))
        use.before(make('button', { type: 'button', class: 'open', 'aria-expanded': 'false',
            'aria-label': 'Show ' + use.textContent + ' here', onclick: toggle }));
    chunk.querySelector('.head').append(make('button', { type: 'button', class: 'copy',
        'aria-label': 'Copy ' + chunk.querySelector('.head > a').textContent,
        async onclick() {
            await copy(page.code(chunk));
            page.say('Copied');
            this.dataset.done = 'Copied';
            setTimeout(() => delete this.dataset.done, 1500);
        } }));
};

// A chunk as it stands where it is defined, without ids and without what was opened.
const copyOf = chunk => {
    const copied = make('div', { class: 'chunk' }, chunk.querySelector('.head').cloneNode(true));
    const code = make('code');
    for (const block of blocks(chunk, 'pre > code'))
        code.append(...block.cloneNode(true).childNodes);
    copied.append(make('pre', {}, code));
    for (const button of copied.querySelectorAll('button'))
        button.remove();
    for (const element of copied.querySelectorAll('[id]'))
        element.removeAttribute('id');
    code.normalize();
    prepare(copied);
    return copied;
};

chunks.forEach(prepare);

// Who follows a link into a chunk finds its fold open and its lasting name as the address.
const arrive = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target)
        return;
    const fold = target.closest('details');
    if (fold && !fold.open) {
        fold.open = true;
        target.scrollIntoView();
    }
    if (/^\d+$/.test(target.id))
        history.replaceState(history.state, '', '#' + target.closest('.chunk').id);
};
addEventListener('hashchange', arrive);
arrive();

// Paper has no folds.
addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('details:not([open])'))
        fold.open = fold.dataset.folded = true;
});
addEventListener('afterprint', () => {
    for (const fold of document.querySelectorAll('[data-folded]')) {
        fold.open = false;
        delete fold.dataset.folded;
    }
});
