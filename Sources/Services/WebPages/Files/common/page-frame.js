// The header of pages other than the wall: navigation, user name and sign-out.
import { get, post } from './api-client.js';
import { loadAthletes, nameOf } from './names.js';
import { byId, currentAddress, pageAddress, strings, withRoom } from './page.js';
import { isAtLeast, MENU } from './routes.js';
import { make } from './view.js';

/**
 * Fills the header of the page at `path`. `onGuest(name, guest)` gets the token's name, or ''. Returns a
 * promise of `{ name, role, athlete_id }`, without a role if not signed in.
 * @type {(path: string, onGuest?: (name: string, guest: object) => void) => Promise<object>}
 */
export function makeHeader(path, onGuest = () => {}) {
  const links = [];
  const isOfRoom = MENU.some((entry) => entry.path === path && entry.isOfRoom);
  for (const entry of MENU) {
    const link = make('a', '', byId('nav'));
    link.href = pageAddress(isOfRoom && entry.isOfRoom ? withRoom(entry.path) : entry.path);
    link.textContent = strings[entry.title];
    links.push([entry, link]);
    if (entry.path !== path) continue;
    link.setAttribute('aria-current', location.pathname === path ? 'page' : 'true');
  }
  const [me, out, settings] = [byId('me'), byId('out'), byId('settings')];
  settings.title = strings.settings.title;
  settings.setAttribute('aria-label', settings.title);
  settings.addEventListener('click', () => import('./settings.js').then(({ openSettings }) => openSettings()));
  out.textContent = strings.signOut;
  out.addEventListener('click', async () => {
    await post('/api/v1/sign-out', {});
    location.replace(pageAddress('/sign-in'));
  });
  // Focus outlines are only shown to keyboard users.
  const root = document.documentElement;
  addEventListener('keydown', () => root.setAttribute('data-keys', ''));
  addEventListener('pointerdown', () => root.removeAttribute('data-keys'));
  return get('/api/v1/me').then(({ status, content }) => {
    const guest = status === 200 && content ? content : {};
    const name = guest.name || '';
    const link = make('a', '', me);
    link.href = pageAddress('/users');
    link.textContent = name;
    link.title = strings.ownDevices;
    me.hidden = out.hidden = !name;
    if (guest.role === 'athlete') showForAthlete(links, guest.athlete_id);
    if (guest.role === 'room') keepMenuOf(links, 'room');
    onGuest(name, guest);
    return guest;
  });
}

/** Removes the pages that a role may not see. */
function keepMenuOf(links, own) {
  for (const [{ role }, link] of links) if (!isAtLeast(own, role)) link.remove();
}

/** Removes pages that athletes may not see; their own page replaces the list of athletes. */
function showForAthlete(links, id) {
  keepMenuOf(links, 'athlete');
  for (const [{ path }, link] of links) {
    if (path === '/athletes') {
      link.href = pageAddress(athletePage(id));
      link.textContent = id;
      loadAthletes().then(() => { link.textContent = nameOf(id); });
    }
  }
}

/**
 * The first page of an athlete.
 * @type {(id: string) => string}
 */
export function athletePage(id) {
  return '/athlete?id=' + encodeURIComponent(id);
}

/**
 * The page after the sign-in.
 * @type {(user: { role: string, athlete_id?: string }) => string}
 */
export function firstPage({ role, athlete_id }) {
  if (isAtLeast(role, 'coach')) return '/coach';
  if (role === 'room') return '/check-in';
  return role === 'athlete' ? athletePage(athlete_id) : '/wall';
}

// ---- Loading, empty and error states of a page. A page is never blank.

/**
 * The reason why an answer has no content: a key of `strings.pageStatus`.
 * @type {(answer: import('./api-client.js').Answer) => string}
 */
export function statusOf({ status, content }) {
  if (status === 401) return 'refused';
  if (status === 403) return 'notAllowed';
  if (status === 404) return content.code === 'no_store' ? 'noStore' : 'unknown';
  return status === 0 || status >= 500 ? 'away' : 'odd';
}

/** Shows a status with its hint and links; `reload` repeats the request. */
export class PageStatus {
  constructor(reload, messages = strings.pageStatus) {
    this.reload = reload;
    this.messages = messages;
    this.timer = null;
    this.button = byId('retry');
    this.button.addEventListener('click', () => this.retry());
    byId('sign-in-link').textContent = strings.signIn;
    byId('sign-in-link').href = pageAddress('/sign-in?next=' + encodeURIComponent(currentAddress()));
    const retryNow = () => { if (this.timer !== null && !document.hidden) this.retry(); };
    addEventListener('online', retryNow);
    document.addEventListener('visibilitychange', retryNow);
  }

  /** `name` is a key of the messages; empty hides the status. */
  show(name, detail = '') {
    clearTimeout(this.timer);
    this.timer = null;
    const [title, why] = name ? this.messages[name] : ['', ''];
    byId('page-status').hidden = !name;
    byId('empty').textContent = title;
    byId('why').textContent = detail || why;
    byId('sign-in-link').hidden = name !== 'refused' && name !== 'notAllowed';
    this.button.hidden = name !== 'away' && name !== 'odd' && name !== 'noneSuch';
    this.button.textContent = name === 'noneSuch' ? strings.showAll : strings.tryAgain;
    // The random delay spreads the requests of many pages after an outage.
    if (name === 'away' || name === 'computing') this.timer = setTimeout(() => this.retry(), 2000 + Math.random() * 5000);
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.reload();
  }
}
