// Texts, order of athletes, and records by category for the page Club. Needs no DOM.
import { DASH, decimal, whole, withUnit } from '../common/format.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {{ gender: string, age: string, weight: string, machine: string, season: string }} Choice */

/**
 * `+12 %` for a value against that of the season before; a word if there was nothing before.
 * @type {(now: number, before: number, strings: Strings) => string}
 */
export function changeText(now, before, strings) {
  if (!before) return now ? strings.nothingBefore : DASH;
  const percent = Math.round((now / before - 1) * 100);
  return withUnit((percent > 0 ? '+' : percent < 0 ? '\u2212' : '\u00b1') + Math.abs(percent), '%');
}

/**
 * Hours with a decimal: `9.5 h`; whole hours from 100 on.
 * @type {(seconds: number, strings: Strings) => string}
 */
export function hours(seconds, strings) {
  const value = seconds / 3600;
  return withUnit(value < 99.95 ? decimal(value, 1, strings.decimal) : whole(value), strings.ages.h);
}

/**
 * How long ago the last session of an athlete was.
 * @type {(days: number|undefined, strings: Strings) => string}
 */
export function daysAgo(days, strings) {
  if (days === undefined) return strings.never;
  return days < 2 ? strings.recently[days] : interpolate(strings.daysAgo, days);
}

/**
 * The values by which athletes and groups are sorted; undefined for an unknown one, which is always last.
 * @type {Object<string, (row: object) => number|string|undefined>}
 */
export const COLUMNS = {
  name: (row) => row.name,
  last: (row) => (row.days_since_last === undefined ? undefined : -row.days_since_last),
  distance: (row) => row.distance_m,
  time: (row) => row.time_s,
  sessions: (row) => row.sessions,
  change: (row) => (row.previous.distance_m ? row.distance_m / row.previous.distance_m : undefined),
  best: (row) => (row.best_2000m ? -row.best_2000m.time_s : undefined),
  absent: (row) => row.absent,
};

/**
 * The order in which a column is shown first: names from A to Z, values from the largest or fastest.
 * @type {(column: string) => boolean}
 */
export const risesFirst = (column) => column === 'name';

/**
 * Sorts athletes or groups with a `name` by a column; those with equal values by name.
 * @type {(rows: object[], column: string, isRising: boolean) => object[]}
 */
export function sortRows(rows, column, isRising) {
  const [value, sign] = [COLUMNS[column], isRising ? 1 : -1];
  const compare = (one, other) => (typeof one === 'string'
    ? one.localeCompare(other, undefined, { numeric: true, sensitivity: 'base' }) : one - other);
  return rows.slice().sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    if (left === undefined || right === undefined) {
      if (left !== right) return left === undefined ? 1 : -1;
    } else if (compare(left, right)) {
      return sign * compare(left, right);
    }
    return compare(one.name, other.name) || compare(one.athlete_id, other.athlete_id);
  });
}

/** @type {(record: object) => string} */
export const ageKey = (record) => (record.age_from === undefined ? '' : String(record.age_from));

/**
 * An age group: `17–18`, `12 and under`, `90 and over`; empty if unknown.
 * @type {(record: object, strings: Strings) => string}
 */
export function ageText({ age_from: from, age_to: to }, strings) {
  if (from === undefined) return '';
  if (!from) return interpolate(strings.under, to);
  return to === undefined ? interpolate(strings.over, from) : interpolate(strings.range, from, to);
}

/**
 * A category: `women · 17–18 · lightweight`; empty if nothing of it is known.
 * @type {(record: object, strings: Strings) => string}
 */
export function categoryText(record, strings) {
  return [strings.genders[record.gender], ageText(record, strings),
    strings.profileValues.weight_class[record.weight_class]].filter(Boolean).join(' \u00b7 ');
}

/**
 * The fastest of the chosen `records` for each event. An empty choice means any.
 * @type {(records: object[], choice: Choice) => object[]}
 */
export function bestRecords(records, choice) {
  const isChosen = (record) => record.machine === choice.machine
    && String(record.season || '') === choice.season
    && (!choice.gender || record.gender === choice.gender)
    && (!choice.age || ageKey(record) === choice.age)
    && (!choice.weight || record.weight_class === choice.weight);
  const best = new Map();
  for (const record of records.filter(isChosen)) {
    const known = best.get(record.event);
    if (!known || isBetter(record, known)) best.set(record.event, record);
  }
  return Array.from(best.values());
}

/** Of equal results the earlier one is the record, as in the logbook. */
function isBetter(record, known) {
  const speed = ({ ranked }) => ranked.distance_m / ranked.time_s;
  return speed(record) > speed(known)
    || (speed(record) === speed(known) && record.ranked.at_ms < known.ranked.at_ms);
}
