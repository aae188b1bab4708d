// The strings of a page in its language, and values in them.
import { sentence } from './format.js';

/**
 * The strings of one language, by key; `{}` stands for a value. A list has forms of one text: the singular and the
 * plural; a title and its hint; an alert without and with its value, then above its limit; a problem without and
 * with its value, then the remedy; below and above a target. Some lists have an empty place.
 * @typedef {Object<string, any>} Strings
 */

/** Strings that are the same in all languages. */
const common = {
  range: '{}–{}', firstLast: '{} → {}', offBy: '{} {}', similarityShort: '{}\u202f%',
  machines: { rower: 'RowErg', ski: 'SkiErg', bike: 'BikeErg' },
  formats: { fit: 'FIT', tcx: 'TCX', csv: 'CSV', jsonl: 'JSON Lines', concept2: 'Concept2' },
  version: 'rowgate {}', summary: '{}, {}', changed: '{}: {}',
};

/**
 * Returns all strings of a language. A page gets those of its own language in `window.strings`, from the script
 * `strings/en.js`.
 * @type {(ofLanguage: Strings) => Strings}
 */
export const allStrings = (ofLanguage) => Object.assign({}, common, ofLanguage);

/**
 * The shared strings together with those of one page: `gatewaysPage`, `plansPage`.
 * @type {(shared: Strings, page: string) => Strings}
 */
export function stringsOfPage(shared, page) {
  const own = shared[page];
  const pageStatus = Object.assign({}, shared.pageStatus, own.pageStatus);
  return Object.assign({}, shared, own, { pageStatus });
}

/**
 * Returns an English `text` of the gateway or the logbook; nothing on pages in other languages.
 * @type {(text: string, strings: Strings) => string}
 */
export const englishOnly = (text, strings) => (strings.lang === 'en' ? text : '');

/**
 * Why a monitor is `parked`. An earlier version of gateways sends no code, only the text.
 * @type {(state: object, strings: Strings) => string}
 */
export function parkedReason({ reason, reason_code: code }, strings) {
  const known = strings.parkedReasons[code];
  return typeof known === 'string' ? known : englishOnly(sentence(reason, 120), strings);
}

/**
 * Returns `text` with each `{}` replaced by the next of `values`.
 * @type {(text: string, ...values: any[]) => string}
 */
export function interpolate(text, ...values) {
  let index = 0;
  return text.replace(/\{\}/g, () => values[index++]);
}

/**
 * Returns the singular, or the plural with the count: `['one session', '{} sessions']`.
 * @type {(forms: [string, string], count: number) => string}
 */
export function pluralize([one, many], count) {
  return count === 1 ? one : interpolate(many, count);
}
