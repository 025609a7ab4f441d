// At the end of the page while `make watch` serves it, behind `const built`, what the
// build said: {page, problems, changes}. Loads the page again when there is a new one, and
// puts the reader back where he was; marks the numbers that moved; shows what stopped a
// build over the page.
(() => {
  'use strict';
  const memory = 'watch ' + location.pathname;

  // ---- where the reader is ----

  // A fold by its id, or by its place below the nearest id.
  function folds() {
    const named = new Map();
    for (const fold of document.querySelectorAll('details')) {
      const near = fold.closest('[id]');
      const name = near ? near.id : '';
      let n = 0;
      while (named.has(name + ' ' + n)) n++;
      named.set(name + ' ' + n, fold);
    }
    return named;
  }

  // Whoever loads the page again himself is put back by the browser.
  const letBrowser = () => { history.scrollRestoration = 'auto'; };
  addEventListener('pagehide', letBrowser);

  function leave() {
    let at = null;
    for (const element of document.querySelectorAll('[id]')) {
      if (!element.offsetParent) continue; // not shown, or within a drawing
      const top = element.getBoundingClientRect().top;
      if (top <= 1 && (!at || top >= at.top)) at = { id: element.id, top };
    }
    const open = [...folds()].map(([name, fold]) => [name, fold.open]);
    sessionStorage.setItem(memory, JSON.stringify({ at, open, x: scrollX, y: scrollY }));
    history.scrollRestoration = 'manual';
    removeEventListener('pagehide', letBrowser);
    location.reload();
  }

  function comeBack() {
    const was = JSON.parse(sessionStorage.getItem(memory) || 'null');
    sessionStorage.removeItem(memory);
    if (!was) return;
    const now = folds();
    for (const [name, open] of was.open) if (now.has(name)) now.get(name).open = open;
    const element = was.at && document.getElementById(was.at.id);
    const scroll = () => scrollTo({ left: was.x, behavior: 'instant',
      top: element ? scrollY + element.getBoundingClientRect().top - was.at.top : was.y });
    scroll();
    addEventListener('load', scroll); // the address may name another place
  }

  // ---- what the build said ----

  const style = document.createElement('style');
  style.textContent = `
    .moved { outline: 2px solid #d97706; outline-offset: 2px; border-radius: 2px; }
    #stopped { position: fixed; inset: auto 0 0 0; max-height: 50vh; overflow: auto; margin: 0;
      padding: 12px 16px; z-index: 1000; background: #7f1d1d; color: #fff;
      font: 14px/1.45 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }`;
  document.head.append(style);

  // The row of a key in the report, as weave/ledger.lua names it.
  const row = (key) => 'r-' + key.replace(/[^\w.-]/g, (c) =>
    ':' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'));

  function mark(changes) {
    for (const { key, old } of changes) {
      const id = CSS.escape(row(key));
      for (const place of document.querySelectorAll(`a[href="#${id}"], #${id}`)) {
        place.classList.add('moved');
        place.title = old === null ? 'new' : `was ${old}`;
      }
    }
  }

  function show(problems) {
    let box = document.getElementById('stopped');
    if (!problems) return box && box.remove();
    if (!box) {
      box = document.createElement('pre');
      box.id = 'stopped';
      box.setAttribute('role', 'alert');
      document.body.append(box);
    }
    box.textContent = problems;
  }

  comeBack();
  mark(built.changes);
  show(built.problems);
  new EventSource('/live').onmessage = (message) => {
    const now = JSON.parse(message.data);
    if (now.page !== built.page) leave();
    else show(now.problems);
  };
})();
