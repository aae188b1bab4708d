// Workouts: as a coach types them, as the contract has them, and as they are called.
import { duration, elapsed, metres, place, withUnit } from './figures.js';
import { times } from './piece.js';
import { askedOf } from './target.js';
import { fill } from './words.js';

/** What a coach sets again and again. `input` is what stands in the fields of the form. */
export const TEMPLATES = [
  { kind: 'distance', length: '2000' }, { kind: 'distance', length: '5000' },
  { kind: 'distance', length: '6000' }, { kind: 'time', length: '30:00' },
  { kind: 'intervals', count: '8', length: '500', unit: 'm', rest: '3:30' },
  { kind: 'intervals', count: '4', length: '1000', unit: 'm', rest: '5:00' },
  { kind: 'intervals', count: '10', length: '1:00', unit: 's', rest: '1:00' },
  { kind: 'just_row' },
];

/** The name of each unit of an interval in the contract. */
const UNITS = { m: 'distance_m', s: 'duration_s', kcal: 'calories_kcal' };

/** `1:30` in seconds; another text as it is, and the server says what is wrong with it. */
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

/** What is not typed is not there. */
function put(fields, name, text, read) {
  if (text !== undefined && text.trim() !== '') fields[name] = read(text);
  return fields;
}

/** The contract's fields of what stands in the form. */
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
 * `1000 + 750` is two intervals, and so is a rest or a target that is written so; what is written once is
 * every interval's. A rest of `*` ends when the rower goes on, and so many as `*` when they stop.
 */
function putIntervals(fields, input) {
  const lists = {};
  for (const name of ['length', 'rest', 'pace', 'power', 'rate', 'heart']) {
    lists[name] = (input[name] || '').split('+').map((text) => text.trim());
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

/** What the pace, the rate, ... is to be: `1:50-1:55` is a band, and one pace what is shown. */
function putTargets(fields, input) {
  const pace = (input.pace || '').trim();
  if (/[-\u2013]/.test(pace)) putBand(fields, 'target_pace', '_s_per_500m', pace, seconds);
  else put(fields, 'target_pace_s_per_500m', pace, seconds);
  const power = (input.power || '').trim();
  const isShare = /%$/.test(power);
  putBand(fields, isShare ? 'target_2k_power' : 'target_power', isShare ? '_pct' : '_w',
    power.replace(/\s*%$/, ''), number);
  putBand(fields, 'target_stroke_rate', '_spm', input.rate || '', number);
  putBand(fields, 'target_heart_rate', '_bpm', input.heart || '', number);
  return fields;
}

/** From `22-24`; one number alone is both ends, and an end may be left out: `22-`. */
function putBand(fields, name, unit, text, read) {
  const ends = text.split(/[-\u2013]/);
  put(fields, name + '_min' + unit, ends[0], read);
  put(fields, name + '_max' + unit, ends.length > 1 ? ends.slice(1).join('-') : ends[0], read);
}

function lengthOf(part, words) {
  if (part.distance_m) return withUnit(metres(part.distance_m), words.units.metres);
  if (part.duration_s) return duration(part.duration_s);
  return part.calories_kcal ? withUnit(part.calories_kcal, 'kcal') : '';
}

/** What a workout is called, from the fields of a command: `4 x 500 m / 1:00`. */
export function nameOf(fields, words) {
  if (fields.workout) return String(fields.workout);
  if (fields.type === 'just_row') return words.justRow;
  if (fields.type !== 'intervals') return lengthOf(fields, words) || words.workout;
  const all = fields.intervals || [];
  const first = all[0] || {};
  if (all.length !== 1 || !lengthOf(first, words)) return words.intervals;
  const rest = first.rest_s ? ' / ' + duration(first.rest_s) : '';
  return times(fields.endless ? '\u221e' : fields.repeat || 1, lengthOf(first, words)) + rest;
}

/** A rest below this is asked about: a minute was meant, as a rule. Seconds. */
const SHORT_REST = 10;

/** The shortest rest of a command that is hardly meant, in seconds; 0 where there is none. */
export function shortRest(fields) {
  const rests = (fields.intervals || []).map((interval) => interval.rest_s)
    .filter((rest) => rest > 0 && rest < SHORT_REST);
  return rests.length ? Math.min(...rests) : 0;
}

/**
 * A command's workout in words, `8 × 500 m, rest 1:00, target 1:45 to 1:55`; empty while something
 * in it is missing, or is no number.
 */
export function describe(fields, words) {
  if (fields.workout || !isComplete(fields)) return '';
  const target = targetOf(fields, words);
  if (fields.type === 'just_row') return [words.justRow].concat(target).join(', ');
  if (fields.type !== 'intervals') {
    const split = lengthOf({ distance_m: fields.split_distance_m,
      duration_s: fields.split_duration_s, calories_kcal: fields.split_calories_kcal }, words);
    return [lengthOf(fields, words)].concat(split ? fill(words.splitOf, split) : [], target).join(', ');
  }
  const parts = fields.intervals.map((interval) => [lengthOf(interval, words)].concat(
    interval.undefined_rest ? words.restOpen
      : interval.rest_s > 0 ? fill(words.restOf, elapsed(interval.rest_s)) : [],
    targetOf(interval, words)).join(', '));
  const all = parts.join(' + ');
  const count = fields.endless ? words.unlimited : fields.repeat || 1;
  const whole = count === 1 ? all : times(count, parts.length > 1 ? '(' + all + ')' : all);
  return [whole].concat(target).join(', ');
}

/** Whether each figure is a number, and each piece and interval has a length. */
function isComplete(fields) {
  const parts = fields.type === 'intervals' ? fields.intervals : [fields];
  const isNumeric = (part) => Object.keys(part).every((name) =>
    !/_(m|s|kcal|500m|w|pct|spm|bpm)$|^repeat$/.test(name) || part[name] > 0
      || (name === 'rest_s' && part[name] === 0));
  return isNumeric(fields) && parts.every(isNumeric)
    && (fields.type === 'just_row' || parts.every((part) =>
      part.distance_m || part.duration_s || part.calories_kcal));
}

/** `target 1:45 to 1:55, 22 to 24 spm`, as the only element of a list; none without a target. */
function targetOf(fields, words) {
  const text = askedOf(fields, words).join(', ');
  return text ? [fill(words.target, text)] : [];
}

/** What sets again what a monitor shows now; null where its state does not tell it all. */
export function fieldsAgain(state) {
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

/** What a command is called in the list of what was sent. */
export function commandName(command, words) {
  const { verb } = command;
  const fields = command.fields || {};
  if (verb === 'workout') return nameOf(fields, words);
  if (verb === 'terminate') return words.ended;
  if (verb === 'assign') {
    const ergs = (command.ergs || []).map((one) => fill(words.onErg, place(one.erg || '')));
    return fields.athlete_id ? fill(words.seat, fields.athlete_id, ergs.join(', '))
      : words.seatNone;
  }
  if (verb === 'release') {
    if (fields.for_s === 0) return words.taken;
    const time = fields.for_s === undefined ? 900 : fields.for_s;
    return fill(words.lend, fill(words.minutes, Math.round(time / 60)));
  }
  if (verb === 'ack') return words.ackOf;
  if (verb === 'crew') {
    return fill(fields.members ? words.crewOf : words.crewGone, String(fields.crew));
  }
  if (verb === 'identify') return words.identify;
  return verb === 'rate' ? fill(words.perSecond, fields.ms) : words.asks[verb] || words.another;
}
