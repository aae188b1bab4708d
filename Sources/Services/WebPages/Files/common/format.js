// How values and names are written. Needs no DOM, clock or message.

/** @typedef {import('./strings.js').Strings} Strings */
/** @typedef {'rower'|'ski'|'bike'} Machine */

/** Shown for an unknown value. */
export const DASH = '\u2013';

/** Narrow no-break space between a number and its unit. */
const NARROW = '\u202f';

const isKnown = (value) => typeof value === 'number' && isFinite(value) && value >= 0;

const two = (number) => (number < 10 ? '0' : '') + number;

/** Tolerance for decimal fractions in binary. */
const MARGIN = 1e-6;

/**
 * `1:52.4`: the time of a result or split with tenths and the decimal `mark`; `1:02:52.4` from an hour on.
 * Rounded as in the monitor's log: times to the nearest tenth, paces down to a tenth, metres down.
 * `DisplayRounding.swift` has the same rules.
 * @type {(seconds: number, mark: string) => string}
 */
export function tenths(seconds, mark) {
  return isKnown(seconds) ? tenthsText(Math.round(seconds * 10 + MARGIN), mark) : DASH;
}

/**
 * A pace, given for 500 m. A BikeErg's is shown for 1000 m, as on its monitor. An hour or more per 500 m
 * counts as unknown.
 * @type {(seconds: number, mark: string, machine?: Machine) => string}
 */
export function pace(seconds, mark, machine) {
  return isKnown(seconds) && seconds > 0 && seconds < 3600
    ? tenthsText(floorTenths(seconds * paceFactor(machine)), mark) : DASH;
}

const floorTenths = (seconds) => Math.floor(seconds * 10 + MARGIN);

/**
 * The multiple of 500 m that a pace is shown for.
 * @type {(machine?: Machine) => number}
 */
export const paceFactor = (machine) => (machine === 'bike' ? 2 : 1);

/**
 * The unit of a pace, from `strings.units`.
 * @type {(machine: Machine, units: Object<string, string>) => string}
 */
export const paceUnit = (machine, units) => (machine === 'bike' ? units.bikePace : units.pace);

/**
 * The `label` of paces, with their unit if it is that of a BikeErg.
 * @type {(machine: Machine, label: string, units: Object<string, string>) => string}
 */
export const paceLabel = (machine, label, units) =>
  (machine === 'bike' ? label + ' ' + units.bikePace : label);

/**
 * `rower`, `ski` or `bike` for a `machine_type`; a rower if unknown.
 * @type {(type?: string) => Machine}
 */
export const machineOf = (type) => (/ski|bike/.exec(type || '') || ['rower'])[0];

function tenthsText(all, mark) {
  return clockText(Math.floor(all / 10)) + mark + (all % 10);
}

/** `0:38` or `1:02:38` for whole seconds. */
function clockText(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? hours + ':' + two(minutes) + ':' + rest : minutes + ':' + rest;
}

/**
 * Elapsed time in whole seconds.
 * @type {(seconds: number) => string}
 */
export function elapsed(seconds) {
  return isKnown(seconds) ? clockText(Math.floor(seconds + 1e-6)) : DASH;
}

/**
 * Remaining time, rounded up: 0:00 means that nothing is left.
 * @type {(seconds: number) => string}
 */
export function remaining(seconds) {
  return isKnown(seconds) ? clockText(Math.ceil(seconds - 1e-6)) : DASH;
}

/**
 * Watts or strokes per minute. Monitors report 0 before the first full stroke, which means unknown.
 * @type {(value: number) => string}
 */
export function positiveWhole(value) {
  return value > 0 ? whole(value) : DASH;
}

/**
 * A rounded number.
 * @type {(value: number) => string}
 */
export function whole(value) {
  return isKnown(value) ? String(Math.round(value)) : DASH;
}

/**
 * A number with `places` decimals; zero has no sign.
 * @type {(value: number, places: number, mark: string) => string}
 */
export function decimal(value, places, mark) {
  return value.toFixed(places).replace(/^-(?=[0.]*$)/, '').replace('.', mark);
}

/**
 * `value` minus `other`, computed from the rounded values that are shown, so that the difference always
 * matches them.
 * @type {(value: number, other: number, places: number) => number}
 */
export function shownDifference(value, other, places) {
  const unit = Math.pow(10, places);
  const shown = (number) => Math.round(Math.round(number * 1e6) / 1e6 * unit);
  return (shown(value) - shown(other)) / unit || 0;
}

/**
 * Whole metres, rounded down; grouped in threes from 10 000 on.
 * @type {(value: number) => string}
 */
export function metres(value) {
  const text = isKnown(value) ? String(Math.floor(value + MARGIN)) : DASH;
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, NARROW);
}

/**
 * `30 min`, or `5:30` if not whole minutes.
 * @type {(seconds: number) => string}
 */
export function duration(seconds) {
  return seconds >= 60 && seconds % 60 === 0
    ? seconds / 60 + NARROW + 'min' : clockText(Math.round(seconds));
}

