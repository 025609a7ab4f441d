// The explorer's first part: the attention pattern of any head on the prompt. The token
// that was picked has its row and its column in numbers; where the pointer is, that
// cell's. A reader of the screen hears what was picked, and can walk through the table.

if (!page.explorer)
    return;
const { make } = page;
const { data, start, heads, choice, word, code, number, title, head } = page.explorer;
const n = data.prompt.length;

// How the three ways to look at a pattern get the entry of row i, column j <= i.
const at = (i, j) => i * (i + 1) / 2 + j;
const modes = {
    weights: { text: 'weights', digits: 2, of: (h, i, j) => h.weights[at(i, j)],
        note: 'A row sums to one.' },
    scores: { text: 'raw scores', digits: 1, of: (h, i, j) => h.scores[at(i, j)],
        note: 'Before the softmax. Blue is above zero and orange below.' },
    moved: { text: 'value-weighted', digits: 2, of: (h, i, j) => h.weights[at(i, j)] * h.lengths[j],
        note: 'A weight times the length of the vector that it moves.' },
};
let mode = 'weights', picked = n - 1;
const token = i => word(data.prompt[i]);
const value = (i, j) => modes[mode].of(head(), i, j);
const text = (i, j) => number(value(i, j), modes[mode].digits);

// The three largest of row i, or of column i, as text.
const largest = (list, other) => list.sort((a, b) => value(...b) - value(...a)).slice(0, 3)
    .map(cell => `${token(cell[other])} (${text(...cell)})`).join(', ');
const row = i => Array.from({ length: i + 1 }, (_, j) => [i, j]);
const column = j => Array.from({ length: n - j }, (_, k) => [j + k, j]);
const summary = i => `${title().replace(/^h/, 'H')}, ${modes[mode].text}. Token ${i + 1}, ` +
    `${token(i)}, reads most from ${largest(row(i), 1)}; it is read most by ${largest(column(i), 0)}.`;

const build = place => {
    place.setAttribute('aria-label', 'Explorer: the attention pattern of any head');
    const way = choice('Shown', [{ options: Object.entries(modes).map(([name, m]) =>
        ({ text: m.text, value: name })) }], name => { mode = name; draw(); });
    const prompt = choice('Token', [{ options: data.prompt.map((w, i) =>
        ({ text: word(w), unseen: `${i + 1}: `, value: i })) }], i => { picked = i; draw(); });
    prompt.classList.add('x-text');
    const line = make('p', { class: 'x-line' });
    const key = make('p', { class: 'x-key' });

    // The table is built once; drawing fills it.
    const names = data.prompt.map((w, j) =>
        make('th', { scope: 'col', 'data-j': j }, make('span', {}, code(w))));
    const cells = data.prompt.map((_, i) => data.prompt.map((_, j) => j > i ? make('td') :
        make('td', { 'data-i': i, 'data-j': j }, make('span'))));
    const rows = cells.map((list, i) => make('tr', {},
        make('th', { scope: 'row', 'data-i': i }, code(data.prompt[i])), ...list));
    const table = make('table', { class: 'x-pattern' },
        make('caption', { class: 'unseen' }, 'Rows are destinations, columns are sources'),
        make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'reads ↓ from →'), ...names)),
        make('tbody', {}, ...rows));
    place.append(heads(), way, prompt, line, make('div', { class: 'scroll' }, table), key);

    // Row i and column j stand out and have their numbers.
    const mark = (i, j) => {
        names.forEach((th, k) => th.classList.toggle('x-on', k === j));
        rows.forEach((tr, k) => tr.firstChild.classList.toggle('x-on', k === i));
        for (const [a, list] of cells.entries())
            for (const [b, td] of list.slice(0, a + 1).entries()) {
                td.classList.toggle('x-on', a === i || b === j);
                td.firstChild.classList.toggle('unseen', a !== i && b !== j);
            }
    };
    const rest = () => { mark(picked, picked); line.textContent = summary(picked); };
    const draw = () => {
        const size = Math.max(...cells.flatMap((_, i) => row(i).map(cell => Math.abs(value(...cell)))));
        for (let i = 0; i < n; i++)
            for (let j = 0; j <= i; j++) {
                const share = value(i, j) / size || 0;
                cells[i][j].firstChild.textContent = text(i, j);
                cells[i][j].style.setProperty('--share', Math.abs(share).toFixed(3));
                cells[i][j].classList.toggle('x-below', share < 0);
            }
        way.choose(mode);
        prompt.choose(picked);
        key.textContent = `${modes[mode].note} The deepest shade is ${number(size, modes[mode].digits)}.`;
        rest();
        return line.textContent;
    };

    // Where the pointer is.
    const over = event => {
        const spot = event.target.closest('[data-i], [data-j], [data-value]');
        if (!spot || !(spot.closest('table') || prompt.contains(spot)))
            return rest();
        const { i, j, value: of } = spot.dataset;
        if (i !== undefined && j !== undefined) {
            mark(Number(i), Number(j));
            line.textContent = `${title().replace(/^h/, 'H')}, ${modes[mode].text}. Token ${Number(i) + 1}, ` +
                `${token(i)}, from token ${Number(j) + 1}, ${token(j)}: ${text(Number(i), Number(j))}.`;
        } else {
            const k = Number(i ?? j ?? of);
            mark(k, k);
            line.textContent = summary(k);
        }
    };
    for (const element of [table, prompt]) {
        element.addEventListener('pointerover', over);
        element.addEventListener('pointerleave', rest);
    }
    table.addEventListener('click', event => {
        const spot = event.target.closest('[data-i], [data-j]');
        if (spot) {
            picked = Number(spot.dataset.i ?? spot.dataset.j);
            page.say(draw());
        }
    });
    place.addEventListener('change', () => page.say(line.textContent));
    return draw;
};

start('pattern', build);
