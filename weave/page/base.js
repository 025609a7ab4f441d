// What the page's scripts share. The page is complete without scripts; each of them
// only adds, stands in a function of its own and runs once the text is there.
//
//   page.root                                 the html element, data-theme and all
//   page.make(tag, attributes, ...children)   an element; children are nodes or text,
//                                             attributes named on... are listeners
//   page.store.get(name), .set(name, value)   what the reader chose, as strings; where
//                                             nothing can be kept, nothing is
//   page.say(text)                            tells a screen reader, politely

const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        if (name.startsWith('on'))
            element.addEventListener(name.slice(2), value);
        else
            element.setAttribute(name, value);
    element.append(...children);
    return element;
};

// A page from disk may be refused storage, by an exception.
const store = {
    get(name) {
        try { return localStorage.getItem('book.' + name); } catch { return null; }
    },
    set(name, value) {
        try { localStorage.setItem('book.' + name, value); } catch { /* not kept */ }
    },
};

const said = make('div', { role: 'status', class: 'unseen' });
document.body.append(said);

window.page = { root: document.documentElement, make, store, say: text => { said.textContent = text; } };
