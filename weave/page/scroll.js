// A box whose content is wider than itself can be reached and scrolled by keyboard, and
// has a name then; one that is not stays out of the way.

const label = box => {
    const chunk = box.closest('.chunk'), figure = box.closest('figure');
    if (chunk)
        return 'Code of ' + chunk.querySelector('.head > a').textContent;
    if (figure)
        return figure.querySelector('figcaption').textContent.split('.')[0];
    if (box.querySelector('table'))
        return 'Table';
    if (box.querySelector('math'))
        return 'Formula ' + (box.parentElement.querySelector('.eqno')?.textContent || '');
    return box.closest('.output')?.firstElementChild.textContent.trim() || 'Text as typed';
};

const check = within => {
    const boxes = within.querySelectorAll('pre, .scroll, .formula, .picture');
    const wide = Array.from(boxes, box => box.scrollWidth > box.clientWidth);
    boxes.forEach((box, i) => {
        if (wide[i] === box.hasAttribute('tabindex'))
            return;
        for (const [name, value] of [['tabindex', 0], ['role', 'group'], ['aria-label', label(box)]])
            if (wide[i])
                box.setAttribute(name, value);
            else
                box.removeAttribute(name);
    });
};

let timer;
const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => check(document), 300);
};
addEventListener('resize', later);
document.addEventListener('toggle', event => check(event.target), true);
document.addEventListener('click', later);
later();
