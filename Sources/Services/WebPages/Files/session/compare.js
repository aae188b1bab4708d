// Compares two sessions: candidates, sections, and differences. Needs no DOM. Each session has its `detail`
// and its complete `strokes` in order.
import * as format from '../common/format.js';
import { isNumber, mean } from '../common/series.js';
import { interpolate } from '../common/strings.js';
import * as sessionFormat from './format.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Section lengths in metres if the splits of the sessions do not match, and most sections. */
const STEPS = [100, 250, 500, 1000, 2500, 5000, 10000];
const SECTIONS = 12;
/** Most candidates of each kind. */
const OFFERED = 40;
/** The share of a difference from which a section "has most of it". */
const MOST = 0.4;

const isNear = (one, other, by) => isNumber(one) && isNumber(other) && Math.abs(one - other) < by;

// MARK: Candidates

/** Whether two sessions are the same piece: the same kind and length. */
function isSamePiece(one, other) {
  return one.workout === other.workout && Boolean(common(one, other));
}

/**
 * Groups the sessions that `session` can be compared with: the same piece by the athlete, by others, and
 * the athlete's other sessions. The nearest in time come first.
 * @type {(session: object, lines: object[]) => Object<string, object[]>}
 */
export function candidates(session, lines) {
  const far = (line) => Math.abs((line.started_ms || 0) - (session.started_ms || 0));
  const all = new Map();
  for (const line of lines) {
    const isSelf = line.gw === session.gw && line.session_id === session.session_id;
    if (!isSelf && line.strokes > 0) all.set(line.gw + '/' + line.session_id, line);
  }
  const groups = { own: [], others: [], rest: [] };
  for (const line of Array.from(all.values()).sort((one, other) => far(one) - far(other))) {
    const isOwn = line.athlete_id === session.athlete_id;
    const name = !isSamePiece(session, line) ? 'rest' : isOwn ? 'own' : 'others';
    if ((name !== 'rest' || isOwn) && groups[name].length < OFFERED) groups[name].push(line);
  }
  return groups;
}

// MARK: Sections

/** What two results have in common: `distance`, `time`, or an empty text. */
function common(one, other) {
  const hasDistance = isNear(one.distance_m, other.distance_m, 1);
  const hasTime = isNear(one.result_time_s, other.result_time_s, 0.1);
  const isTimed = one.session_type === 'time' || /time/.test(one.workout);
  return isTimed && hasTime ? 'time' : hasDistance ? 'distance' : '';
}

/**
 * Returns `{ number, distance_m, duration_s, pace, rate, heart, lead }` per section; values are pairs of
 * this session and the other. `lead` at the end of the section is in seconds, or in metres for sections of
 * equal time (`isMetres`); null if unknown.
 * @type {(one: object, other: object) => object[]}
 */
export function sections(one, other) {
  const count = Math.min(one.detail.splits.length, other.detail.splits.length);
  const pairs = Array.from({ length: count }, (_, index) =>
    [one.detail.splits[index], other.detail.splits[index]]);
  const fits = (name, by) => count > 0 && pairs.every(([mine, theirs]) =>
    isNear(mine[name], theirs[name], by));
  const isMetres = !fits('distance_m', 1) && fits('duration_s', 0.1);
  if (isMetres || fits('distance_m', 1)) return fromSplits(pairs, isMetres, true);
  const isParted = [one, other].some(({ detail }) => detail.summary.session_type === 'intervals');
  return isParted ? fromSplits(pairs, false, false) : fromStrokes(one.strokes, other.strokes);
}

/** Sections from the splits that the monitors reported. */
function fromSplits(pairs, isMetres, hasLead) {
  let lead = 0;
  return pairs.map((pair, index) => {
    const by = (name) => pair.map((split) => split[name]);
    const [[far, theirFar], [long, theirLong]] = [by('distance_m'), by('duration_s')];
    lead += isMetres ? far - theirFar : theirLong - long;
    return { number: index + 1, distance_m: far, duration_s: long, isMetres,
      pace: by('avg_pace_s_per_500m'), rate: by('avg_stroke_rate_spm'),
      heart: by('avg_heart_rate_bpm'), lead: hasLead && isNumber(lead) ? lead : null };
  });
}

/** Sections from strokes, over the distance that both sessions have. */
function fromStrokes(...both) {
  const ends = both.map((strokes) => (strokes.length ? strokes[strokes.length - 1].distance_m : 0));
  const shared = Math.min(...ends);
  const step = STEPS.find((one) => shared / one <= SECTIONS) || shared;
  return Array.from({ length: step > 0 ? Math.floor(shared / step) : 0 }, (_, index) => {
    const [from, to] = [index * step, (index + 1) * step];
    const times = both.map((strokes) => [timeAt(strokes, from), timeAt(strokes, to)]);
    const within = both.map((strokes) => strokes.filter((stroke) =>
      stroke.distance_m > from && stroke.distance_m <= to));
    const means = (name) => within.map((some) => {
      const value = mean(some.filter((stroke) => stroke[name] > 0), name);
      return value === null ? undefined : value;
    });
    const isKnown = times.every(([, end]) => end !== null);
    return { number: index + 1, distance_m: step, isMetres: false,
      pace: times.map(([begin, end]) =>
        (begin === null || end === null ? undefined : (end - begin) / step * 500)),
      rate: means('stroke_rate_spm'), heart: means('heart_rate_bpm'),
      lead: isKnown ? times[1][1] - times[0][1] : null };
  });
}

