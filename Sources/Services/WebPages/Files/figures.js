// How figures and names are written. Nothing here knows the page, the clock or a message.

/** Stands where a figure is not known. */
export const DASH = '\u2013';

/** Space that neither breaks nor stretches, between a number and its unit. */
const NARROW = '\u202f';

const isKnown = (value) => typeof value === 'number' && isFinite(value) && value >= 0;

const two = (number) => (number < 10 ? '0' : '') + number;

/** What a decimal fraction may lack as a binary one. */
const MARGIN = 1e-6;

/**
 * `1:52.4`: the time of a result or a split, with tenths behind the decimal `mark`; from an hour on
 * `1:02:52.4`. Rounded as in the monitor's log: times to the nearest tenth, paces down to a tenth,
 * metres down to a metre. `DisplayRounding.swift` has the same rules.
 */
export function tenths(seconds, mark) {
  return isKnown(seconds) ? tenthsText(Math.round(seconds * 10 + MARGIN), mark) : DASH;
}

/**
 * A pace, given for 500 m; of a BikeErg it is shown for 1000 m, as on its monitor. An hour for 500 m
 * is nobody's, so it counts as not known.
 */
export function pace(seconds, mark, machine) {
  return isKnown(seconds) && seconds > 0 && seconds < 3600
    ? tenthsText(floorTenths(seconds * paceFactor(machine)), mark) : DASH;
}

const floorTenths = (seconds) => Math.floor(seconds * 10 + MARGIN);

/** How many times 500 m a pace is shown for. */
export const paceFactor = (machine) => (machine === 'bike' ? 2 : 1);

/** The unit of a pace, with those of `words.units`. */
export const paceUnit = (machine, units) => (machine === 'bike' ? units.bikePace : units.pace);

/** `rower`, `ski` or `bike`, of a `machine_type`; a rower where it is not known. */
export const machineOf = (type) => (/ski|bike/.exec(type || '') || ['rower'])[0];

function tenthsText(all, mark) {
  return clockText(Math.floor(all / 10)) + mark + (all % 10);
}

/** `0:38` or `1:02:38` of whole seconds. */
function clockText(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? hours + ':' + two(minutes) + ':' + rest : minutes + ':' + rest;
}

/** Time that passed, in whole seconds. */
export function elapsed(seconds) {
  return isKnown(seconds) ? clockText(Math.floor(seconds + 1e-6)) : DASH;
}

/** Time that is left: it shows 0:00 when nothing is left, not a second earlier. */
export function remaining(seconds) {
  return isKnown(seconds) ? clockText(Math.ceil(seconds - 1e-6)) : DASH;
}

/** Watts, strokes a minute: before its first full stroke a monitor says 0, which it does not know. */
export function effort(value) {
  return value > 0 ? whole(value) : DASH;
}

/** A whole number. */
export function whole(value) {
  return isKnown(value) ? String(Math.round(value)) : DASH;
}

/** A number with so many places behind the decimal `mark`; zero has no sign. */
export function decimal(value, places, mark) {
  return value.toFixed(places).replace(/^-(?=[0.]*$)/, '').replace('.', mark);
}

/**
 * `value` less `other`, each as it is shown with so many places: what a reader of both would get, so
 * that no judgement stands beside a difference of zero.
 */
export function shownDifference(value, other, places) {
  const unit = Math.pow(10, places);
  const shown = (number) => Math.round(Math.round(number * 1e6) / 1e6 * unit);
  return (shown(value) - shown(other)) / unit || 0;
}

/** Whole metres, rounded down; from 10 000 on in groups of three. */
export function metres(value) {
  const text = isKnown(value) ? String(Math.floor(value + MARGIN)) : DASH;
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, NARROW);
}

/** `30 min`, or `5:30` when it is not whole minutes. */
export function duration(seconds) {
  return seconds >= 60 && seconds % 60 === 0
    ? seconds / 60 + NARROW + 'min' : clockText(Math.round(seconds));
}

/** How long ago something was: `12 s`, `3 min`, `2 h`, `4 d`, with the letters of `units`. */
export function age(seconds, units) {
  const passed = Math.max(0, Math.floor(seconds));
  if (passed < 60) return passed + NARROW + units.s;
  if (passed < 3600) return Math.floor(passed / 60) + NARROW + units.min;
  if (passed < 86400) return Math.floor(passed / 3600) + NARROW + units.h;
  return Math.floor(passed / 86400) + NARROW + units.d;
}

/** A number and its unit, which a line break does not part. */
export function withUnit(text, unit) {
  return text + NARROW + unit;
}

/** Text of others, short enough for a tile, on one line. */
export function line(text, limit) {
  if (typeof text !== 'string') return '';
  const letters = Array.from(text.replace(/\s+/g, ' ').trim());
  if (letters.length <= limit) return letters.join('');
  // A sentence ends behind a whole word; a name without a space has none to end behind.
  const end = letters.lastIndexOf(' ', limit - 1);
  return end > 0 ? letters.slice(0, end).join('') + '\u2026' : letters.slice(0, limit).join('');
}

/** A sentence of others on one line; of one that is longer than `limit` letters whole words. */
export function sentence(text, limit) {
  const whole = line(text, limit + 1);
  const letters = Array.from(whole);
  return letters.length <= limit ? whole
    : letters.slice(0, limit - 1).join('').replace(/\s+\S*$/, '') + '\u2026';
}

/** Given name and initial: what is shown where the whole name does not fit. */
export function shortName(name) {
  const words = name.split(' ');
  if (words.length < 2) return name;
  const initial = Array.from(words[words.length - 1].normalize('NFC'))[0];
  return words[0] + ' ' + initial + '.';
}

/** `erg-7` and `7` are the seventh place; any other slug speaks for itself. */
export function place(slug) {
  const number = /^(?:erg-?)?0*(\d+)$/.exec(slug);
  return number ? number[1] : line(slug.replace(/-+/g, ' '), 32);
}
