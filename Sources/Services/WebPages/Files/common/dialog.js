// One modal dialog at a time: in the middle of the page, next to its button, or at the bottom of a phone.
// Escape closes it, Tab stays inside, and the focus returns afterwards.
import { focusAgain, make } from './view.js';

const FOCUSABLE = 'button:not([disabled]), input:not([disabled]), select, textarea, a[href]';

let present = null;

/**
 * Appends an element with a text.
 * @type {(tag: string, name: string, parent: Element, text?: string) => HTMLElement}
 */
export function add(tag, name, parent, text) {
  const element = make(tag, name, parent);
  if (text) element.textContent = text;
  return element;
}

/**
 * Appends a button with its action.
 * @type {(parent: Element, text: string, action: () => void, name?: string) => HTMLElement}
 */
export function button(parent, text, action, name = '') {
  const element = add('button', name, parent, text);
  element.type = 'button';
  element.addEventListener('click', action);
  return element;
}

/**
 * Appends a labelled input. Returns the input.
 * @type {(parent: Element, label: string, attributes: Object<string, string>, name?: string) => HTMLElement}
 */
export function field(parent, label, attributes, name = '') {
  const place = add('label', 'field ' + name, parent);
  add('span', '', place, label);
  const input = document.createElement('input');
  input.type = 'text';
  input.autocomplete = 'off';
  for (const key of Object.keys(attributes)) input.setAttribute(key, attributes[key]);
  place.appendChild(input);
  return input;
}

/**
 * Appends a labelled choice of `options`, pairs of a value and a text; without `value`, the first is chosen. Returns it.
 * @type {(parent: Element, label: string, options: string[][], value?: string) => HTMLSelectElement}
 */
export function selectField(parent, label, options, value) {
  const place = add('label', 'field', parent);
  add('span', '', place, label);
  const list = add('select', '', place);
  for (const [key, text] of options) add('option', '', list, text).value = key;
  if (value !== undefined) list.value = value;
  return list;
}

/**
 * Adds a switch for each of `entries`, pairs of a key and a text; those in `chosen` are on. Returns the inputs by key.
 * @type {(parent: Element, legend: string, entries: string[][], chosen: string[]) => Map<string, HTMLInputElement>}
 */
export function addSwitches(parent, legend, entries, chosen) {
  const place = add('fieldset', 'choice', parent);
  add('legend', '', place, legend);
  const list = add('div', 'switches', place);
  return new Map(entries.map(([key, text]) => {
    const label = add('label', 'switch', list);
    const input = add('input', '', label);
    input.type = 'checkbox';
    input.checked = chosen.indexOf(key) >= 0;
    add('span', '', label, text).dir = 'auto';
    return [key, input];
  }));
}

/**
 * The place of an error text, which screen readers announce at once.
 * @type {(parent: Element) => HTMLElement}
 */
export function addRefusal(parent) {
  const place = add('p', 'refusal', parent);
  place.setAttribute('role', 'alert');
  return place;
}

/**
 * Adds a form with an error text and buttons. `go` returns an error text; an empty one closes the dialog.
 * Returns the place of the fields.
 * @type {(body: Element, strings: Object, submit: string, close: () => void, go: () => Promise<string>,
 *   look?: string) => HTMLElement}
 */
export function addForm(body, strings, submit, close, go, look = 'main') {
  const form = add('form', '', body);
  const fields = add('div', 'asked', form);
  const refusal = addRefusal(form);
  const buttons = add('div', 'buttons', form);
  button(buttons, strings.cancel, close);
  const main = add('button', look, buttons, submit);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    main.disabled = true;
    const error = await go();
    main.disabled = false;
    refusal.textContent = error;
    if (!error) close();
  });
  return fields;
}

/**
 * The text of a file that the user has chosen; empty if it cannot be read.
 * @type {(file: File) => Promise<string>}
 */
export function fileText(file) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => resolve('');
    reader.readAsText(file);
  });
}

/**
 * Opens a dialog that `fill(body, close)` fills; next to `anchor` if given.
 * @type {(title: string, fill: (body: Element, close: () => void) => void, anchor?: ?Element) => Element}
 */
export function openDialog(title, fill, anchor = null) {
  closeDialog();
  const opener = document.activeElement;
  const veil = make('div', 'veil', document.body);
  const box = make('div', 'dialog', veil);
  box.setAttribute('role', 'dialog');
  box.setAttribute('aria-modal', 'true');
  box.setAttribute('aria-labelledby', 'dialog-title');
  const heading = add('h2', '', box, title);
  heading.id = 'dialog-title';
  heading.tabIndex = -1;
  const page = document.getElementById('page');
  page.setAttribute('aria-hidden', 'true');
  present = { veil, opener, page };
  veil.addEventListener('mousedown', (event) => { if (event.target === veil) closeDialog(); });
  veil.addEventListener('keydown', (event) => handleKey(event, box));
  fill(box, closeDialog);
  if (anchor) placeNextTo(box, veil, anchor);
  (box.querySelector('[data-first]') || box.querySelector(FOCUSABLE) || heading).focus();
  return box;
}

/** @type {() => void} */
export function closeDialog() {
  if (!present) return;
  const { veil, opener, page } = present;
  present = null;
  veil.remove();
  page.removeAttribute('aria-hidden');
  if (document.contains(opener)) opener.focus();
  else if (opener) focusAgain(opener.dataset.focus);
}

function handleKey(event, box) {
  if (event.key === 'Escape') {
    event.preventDefault();
    closeDialog();
  }
  if (event.key !== 'Tab') return;
  const all = Array.from(box.querySelectorAll(FOCUSABLE)).filter((one) => one.offsetParent !== null);
  const edge = event.shiftKey ? all[0] : all[all.length - 1];
  if (all.length && (document.activeElement === edge || !box.contains(document.activeElement))) {
    event.preventDefault();
    (event.shiftKey ? all[all.length - 1] : all[0]).focus();
  }
}

/** Below the button, or above it if there is no room; a phone keeps it at the bottom. */
function placeNextTo(box, veil, anchor) {
  if (innerWidth < 700) return;
  const place = anchor.getBoundingClientRect();
  veil.classList.add('anchored');
  const height = box.offsetHeight;
  const top = place.bottom + 6 + height < innerHeight ? place.bottom + 6 : place.top - height - 6;
  box.style.top = Math.max(8, top) + 'px';
  box.style.left = Math.max(8, Math.min(place.right, innerWidth - 8) - box.offsetWidth) + 'px';
}
