// Formulas are copied as the TeX that they were written in.

document.addEventListener('copy', event => {
    const selection = getSelection();
    if (selection.isCollapsed)
        return;
    const range = selection.getRangeAt(0).cloneRange();
    const formula = node => (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest('math');
    const [first, last] = [formula(range.startContainer), formula(range.endContainer)];
    if (first)
        range.setStartBefore(first);
    if (last)
        range.setEndAfter(last);
    const box = page.make('div', { class: 'unseen' }, range.cloneContents());
    for (const math of box.querySelectorAll('math')) {
        const tex = math.querySelector('annotation').textContent.trim()
            .replace(/\\lparen ?/g, '(').replace(/\\rparen ?/g, ')')
            .replace(/\\lbrack ?/g, '[').replace(/\\rbrack ?/g, ']');
        math.replaceWith(math.getAttribute('display') === 'block' ? `$$${tex}$$` : `$${tex}$`);
    }
    if (!range.cloneContents().querySelector('math'))
        return;
    document.body.append(box);
    event.clipboardData.setData('text/plain', box.innerText);
    event.preventDefault();
    box.remove();
});
