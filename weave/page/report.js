// The report's table: sorted by any column, filtered by what is typed. Without an order
// of its own it stands as in the book, section by section.

const { make } = page;
const table = document.getElementById('ledger');
if (!table)
    return;
const bodies = Array.from(table.tBodies), heads = Array.from(table.tHead.rows[0].cells);
const rows = bodies.flatMap(body => Array.from(body.rows).slice(1));
const home = new Map(rows.map(row => [row, row.parentElement]));
const sorted = make('tbody');
const said = make('span', { role: 'status' });

const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
        count += !row.hidden;
    }
    for (const body of bodies)
        body.rows[0].hidden = Array.from(body.rows).slice(1).every(row => row.hidden);
    said.textContent = count === rows.length ? '' : `${count} of ${rows.length}`;
};
const input = make('input', { type: 'search', id: 'filter', autocomplete: 'off', oninput: filter });

// Numbers by size and before text; text as people sort it, 2 before 10.
const order = (a, b) => {
    const x = parseFloat(a), y = parseFloat(b);
    if (!isNaN(x) && !isNaN(y) && x !== y)
        return x - y;
    return isNaN(x) - isNaN(y) || a.localeCompare(b, 'en', { numeric: true });
};
const cell = (row, column) =>
    column ? row.cells[column].textContent : row.querySelector('code').textContent;

const sort = column => {
    const was = heads[column].getAttribute('aria-sort');
    const now = was === 'ascending' ? 'descending' : was ? null : 'ascending';
    for (const head of heads)
        head.removeAttribute('aria-sort');
    if (now) {
        const sign = now === 'ascending' ? 1 : -1;
        heads[column].setAttribute('aria-sort', now);
        sorted.append(...rows.slice().sort((a, b) => sign * order(cell(a, column), cell(b, column))));
        table.append(sorted);
    } else {
        for (const row of rows)
            home.get(row).append(row);
        sorted.remove();
    }
    for (const body of bodies)
        body.hidden = Boolean(now);
    page.say(now ? `Sorted by ${heads[column].textContent}, ${now}` : 'In the order of the book');
};

heads.forEach((head, column) => {
    const button = make('button', { type: 'button', onclick: () => sort(column) });
    button.append(...head.childNodes);
    head.append(button);
});
table.parentElement.before(make('p', { class: 'tools' },
    make('label', { for: 'filter' }, 'Filter'), ' ', input, ' ', said));

// A link to a row that is filtered out shows it.
addEventListener('hashchange', () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (row?.hidden) {
        input.value = '';
        filter();
        row.scrollIntoView({ block: 'center' });
    }
});
