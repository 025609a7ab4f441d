// The explorer: what its two parts share. The data are those that the real program
// wrote (see the chapter on the explorer); here they are only shown.
//
//   page.explorer.start(part, build)   build(place) fills the place of a part and returns
//                                      a function that shows the state; it is called
//                                      whenever the state changed
//   .state                             {model, head}: what is looked at
//   .head()                            the data of that head
//   .title()                           its name, for people
//   .word(i), .code(i)                 the token at place i of the words, as text and
//                                      as an element
//   .number(x, digits)                 x with a true minus, and none before a zero
//   .heads(), .choice(legend, ...)     groups of radio buttons

const source = document.getElementById('explorer-data');
if (!source)
    return;
const data = JSON.parse(source.textContent);
const state = { model: 0, head: data.head };
const shown = [], groups = [];
const { make } = page;

const word = i => data.words[i].replace(/^ | $|  +/g,
    run => run.length > 3 ? '␣×' + run.length : '␣'.repeat(run.length));
const code = i => make('code', { class: 'token' }, word(i));
const number = (x, digits) => x.toFixed(digits).replace(/^-(?=.*[1-9])/, '−').replace('-', '');
const model = () => data.models[state.model];
const title = () => `head ${state.head} of ${model().label}`;

// Radio buttons: the keyboard moves among them with the arrow keys, and the group is one
// stop of the Tab key. `options` are {text, unseen, value}, `pick` is called with a value.
let groupCount = 0;
const choice = (legend, rows, pick) => {
    const name = 'explorer-' + groupCount++;
    const group = make('fieldset', { class: 'x-choice' }, make('legend', {}, legend));
    for (const { label, options } of rows) {
        const row = make('div', { class: 'x-row' });
        if (label)
            row.append(make('span', { class: 'x-label', 'aria-hidden': true }, label));
        for (const o of options) {
            const input = make('input', { type: 'radio', name, value: o.value,
                onchange: () => pick(o.value) });
            row.append(make('label', { 'data-value': o.value }, input, make('span', {},
                make('span', { class: 'unseen' }, o.unseen || ''), o.text)));
        }
        group.append(row);
    }
    const inputs = [...group.querySelectorAll('input')];
    group.choose = value => {
        for (const input of inputs)
            input.checked = input.value === String(value);
    };
    return group;
};

const show = () => {
    for (const group of groups)
        group.choose(state.model + ' ' + state.head);
    for (const f of shown)
        f();
};

// One row of buttons a layer.
const heads = () => {
    const rows = [];
    data.models.forEach(({ label, heads }, m) => {
        for (const name of Object.keys(heads)) {
            const layer = name.split('.')[0];
            if (!rows.length || rows.at(-1).key !== m + ' ' + layer)
                rows.push({ key: m + ' ' + layer, label, options: [] });
            rows.at(-1).options.push({ text: name, unseen: label + ', ', value: m + ' ' + name });
        }
    });
    const group = choice('Head', rows, value => {
        const [m, name] = value.split(' ');
        state.model = Number(m);
        state.head = name;
        show();
    });
    groups.push(group);
    return group;
};

const start = (part, build) => {
    const place = document.querySelector(`.explorer[data-part="${part}"]`);
    if (!place)
        return;
    place.replaceChildren();
    place.setAttribute('role', 'group');
    shown.push(build(place));
    show();
};

page.explorer = { data, state, start, heads, choice, word, code, number, model, title,
    head: () => model().heads[state.head] };
