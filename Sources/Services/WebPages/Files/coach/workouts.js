// Workouts as a coach types them, as fields of the contract, and as text.
import { duration, elapsed, metres, place, withUnit } from '../common/format.js';
import { nameOf as athleteName } from '../common/names.js';
import { OFFSETS, targetTexts, times } from '../common/piece.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Seconds of a release without a time, as `ParsedCommand.defaultRelease`. */
export const DEFAULT_RELEASE_S = 900;

/**
 * Common workouts; each has the values of the form's inputs.
 * @type {object[]}
 */
export const TEMPLATES = [
  { kind: 'distance', length: '2000' }, { kind: 'distance', length: '5000' },
  { kind: 'distance', length: '6000' }, { kind: 'time', length: '30:00' },
  { kind: 'intervals', count: '8', length: '500', unit: 'm', rest: '3:30' },
  { kind: 'intervals', count: '4', length: '1000', unit: 'm', rest: '5:00' },
  { kind: 'intervals', count: '10', length: '1:00', unit: 's', rest: '1:00' },
  { kind: 'just_row' },
];

/** The contract's field for each unit of an interval. */
const UNITS = { m: 'distance_m', s: 'duration_s', kcal: 'calories_kcal' };

/** Seconds for `1:30`; other texts are passed on, and the server rejects them. */
function seconds(text) {
  const parts = /^\s*(?:(\d+):)?(\d+):(\d\d(?:[.,]\d)?)\s*$/.exec(text);
  if (!parts) return number(text);
  const rest = Number(parts[3].replace(',', '.'));
  return Number(parts[1] || 0) * 3600 + Number(parts[2]) * 60 + rest;
}

