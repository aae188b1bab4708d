// Common start of every page: language, theme, and addresses.
import { dayText, midnight } from './format.js';
import { PAGES } from './routes.js';
import { allStrings } from './strings.js';
import { titleWhatIsCut } from './view.js';

/** @typedef {import('./strings.js').Strings} Strings */

const query = new URLSearchParams(location.search);
const root = document.documentElement;

/** @type {Strings} */
export const strings = allStrings(window.strings);

/** @type {(id: string) => HTMLElement} */
export const byId = (id) => document.getElementById(id);

/**
 * The address of another page, with the language and theme of this one.
 * @type {(path: string) => string}
 */
export function pageAddress(path) {
  const settings = ['theme', 'lang'].filter((name) => query.get(name))
    .map((name) => name + '=' + encodeURIComponent(query.get(name)));
  return [path].concat(settings).join('&').replace(/^([^?&]*)&/, '$1?');
}

/**
 * The address of a page or stream, limited to the room in this page's address: `?gw=boathouse`.
 * @type {(path: string) => string}
 */
export function withRoom(path) {
  const gw = query.get('gw') || '';
  return /^[a-z0-9-]{1,32}$/.test(gw) ? path + (path.indexOf('?') < 0 ? '?gw=' : '&gw=') + gw : path;
}

/**
 * Whether a text is an athlete id: the form `athlete` of the contract.
 * @type {(id: any) => boolean}
 */
export function isAthleteId(id) {
  return /^[!#-+\-.0-:<-\[\]-~]{1,64}$/.test(id) && id !== '.' && id !== '..';
}

/** The query of an address that a sign-in may lead back to. */
const OWN_QUERY = /^[\w.~%=&/!*()'-]*$/;

/**
 * This page's address without language and theme.
 * @type {() => string}
 */
export function currentAddress() {
  const own = location.search.slice(1).split('&')
    .filter((one) => one && !/^(theme|lang)(=|$)/.test(one));
  return location.pathname + (own.length ? '?' + own.join('&') : '');
}

/**
 * The page that the user wanted before the sign-in; empty for none.
 * @type {() => string}
 */
export function requestedPage() {
  const next = query.get('next') || '';
  const [, path, search] = /^([^?]*)\??(.*)$/.exec(next) || ['', '', ''];
  const isOwn = Object.keys(PAGES).indexOf(path) >= 0 && path !== '/' && path !== '/sign-in';
  return isOwn && OWN_QUERY.test(search) ? next : '';
}

/**
 * Formats a day such as `2026-11-22`.
 * @type {(day: string, form: object) => string}
 */
export function dayWords(day, form) {
  return new Date(midnight(day)).toLocaleDateString(strings.lang === 'de' ? 'de-DE' : 'en-GB',
    Object.assign({ timeZone: 'UTC' }, form));
}

/**
 * `Saturday 21 November 2026`, in the club's time zone.
 * @type {(milliseconds: number) => string}
 */
export const dayOf = (milliseconds) => dayWords(dayText(milliseconds),
  { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/**
 * `22 Nov`, or `22 Nov 2026`, for a day such as `2026-11-22`.
 * @type {(day: string, hasYear?: boolean) => string}
 */
export const shortDay = (day, hasYear) => dayWords(day,
  Object.assign({ day: 'numeric', month: 'short' }, hasYear ? { year: 'numeric' } : {}));

/**
 * The same for a moment, in the club's time zone.
 * @type {(milliseconds: number, hasYear?: boolean) => string}
 */
export const shortDayOf = (milliseconds, hasYear) => shortDay(dayText(milliseconds), hasYear);

/**
 * A parameter of this page's address; empty if absent.
 * @type {(name: string) => string}
 */
export const queryParam = (name) => query.get(name) || '';

/** The club's name; empty if the configuration names none. */
export const club = root.getAttribute('data-club') || '';

/**
 * Sets the title of the page, with the club's name.
 * @type {(title: string) => void}
 */
export function titlePage(title) {
  document.title = title + ' \u00b7 ' + (club || 'rowgate');
}

/** @type {(title: string) => void} */
export function initPage(title) {
  addEventListener('pointerover', titleWhatIsCut);
  titlePage(title);
}
