// The notation of workouts, as `WorkoutNotation.swift` reads it. Needs no DOM.
import { putOffset } from '../coach/workouts.js';

/** The quantity and the end of the field of each unit. A pace has no unit. */
const UNITS = { w: ['power', '_w'], spm: ['stroke_rate', '_spm'], bpm: ['heart_rate', '_bpm'], '%': ['2k_power', '_pct'] };

/** Throws the wrong target; empty for a wrong workout. */
const unless = (isValid, wrong = '') => { if (!isValid) throw { wrong }; };

/**
 * `4x500m/1:00r` for a typed `4 × 500 m / 1:00 r`, and `1:30:00` for `90:00`.
 * @type {(text: string) => string}
 */
export const normalized = (text) => text.toLowerCase().replace(/\s+/g, '').replace(/[×*]/g, 'x').replace(/[–−]/g, '-')
  .replace(/kcal/g, 'cal').replace(/(^|[^\d:])([6-9]\d|1\d\d)(?=:\d\d(?![\d:]))/g, (all, before, minutes) =>
    before + Math.floor(minutes / 60) + ':' + ('0' + minutes % 60).slice(-2));

/** `2:00` or `1:30:00` in seconds; null for other texts. */
function seconds(text) {
  const parts = /^\d+(:\d+){1,2}$/.test(text) ? text.split(':').map(Number) : [60];
  return parts.every((part) => part < 60) ? parts.reduce((sum, part) => sum * 60 + part) : null;
}

/** The field and the amount of `2000m`, `100cal` or `30:00`. */
function extent(text) {
  const [, amount, unit] = /^(\d+)(m|cal)$/.exec(text) || [];
  const field = unit === 'm' ? 'distance_m' : unit ? 'calories_kcal' : 'duration_s';
  const value = unit ? Number(amount) : seconds(text);
  unless(value !== null && (!unit || (value >= 1 && value <= 1e7)));
  return [field, value];
}

/** A limit of a target; NaN if it is wrong, empty without one. */
function limit(text, unit) {
  if (!text || unit) return text && Number(text);
  const [, whole, tenths = 0] = /^([\d:]+)(\.\d)?$/.exec(text) || [];
  const value = seconds(whole);
  return value === null ? NaN : value + Number(tenths);
}

/** The fields of `1:50-1:55,-150bpm`. */
function targets(list) {
  const fields = {};
  for (const target of list === undefined ? [] : list.split(',')) {
    const offset = {};
    if (putOffset(offset, target)) {
      unless(Object.keys(offset).every((name) => Number.isFinite(offset[name]) && !(name in fields)), target);
      Object.assign(fields, offset);
      continue;
    }
    const [, from, to, unit] = /^([\d:.]*)-([\d:.]*)(w|spm|bpm|%)?$/.exec(target) || [];
    const [quantity, suffix] = UNITS[unit] || ['pace', '_s_per_500m'];
    const limits = [limit(from, unit), limit(to, unit)];
    unless((from || to) && limits.every((one) => one === '' || one >= 0) && !(limits[1] !== '' && limits[0] > limits[1]), target);
    ['min', 'max'].forEach((end, index) => {
      const name = 'target_' + quantity + '_' + end + suffix;
      unless(limits[index] === '' || !(name in fields), target);
      if (limits[index] !== '') fields[name] = limits[index];
    });
  }
  return fields;
}

function split(text) {
  const at = text.indexOf('@');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The intervals of a list. The sign of a relative pace, `2k+12`, does not begin another one. */
function splitIntervals(list) {
  return list.split('+').reduce((found, part) => {
    const before = found[found.length - 1];
    return /@.*[26]k$/.test(before) ? found.slice(0, -1).concat(before + '+' + part) : found.concat(part);
  }, []);
}

function intervals(list) {
  return { type: 'intervals', intervals: splitIntervals(list).map((part) => {
    const [body, wanted] = split(part);
    const [work, rest, more] = body.split('/');
    const [field, value] = extent(work);
    const fields = { [field]: value };
    if (rest !== undefined) {
      const length = rest === 'r' ? 0 : seconds(rest.slice(0, -1));
      unless(more === undefined && rest.endsWith('r') && length !== null);
      if (rest === 'r') fields.undefined_rest = true;
      else fields.rest_s = length;
    }
    return Object.assign(fields, targets(wanted));
  }) };
}

function read(text) {
  const [, count, repeated] = /^(\d+)x(.*)$/.exec(text) || [];
  unless(count === undefined || Number(count) > 0);
  if (count) return Object.assign(intervals(repeated), { repeat: Number(count) });
  const [body, wanted] = split(text);
  if (splitIntervals(text).length > 1 || body.endsWith('r')) return intervals(text);
  if (body === 'just-row') return Object.assign({ type: 'just_row' }, targets(wanted));
  const [work, part, more] = body.split('/');
  const [field, value] = extent(work);
  const type = { distance_m: 'distance', duration_s: 'time', calories_kcal: 'calories' }[field];
  const fields = { type, [field]: value };
  if (part !== undefined) {
    const [unit, length] = extent(part);
    unless(unit === field && more === undefined);
    fields['split_' + field] = length;
  }
  return Object.assign(fields, targets(wanted));
}

/**
 * The fields of the command `workout`; or the `wrong` target, empty for a wrong workout.
 * @type {(text: string) => { fields?: object, wrong?: string }}
 */
export function parseWorkout(text) {
  try {
    return { fields: read(text) };
  } catch (error) {
    return error;
  }
}

/**
 * Adds a target to the piece, or to each interval.
 * @type {(workout: string, target: string) => string}
 */
export function withTarget(workout, target) {
  if (!target || workout.indexOf('@') >= 0) return workout;
  const parts = workout.split('+');
  // Without a sign, the next interval would be read as seconds.
  const whole = parts.length > 1 && /[26]k$/.test(target) ? target + '+0' : target;
  return parts.map((part) => part + '@' + whole).join('+');
}

/**
 * A workout and its target; a workout whose intervals have different ones stays whole.
 * @type {(text: string) => [string, string]}
 */
export function withoutTarget(text) {
  const parts = splitIntervals(text).map(split);
  const target = parts[0][1] || '';
  return parts.every((part) => (part[1] || '') === target) ? [parts.map(([body]) => body).join('+'), target] : [text, ''];
}