function number(text) {
  const plain = text.replace(',', '.').trim();
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** Sets a field if the input is not empty. */
function put(fields, name, text, read) {
  if (text !== undefined && text.trim() !== '') fields[name] = read(text);
  return fields;
}

/**
 * The contract's fields for the inputs of the form.
 * @type {(input: object) => object}
 */
export function fieldsOf(input) {
  if (input.kind === 'named') return { workout: input.name };
  const fields = { type: input.kind };
  if (input.kind === 'intervals') return putIntervals(fields, input);
  const unit = { distance: 'm', time: 's', calories: 'kcal' }[input.kind];
  if (!unit) return fields;
  put(fields, UNITS[unit], input.length, readerOf(unit));
  put(fields, 'split_' + UNITS[unit], input.split, readerOf(unit));
  return putTargets(fields, input);
}

const readerOf = (unit) => (unit === 's' ? seconds : number);

/**
 * `1000 + 750` makes two intervals; rests and targets can be lists too, and a single value applies to all.
 * A rest of `*` lasts until the rower continues, a count of `*` until they stop.
 */
function putIntervals(fields, input) {
  const lists = {};
  for (const name of ['length', 'rest', 'pace', 'power', 'rate', 'heart']) {
    // The sign in 2k+12 does not begin another interval.
    lists[name] = (input[name] || '').replace(/([26]k\s*)\+/gi, '$1&').split('+')
      .map((text) => text.replace(/&/g, '+').trim());
  }
  const isOwn = (name) => lists[name].length > 1;
  const own = (name, index) => lists[name][Math.min(index, lists[name].length - 1)];
  const targets = (index) => {
    const found = {};
    for (const name of ['pace', 'power', 'rate', 'heart']) {
      if (isOwn(name) === (index !== null)) found[name] = own(name, index);
    }
    return found;
  };
  const count = Math.max(...Object.keys(lists).map((name) => lists[name].length));
  fields.intervals = Array.from({ length: count }, (none, index) => {
    const interval = put({}, UNITS[input.unit], own('length', index), readerOf(input.unit));
    const rest = own('rest', index);
    if (rest === '*') interval.undefined_rest = true;
    else put(interval, 'rest_s', rest, seconds);
    return putTargets(interval, targets(index));
  });
  if ((input.count || '').trim() === '*') fields.endless = true;
  else put(fields, 'repeat', input.count, number);
  return putTargets(fields, targets(null));
}

/** A pace relative to a test distance: `2k+12`, `6k-2`, `2k+10-15`, `2k-2-2k+2`, `2k+10-`, `-2k+15`. */
const OFFSET = /^(-?)([26]k)([+-]\d+(?:\.\d+)?)?(?:(-)(?:(\2)([+-]\d+(?:\.\d+)?)?|(\d+(?:\.\d+)?))?)?$/;

/**
 * Sets the fields of a relative pace, the faster limit first; returns false for other texts.
 * @type {(fields: object, text: string) => boolean}
 */
export function putOffset(fields, text) {
  const plain = text.toLowerCase().replace(/\s/g, '').replace(/[\u2013\u2212]/g, '-').replace(/,/g, '.');
  const [, base] = /^-?([26]k)/.exec(plain) || [];
  if (!base) return false;
  const [found, isOpen, , first = '0', dash, again, second = '0', short] = OFFSET.exec(plain) || [];
  // The server rejects other texts.
  let ends = [text];
  if (found && !(isOpen && dash)) {
    const other = !dash ? first : again ? second : short && (first[0] === '-' ? '-' : '') + short;
    ends = [isOpen ? undefined : first, other].map((end) => end && Number(end));
    if (ends[0] > ends[1]) ends.reverse();
  }
  ['_min', '_max'].forEach((end, index) => {
    if (ends[index] !== undefined) fields[OFFSETS[base] + end + '_s_per_500m'] = ends[index];
  });
  return true;
}

/** Sets the targets: `1:50-1:55` is a range; a single pace is also shown on the monitor. */
function putTargets(fields, input) {
  const pace = (input.pace || '').trim();
  if (!putOffset(fields, pace)) {
    if (/[-\u2013]/.test(pace)) putBand(fields, 'target_pace', '_s_per_500m', pace, seconds);
    else put(fields, 'target_pace_s_per_500m', pace, seconds);
  }
  const power = (input.power || '').trim();
  const isShare = /%$/.test(power);
  putBand(fields, isShare ? 'target_2k_power' : 'target_power', isShare ? '_pct' : '_w',
    power.replace(/\s*%$/, ''), number);
  putBand(fields, 'target_stroke_rate', '_spm', input.rate || '', number);
  putBand(fields, 'target_heart_rate', '_bpm', input.heart || '', number);
  return fields;
}

/** A range such as `22-24`; a single number is both ends, and `22-` has an open end. */
function putBand(fields, name, unit, text, read) {
  const ends = text.split(/[-\u2013]/);
  put(fields, name + '_min' + unit, ends[0], read);
  put(fields, name + '_max' + unit, ends.length > 1 ? ends.slice(1).join('-') : ends[0], read);
}

function lengthOf(part, strings) {
  if (part.distance_m) return withUnit(metres(part.distance_m), strings.units.metres);
  if (part.duration_s) return duration(part.duration_s);
  return part.calories_kcal ? withUnit(part.calories_kcal, 'kcal') : '';
}

/**
 * The name of a workout for a command's fields: `4 x 500 m / 1:00`.
 * @type {(fields: object, strings: Strings) => string}
 */
export function nameOf(fields, strings) {
  if (fields.workout) return String(fields.workout);
  if (fields.type === 'just_row') return strings.justRow;
  if (fields.type !== 'intervals') return lengthOf(fields, strings) || strings.workout;
  const all = fields.intervals || [];
  const first = all[0] || {};
  if (all.length !== 1 || !lengthOf(first, strings)) return strings.intervals;
  const rest = first.rest_s ? ' / ' + duration(first.rest_s) : '';
  return times(fields.endless ? '\u221e' : fields.repeat || 1, lengthOf(first, strings)) + rest;
}

/**
 * A workout in words: `8 × 500 m, rest 1:00, target 1:45 to 1:55`; empty if something is missing or
 * invalid.
 * @type {(fields: object, strings: Strings) => string}
 */
export function describe(fields, strings) {
  if (fields.workout || !isComplete(fields)) return '';
  const target = targetOf(fields, strings);
  if (fields.type === 'just_row') return [strings.justRow].concat(target).join(', ');
  if (fields.type !== 'intervals') {
    const split = lengthOf({ distance_m: fields.split_distance_m,
      duration_s: fields.split_duration_s, calories_kcal: fields.split_calories_kcal }, strings);
    return [lengthOf(fields, strings)]
      .concat(split ? interpolate(strings.splitOf, split) : [], target).join(', ');
  }
  const parts = fields.intervals.map((interval) => [lengthOf(interval, strings)].concat(
    interval.undefined_rest ? strings.restOpen
      : interval.rest_s > 0 ? interpolate(strings.restOf, elapsed(interval.rest_s)) : [],
    targetOf(interval, strings)).join(', '));
  const all = parts.join(' + ');
  const count = fields.endless ? strings.unlimited : fields.repeat || 1;
  const whole = count === 1 ? all : times(count, parts.length > 1 ? '(' + all + ')' : all);
  return [whole].concat(target).join(', ');
}

/** Whether all values are numbers, and each piece and interval has a length. */
function isComplete(fields) {
  const parts = fields.type === 'intervals' ? fields.intervals : [fields];
  const isNumeric = (part) => Object.keys(part).every((name) =>
    !/_(m|s|kcal|500m|w|pct|spm|bpm)$|^repeat$/.test(name) || part[name] > 0
      || (name === 'rest_s' && part[name] === 0) || (/_offset_/.test(name) && Number.isFinite(part[name])));
  return isNumeric(fields) && parts.every(isNumeric)
    && (fields.type === 'just_row' || parts.every((part) =>
      part.distance_m || part.duration_s || part.calories_kcal));
}

/** `target 1:45 to 1:55, 22 to 24 spm` as the only element of a list; empty without a target. */
function targetOf(fields, strings) {
  const text = targetTexts(fields, strings).join(', ');
  return text ? [interpolate(strings.target, text)] : [];
}

/**
 * The relative targets of a workout for one athlete: `1:57.3`; `no 2k power in the logbook` if it has no
 * value, and empty without relative targets.
 * @type {(fields: object, athlete: object, strings: Strings) => string}
 */
export function ownTargets(fields, athlete, strings) {
  let texts = [];
  for (const part of [fields].concat(fields.intervals || [])) {
    const own = {};
    for (const base of Object.keys(OFFSETS)) {
      const power = athlete['power_' + base + '_w'];
      for (const end of ['_min', '_max']) {
        const offset = part[OFFSETS[base] + end + '_s_per_500m'];
        const share = base === '2k' ? part['target_2k_power' + end + '_pct'] : undefined;
        if (offset === undefined && share === undefined) continue;
        if (!power) return interpolate(strings.noTestPower, base);
        if (offset !== undefined) {
          own['target_pace' + end + '_s_per_500m'] = 500 * Math.cbrt(2.8 / power) + offset;
        }
        if (share) own['target_power' + end + '_w'] = Math.round(share * power / 100);
      }
    }
    texts = texts.concat(targetTexts(own, strings));
  }
  return texts.filter((text, index) => texts.indexOf(text) === index).join(', ');
}

/**
 * The fields that restore the monitor's current workout; null if the state does not contain all of it.
 * @type {(state: object) => ?object}
 */
export function currentWorkoutFields(state) {
  if (state.state !== 'ready') return null;
  if (state.session_type === 'just_row') return { type: 'just_row' };
  if (state.session_type === 'distance' && state.target_distance_m) {
    return { type: 'distance', distance_m: Math.round(state.target_distance_m) };
  }
  if (state.session_type === 'time' && state.target_time_s) {
    return { type: 'time', duration_s: Math.round(state.target_time_s) };
  }
  if (state.session_type === 'calories' && state.target_calories_kcal) {
    return { type: 'calories', calories_kcal: state.target_calories_kcal };
  }
  return null;
}

/**
 * The name of a command in the list of sent commands.
 * @type {(command: object, strings: Strings) => string}
 */
export function commandName(command, strings) {
  const { verb } = command;
  const fields = command.fields || {};
  if (verb === 'workout') return nameOf(fields, strings);
  if (verb === 'terminate') return strings.endPieceTitle;
  if (verb === 'assign') {
    const ergs = (command.ergs || []).map((one) => interpolate(strings.onErg, place(one.erg || '')));
    return fields.athlete_id ? interpolate(strings.assignedTo, athleteName(fields.athlete_id), ergs.join(', '))
      : strings.assignmentCleared;
  }
  if (verb === 'release') {
    if (fields.for_s === 0) return strings.takenBack;
    const time = fields.for_s === undefined ? DEFAULT_RELEASE_S : fields.for_s;
    return interpolate(strings.releasedFor, interpolate(strings.minutes, Math.round(time / 60)));
  }
  if (verb === 'relay') return fields.off ? strings.relayEnded : strings.relayMoved;
  if (verb === 'ack') return strings.alertAcknowledged;
  if (verb === 'crew') {
    return interpolate(fields.members ? strings.crewNamed : strings.crewRemoved, String(fields.crew));
  }
  if (verb === 'identify') return strings.identify;
  return verb === 'rate' ? interpolate(strings.updateRateOf, fields.ms)
    : strings.gatewayCommands[verb] || strings.otherCommand;
}