/** The time at `metres`, interpolated between two strokes; null if they are missing. */
function timeAt(strokes, metres) {
  if (metres === 0) return 0;
  const index = strokes.findIndex((stroke) => stroke.distance_m >= metres);
  const after = strokes[index];
  const before = strokes[index - 1] || { stroke: 0, distance_m: 0, elapsed_s: 0 };
  if (!after || after.stroke !== before.stroke + 1) return null;
  const share = (metres - before.distance_m) / (after.distance_m - before.distance_m);
  return before.elapsed_s + share * (after.elapsed_s - before.elapsed_s);
}

// MARK: Differences

/**
 * The whole piece in the form of a section.
 * @type {(one: object, other: object) => object}
 */
export function wholePiece(one, other) {
  const by = (name) => [one, other].map(({ detail }) => detail.summary[name]);
  return { pace: by('avg_pace_s_per_500m'), rate: by('avg_stroke_rate_spm'),
    heart: by('avg_heart_rate_bpm'), lead: null };
}

/**
 * This value minus the other, as shown with `places` digits, truncated if `isCut`; null if one is unknown.
 * @type {(pair: [number, number], places: number, isCut?: boolean) => ?number}
 */
export function difference([mine, theirs], places, isCut) {
  if (!(mine > 0 && theirs > 0)) return null;
  if (!isCut) return format.shownDifference(mine, theirs, places);
  const scale = Math.pow(10, places);
  const cut = (value) => Math.floor(value * scale + 1e-6) / scale;
  return cut(mine) - cut(theirs);
}

/**
 * `+1.3`, with a typographic minus.
 * @type {(value: number, places: number, strings: Strings) => string}
 */
export function signed(value, places, strings) {
  const text = format.decimal(Math.abs(value), places, strings.decimal);
  return (Number(value.toFixed(places)) === 0 ? '\u00b1' : value < 0 ? '\u2212' : '+') + text;
}

/**
 * The machine whose paces compare: that of both; between two kinds, paces for 500 m.
 * @type {(one: object, other: object) => string}
 */
export function commonMachine(one, other) {
  const [machine, theirs] = [one, other].map(({ detail }) => format.machineOf(detail.summary.machine_type));
  return machine === theirs ? machine : 'rower';
}

/**
 * The difference of the results in words, and the section that contributed most.
 * @type {(one: object, other: object, rows: object[], strings: Strings) => string[]}
 */
export function verdict(one, other, rows, strings) {
  const [mine, theirs] = [one.detail.summary, other.detail.summary];
  const kind = mine.session_type === theirs.session_type ? common(mine, theirs) : '';
  const machine = commonMachine(one, other);
  const results = [mine, theirs].map((summary) => (kind === 'distance'
    ? sessionFormat.time(summary.result_time_s, strings)
    : kind ? sessionFormat.distance(summary.distance_m, strings)
      : format.withUnit(format.pace(summary.avg_pace_s_per_500m, strings.decimal, machine),
        format.paceUnit(machine, strings.units))));
  const less = (name, places, isCut, factor = 1) =>
    difference([mine[name] * factor, theirs[name] * factor], places, isCut);
  const by = kind === 'distance' ? less('result_time_s', 1)
    : kind ? less('distance_m', 0, true) : less('avg_pace_s_per_500m', 1, true, format.paceFactor(machine));
  if (by === null) return [strings.noResultYet];
  // More metres are better; of time and pace, less is better.
  const gain = kind === 'time' ? by : -by;
  const sentences = [result(gain, kind, machine, strings), interpolate(strings.against, ...results)];
  const number = mostOf(gain, kind, rows);
  if (number) sentences.push(interpolate(strings.mostIn, number));
  if (!kind) sentences.push(strings.otherLength);
  if (one.machine && other.machine && one.machine !== other.machine) sentences.push(strings.otherMachine);
  return sentences;
}

function result(gain, kind, machine, strings) {
  const size = Math.abs(gain);
  if (size < (kind === 'time' ? 0.5 : 0.05)) return strings.sameResult;
  if (kind === 'time') {
    return interpolate(gain > 0 ? strings.farther : strings.shorter, sessionFormat.distance(size, strings));
  }
  const text = kind && size >= 60 ? sessionFormat.time(size, strings)
    : format.withUnit(format.decimal(size, 1, strings.decimal),
      kind ? 's' : 's' + format.paceUnit(machine, strings.units));
  return interpolate(gain > 0 ? strings.faster : strings.slower, text);
}

/** The section that contributed most of the gain; 0 for none. */
function mostOf(gain, kind, rows) {
  if (!kind || rows.length < 3 || rows.some((row) => row.lead === null)) return 0;
  const parts = rows.map((row, index) => row.lead - (index ? rows[index - 1].lead : 0));
  const most = parts.reduce((best, part, index) =>
    (part * gain > parts[best] * gain ? index : best), 0);
  return parts[most] / gain >= MOST ? most + 1 : 0;
}
