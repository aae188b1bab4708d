// What every page begins with: its language and its light, as its address or the device wishes.
import { dayText, midnight } from './clubtime.js';
import { titleWhatIsCut } from './view.js';
import { words as wordsOf } from './words.js';

const wishes = new URLSearchParams(location.search);
const root = document.documentElement;

export const words = wordsOf(
  [wishes.get('lang')].concat(navigator.languages || []).filter(Boolean));

export const find = (id) => document.getElementById(id);

/** The address of another page, with what this one was wished to be. */
export function address(path) {
  const kept = ['theme', 'lang'].filter((name) => wishes.get(name))
    .map((name) => name + '=' + encodeURIComponent(wishes.get(name)));
  return [path].concat(kept).join('&').replace(/^([^?&]*)&/, '$1?');
}

/** A page or a stream of the room that this page's address asks for, `?gw=boathouse`, or of all. */
export function ofRoom(path) {
  const gw = wishes.get('gw') || '';
  return /^[a-z0-9-]{1,32}$/.test(gw) ? path + '?gw=' + gw : path;
}

/** Whether a text is an athlete id: the form `athlete` of the contract. */
export function isAthlete(id) {
  return /^[!#-+\-.0-:<-\[\]-~]{1,64}$/.test(id) && id !== '.' && id !== '..';
}

/** The pages that a sign-in leads back to, with what may follow in their address; nothing else. */
const OURS = new RegExp('^/(wall|coach|race|sessions|session|gateways|plans|athletes|athlete)'
  + '(\\?[\\w.~%=&/!*()\x27-]*)?$');

/** This page's address, without language and light. */
export function here() {
  const own = location.search.slice(1).split('&')
    .filter((one) => one && !/^(theme|lang)(=|$)/.test(one));
  return location.pathname + (own.length ? '?' + own.join('&') : '');
}

/** Where somebody wanted to go before they had to sign in; empty for nowhere. */
export function wanted() {
  const next = wishes.get('next') || '';
  return OURS.test(next) ? next : '';
}

/** Of a day that is written as `2026-11-22`. */
function dayWords(day, form) {
  return new Date(midnight(day)).toLocaleDateString(words.lang === 'de' ? 'de-DE' : 'en-GB',
    Object.assign({ timeZone: 'UTC' }, form));
}

/** `Saturday 21 November 2026` of a moment: the club's day. */
export const dayOf = (milliseconds) => dayWords(dayText(milliseconds),
  { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** `22 Nov`, or `22 Nov 2026` of a day that is written as `2026-11-22`. */
export const shortDay = (day, hasYear) => dayWords(day,
  Object.assign({ day: 'numeric', month: 'short' }, hasYear ? { year: 'numeric' } : {}));

/** The same of a moment: the club's day. */
export const shortDayOf = (milliseconds, hasYear) => shortDay(dayText(milliseconds), hasYear);

/** What stands in the address beside language and light. */
export const wish = (name) => wishes.get(name) || '';

export function dress(title) {
  root.lang = words.lang;
  addEventListener('pointerover', titleWhatIsCut);
  document.title = title + ' \u00b7 rowgate';
  const theme = wishes.get('theme');
  if (theme === 'light' || theme === 'dark') {
    find('light').media = theme === 'light' ? 'all' : 'print';
  }
}
