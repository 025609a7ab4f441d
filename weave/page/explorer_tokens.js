// The explorer's second part: for any head, the OV column and the QK row of a token, and
// the head's part of the predicted logit, by source and by what the source is made of.

if (!page.explorer)
    return;
const { make } = page;
const { data, state, start, heads, choice, word, code, number, model, title, head } = page.explorer;
let picked = Math.max(0, data.choices.indexOf(data.moved));

const parts = { token: 'token', position: 'position', earlier: 'earlier heads', bias: 'bias' };
const sum = list => list.reduce((a, b) => a + b, 0);
const first = () => state.head.startsWith('0.');

// The largest entries of a column or a row, each with a bar.
const list = (heading, note, table) => {
    const [words, values] = table;
    const most = Math.max(...values.map(Math.abs)) || 1;
    return make('div', {}, make('h4', {}, heading), make('p', { class: 'x-key' }, note),
        make('ol', {}, ...words.map((w, k) => make('li', {}, code(w), ' ',
            make('span', { class: 'x-value' }, number(values[k], 2)),
            make('span', { class: 'x-bar', style: `--share:${Math.abs(values[k]) / most}` })))));
};

const lists = () => {
    const h = head(), name = word(data.choices[picked]);
    if (!h.ov[picked])
        return [make('p', {}, `Of ${model().label} the page has the tables of the prompt's tokens only, ` +
            `and ${name} is not one of them.`)];
    const bare = first() ? '' : ' (of the bare embedding; in this layer the stream holds more)';
    return [
        list(`OV column of ${name}`, `What reading it raises most${bare}`, h.ov[picked]),
        list(`QK row of ${name}`, `What it would read, largest score first${bare}`, h.qk[picked]),
    ];
};

// A source's parts as one bar: from zero to the right what raises, to the left what lowers.
const bar = (values, low, high) => {
    const reach = [0, 0], out = make('span', { class: 'x-parts' });
    values.forEach((v, k) => {
        const side = v < 0 ? 0 : 1, from = reach[side];
        reach[side] += v;
        const left = (Math.min(from, from + v) - low) / (high - low);
        out.append(make('i', { class: 'x-part-' + Object.keys(parts).indexOf(values.names[k]),
            style: `left:${(100 * left).toFixed(2)}%;width:${(100 * Math.abs(v) / (high - low)).toFixed(2)}%` }));
    });
    out.append(make('b', { style: `left:${(-100 * low / (high - low)).toFixed(2)}%` }));
    return out;
};

const split = () => {
    const h = head(), names = Object.keys(parts).filter(name => h[name]);
    if (!names.length)
        return [make('p', {}, 'For this kind of model the parts are not split.')];
    const rows = data.prompt.map((_, j) => Object.assign(names.map(name => h[name][j]), { names }));
    const side = (values, sign) => sum(values.map(v => Math.max(0, sign * v)));
    const high = Math.max(...rows.map(r => side(r, 1))), low = -Math.max(...rows.map(r => side(r, -1)));
    const cells = values => [...values, sum(values)].map(v => make('td', {}, number(v, 2)));
    const totals = names.map(name => sum(h[name]));
    return [make('div', { class: 'scroll' },
        make('table', { class: 'x-split' },
            make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'source'),
                ...names.map(name => make('th', { scope: 'col' },
                    make('i', { class: 'x-part-' + Object.keys(parts).indexOf(name) }), parts[name])),
                make('th', { scope: 'col' }, 'sum'), make('td'))),
            make('tbody', {}, ...rows.map((values, j) => make('tr', {},
                make('th', { scope: 'row' }, code(data.prompt[j])), ...cells(values),
                make('td', { 'aria-hidden': true }, bar(values, low, high === low ? 1 : high))))),
            make('tfoot', {}, make('tr', {}, make('th', { scope: 'row' }, 'all'),
                ...cells(totals), make('td')))))];
};

const build = place => {
    place.setAttribute('aria-label', 'Explorer: columns, rows and parts of any head');
    const tokens = choice('Token', [{ options: data.choices.map((w, k) =>
        ({ text: word(w), value: k })) }], k => { picked = k; draw(); });
    tokens.classList.add('x-text');
    const top = make('div', { class: 'x-lists' }), heading = make('h4'), below = make('div');
    place.append(heads(), tokens, top, heading, below);
    const draw = () => {
        tokens.choose(picked);
        top.replaceChildren(...lists());
        heading.textContent = `What ${title()} adds to the logit of the token ` +
            `that the model predicts: ${word(model().predicted)}`;
        below.replaceChildren(...split());
    };
    place.addEventListener('change', () => {
        const h = head(), tables = h.ov[picked];
        const best = table => `${word(table[0][0])} (${number(table[1][0], 2)})`;
        page.say(`${title()}, token ${word(data.choices[picked])}. ` + (tables
            ? `Its OV column raises ${best(h.ov[picked])} most; its QK row is largest for ${best(h.qk[picked])}. `
            : 'No tables. ') + `The head adds ${number(sum(Object.keys(parts).flatMap(name => h[name] || [])), 2)} ` +
            `to the logit of ${word(model().predicted)}.`);
    });
    return draw;
};

start('tokens', build);
