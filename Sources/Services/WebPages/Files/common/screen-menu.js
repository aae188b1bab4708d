// The menu of the wall and the race: hidden until somebody moves the pointer, touches the screen or presses a key.

/** The menu goes this long after the last use: milliseconds. */
const GOES_AFTER = 5000;
/** With the focus in the menu, so that a person who reads it slowly can use it. */
const FOCUSED_GOES_AFTER = 30000;

/**
 * Shows the menu of the page at `path` when the page is used. Its parts are loaded with the first use.
 * @type {(path: string) => void}
 */
export function showMenuOnUse(path) {
  const root = document.documentElement;
  let menu = null;
  let timer = null;
  /** Where the pointer was; browsers also send events for a pointer that rests on changing content. */
  let last = '';
  const hide = (element) => {
    if (element.contains(document.activeElement)) document.activeElement.blur();
    element.hidden = true;
    root.removeAttribute('data-menu');
  };
  const use = () => {
    if (!menu) menu = import('./screen-menu-view.js').then(({ makeMenu }) => makeMenu(path));
    menu.then((element) => {
      element.hidden = false;
      root.setAttribute('data-menu', '');
      clearTimeout(timer);
      const isFocused = element.contains(document.activeElement);
      timer = setTimeout(() => hide(element), isFocused ? FOCUSED_GOES_AFTER : GOES_AFTER);
    });
  };
  addEventListener('pointermove', (event) => {
    const place = event.screenX + ' ' + event.screenY;
    const hasMoved = last !== '' && place !== last;
    last = place;
    if (hasMoved) use();
  });
  for (const kind of ['pointerdown', 'keydown', 'focusin']) addEventListener(kind, use);
}