/**
 * How long ago: `12 s`, `3 min`, `2 h`, `4 d`, with the letters of `units`.
 * @type {(seconds: number, units: Object<string, string>) => string}
 */
export function age(seconds, units) {
  const passed = Math.max(0, Math.floor(seconds));
  if (passed < 60) return passed + NARROW + units.s;
  if (passed < 3600) return Math.floor(passed / 60) + NARROW + units.min;
  if (passed < 86400) return Math.floor(passed / 3600) + NARROW + units.h;
  return Math.floor(passed / 86400) + NARROW + units.d;
}

/**
 * A number and its unit without a line break between them.
 * @type {(text: string|number, unit: string) => string}
 */
export function withUnit(text, unit) {
  return text + NARROW + unit;
}

/**
 * Foreign text on one line, at most `limit` characters.
 * @type {(text: any, limit: number) => string}
 */
export function line(text, limit) {
  if (typeof text !== 'string') return '';
  const letters = Array.from(text.replace(/\s+/g, ' ').trim());
  if (letters.length <= limit) return letters.join('');
  // Cut at a word; a text without a space is cut anywhere.
  const end = letters.lastIndexOf(' ', limit - 1);
  return end > 0 ? letters.slice(0, end).join('') + '\u2026' : letters.slice(0, limit).join('');
}

/**
 * A foreign sentence on one line; longer ones are cut at a word.
 * @type {(text: any, limit: number) => string}
 */
export function sentence(text, limit) {
  const whole = line(text, limit + 1);
  const letters = Array.from(whole);
  return letters.length <= limit ? whole
    : letters.slice(0, limit - 1).join('').replace(/\s+\S*$/, '') + '\u2026';
}

/**
 * Given name and initial, for places where the full name does not fit.
 * @type {(name: string) => string}
 */
export function shortName(name) {
  const words = name.split(' ');
  if (words.length < 2) return name;
  const initial = Array.from(words[words.length - 1].normalize('NFC'))[0];
  return words[0] + ' ' + initial + '.';
}

/**
 * `7` for `erg-7`; other slugs are names.
 * @type {(slug: string) => string}
 */
export function place(slug) {
  const number = /^(?:erg-?)?0*(\d+)$/.exec(slug);
  return number ? number[1] : line(slug.replace(/-+/g, ' '), 32);
}

/**
 * The name of an erg: `Erg 7` by the `template` `Erg {}`, or the slug as a name.
 * @type {(slug: string, template: string) => string}
 */
export function ergName(slug, template) {
  const name = place(slug);
  return /^\d+$/.test(name) ? template.replace('{}', name) : name;
}

/**
 * The ranked events in the order of the table.
 * @type {string[]}
 */
export const EVENTS = ['100m', '500m', '1000m', '2000m', '5000m', '6000m', '10000m', '21097m',
  '42195m', '1min', '4min', '30min', '60min'];

/**
 * `2000 m`, `30 min`.
 * @type {(event: string) => string}
 */
export function eventName(event) {
  const [, number, unit] = /^(\d+)([a-z]+)$/.exec(line(event, 16)) || ['', '', ''];
  return number ? withUnit(unit === 'm' ? metres(Number(number)) : number, unit) : '';
}

/**
 * A result: the time for a distance, or the metres in a time.
 * @type {(best: object, figure: object, strings: Strings) => string}
 */
export function resultOf(best, figure, strings) {
  return best.event_time_s ? withUnit(metres(figure.distance_m), 'm')
    : tenths(figure.time_s, strings.decimal);
}

// ---- Days and times in the club's time zone, wherever the browser is.

/** The club's time zone: an IANA name that the logbook puts into the page. */
const zone = document.documentElement.dataset.zone || 'UTC';

/** A browser that does not know the zone falls back to its own. */
function formatter(form) {
  try {
    return new Intl.DateTimeFormat('en-GB', Object.assign({ timeZone: zone }, form));
  } catch (error) {
    return new Intl.DateTimeFormat('en-GB', form);
  }
}

const times = formatter({ hour: '2-digit', minute: '2-digit', hour12: false });
const days = formatter({ year: 'numeric', month: '2-digit', day: '2-digit' });

/**
 * `18:42` for a moment in Unix milliseconds.
 * @type {(milliseconds: number) => string}
 */
export const timeOfDay = (milliseconds) => times.format(milliseconds).replace(/^24/, '00');

/**
 * `2026-11-22` for a moment in Unix milliseconds.
 * @type {(milliseconds: number) => string}
 */
export const dayText = (milliseconds) => days.format(milliseconds).split('/').reverse().join('-');

/**
 * The Monday of a day's week; both in milliseconds as `midnight` returns them.
 * @type {(milliseconds: number) => number}
 */
export function mondayOf(milliseconds) {
  return milliseconds - (new Date(milliseconds).getUTCDay() + 6) % 7 * 86400000;
}

/**
 * Midnight in UTC of a day such as `2026-11-22`: pages count days this way.
 * @type {(day: string) => number}
 */
export const midnight = (day) => Date.parse(day + 'T00:00:00Z');
