// DOM helpers. Nodes are created once; texts are written only when they change.

/** @typedef {Map<string, { element: Element }>} Views */

/**
 * Focuses the element that replaced one with this `data-focus`; does nothing for an empty key.
 * @type {(key?: string) => void}
 */
export function focusAgain(key) {
  const found = key && document.querySelector('[data-focus="' + key + '"]');
  if (found) found.focus();
}

/**
 * Appends an element with a class.
 * @type {(tag: string, name: string, parent: Element) => HTMLElement}
 */
export function make(tag, name, parent) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  parent.appendChild(element);
  return element;
}

/** A text that is written only when it changes; its element is hidden while it is empty. A page may contain a text. */
export class Text {
  constructor(element) {
    this.element = element;
    const first = element.firstChild;
    this.node = first && first.nodeType === Node.TEXT_NODE ? first : document.createTextNode('');
    element.appendChild(this.node);
    element.hidden = this.node.data === '';
  }

  put(text) {
    if (this.node.data === text) return false;
    this.node.data = text;
    this.element.hidden = text === '';
    return true;
  }
}

/** An attribute that is written only when it changes. */
export class Attribute {
  constructor(element, name) {
    this.element = element;
    this.name = name;
    this.value = '';
  }

  put(value) {
    if (this.value === value) return;
    this.value = value;
    if (value === '') this.element.removeAttribute(this.name);
    else this.element.setAttribute(this.name, value);
  }
}

/**
 * Sets the full text as title of an element that is cut by an ellipsis.
 * @type {(event: Event) => void}
 */
export function titleWhatIsCut(event) {
  const { target } = event;
  if (!target.closest) return;
  for (let one = target; one && one !== document.body; one = one.parentElement) {
    if (getComputedStyle(one).textOverflow !== 'ellipsis') continue;
    // Shortened names have their own title.
    if (one.title && !one.isTitled) return;
    one.title = one.scrollWidth > one.clientWidth ? one.textContent : '';
    one.isTitled = true;
    return;
  }
}

/**
 * Animates elements to the places where `change()` puts them; without `moves`, they jump.
 * @type {(list: Element, views: Views, moves: boolean, change: () => void) => void}
 */
export function slide(list, views, moves, change) {
  const from = new Map();
  if (moves) for (const [key, view] of views) from.set(key, view.element.getBoundingClientRect());
  change();
  for (const [key, place] of from) {
    const { element } = views.get(key) || {};
    if (!element || !element.animate) continue;
    const to = element.getBoundingClientRect();
    const [x, y] = [place.left - to.left, place.top - to.top];
    if (!x && !y) continue;
    element.animate([{ transform: 'translate(' + x + 'px, ' + y + 'px)' }, { transform: 'none' }],
      { duration: 300, easing: 'ease-out' });
  }
}

/**
 * Makes `list` contain the elements of `views` in the order of `keys`; creates and removes elements as
 * needed.
 * @type {(list: Element, views: Views, keys: string[], newView: (key: string) => { element: Element }) => void}
 */
export function arrange(list, views, keys, newView) {
  for (const key of Array.from(views.keys())) {
    if (keys.indexOf(key) < 0) {
      views.get(key).element.remove();
      views.delete(key);
    }
  }
  keys.forEach((key, index) => {
    if (!views.has(key)) views.set(key, newView(key));
    const element = views.get(key).element;
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] || null);
  });
}

/**
 * Fills a table with a caption and column headers. Returns its body.
 * @type {(table: Element, caption: string, columns: string[], isSpoken?: boolean) => HTMLElement}
 */
export function tableBody(table, caption, columns, isSpoken = true) {
  make('caption', isSpoken ? 'spoken' : '', table).textContent = caption;
  const head = make('tr', '', make('thead', '', table));
  for (const text of columns) {
    const cell = make('th', '', head);
    cell.scope = 'col';
    cell.textContent = text;
  }
  return make('tbody', '', table);
}

/**
 * Lets `button` show and hide the element that `make` creates, placed behind `after` if given.
 * @type {(button: Element, make: () => Element, after?: Element) => void}
 */
export function addDisclosure(button, make, after) {
  let shown = null;
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    if (shown) shown.remove();
    shown = shown ? null : make();
    if (shown && after) after.after(shown);
    button.setAttribute('aria-expanded', shown ? 'true' : 'false');
  });
}
