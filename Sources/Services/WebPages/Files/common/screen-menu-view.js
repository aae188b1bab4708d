// The elements of the menu of the wall and the race: pages, sign-in, and settings, and full screen.
import { currentAddress, pageAddress, strings } from './page.js';
import { makeHeader } from './page-frame.js';
import { make } from './view.js';

/**
 * Adds the menu of the page at `path`.
 * @type {(path: string) => HTMLElement}
 */
export function makeMenu(path) {
  const menu = make('nav', '', document.body);
  menu.id = 'menu';
  make('div', '', menu).id = 'nav';
  const more = make('p', '', menu);
  more.id = 'more';
  addFullScreen(more);
  const settings = make('button', '', more);
  settings.id = 'settings';
  settings.type = 'button';
  settings.textContent = strings.settings.title;
  const signIn = make('a', '', more);
  signIn.textContent = strings.signIn;
  signIn.href = pageAddress('/sign-in?next=' + encodeURIComponent(currentAddress()));
  signIn.hidden = true;
  const me = make('span', '', more);
  const out = make('button', '', more);
  me.id = 'me';
  out.id = 'out';
  out.type = 'button';
  me.hidden = out.hidden = true;
  makeHeader(path, (name) => { signIn.hidden = name !== ''; });
  return menu;
}

/** Adds the button for full screen, if the browser can show it. */
function addFullScreen(parent) {
  const root = document.documentElement;
  const enter = root.requestFullscreen || root.webkitRequestFullscreen;
  if (!enter) return;
  const leave = document.exitFullscreen || document.webkitExitFullscreen;
  const isFull = () => (document.fullscreenElement || document.webkitFullscreenElement || null) !== null;
  const button = make('button', '', parent);
  button.type = 'button';
  const name = () => { button.textContent = isFull() ? strings.leaveFullScreen : strings.fullScreen; };
  name();
  button.addEventListener('click', () => {
    if (isFull()) leave.call(document);
    else enter.call(root);
  });
  for (const kind of ['fullscreenchange', 'webkitfullscreenchange']) document.addEventListener(kind, name);
}
