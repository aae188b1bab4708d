// Two sessions held against each other: which are worth it, section by section, and what differs.
// No page in here. Each session is its `detail`, and its whole `strokes` in order.
import * as figures from './figures.js';
import { isNumber, mean } from './series.js';
import * as standing from './standing.js';
import { fill } from './words.js';

/** Sections of sessions whose splits do not fit each other: metres, and how many there may be. */
const STEPS = [100, 250, 500, 1000, 2500, 5000, 10000];
const SECTIONS = 12;
/** So many sessions of each kind are offered. */
const OFFERED = 40;
/** A section has most of a difference from this share of it on. */
const MOST = 0.4;

const isNear = (one, other, by) => isNumber(one) && isNumber(other) && Math.abs(one - other) < by;

// MARK: Which

/** Whether two lines of the list are the same piece: as long as each other, and of one kind. */
function isSamePiece(one, other) {
  return one.workout === other.workout && Boolean(common(one, other));
}

/**
 * Of the list's `lines` those that `session` can be held against: the same piece of the athlete's
 * own, of others, and what else the athlete rowed; the nearest in time first.
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

/** What two results have in common: `distance`, `time`, or nothing. */
function common(one, other) {
  const hasDistance = isNear(one.distance_m, other.distance_m, 1);
  const hasTime = isNear(one.result_time_s, other.result_time_s, 0.1);
  const isTimed = one.session_type === 'time' || /time/.test(one.workout);
  return isTimed && hasTime ? 'time' : hasDistance ? 'distance' : '';
}

/**
 * `{ number, distance_m, duration_s, pace, rate, heart, lead }` of each section: figures are pairs,
 * of this session and of the other. The `lead` of this one at the end of a section is in seconds,
 * in metres where sections are of equal time (`isMetres`), null where it is not known.
 */
export function sections(one, other) {
  const count = Math.min(one.detail.splits.length, other.detail.splits.length);
  const pairs = Array.from({ length: count }, (_, index) =>
    [one.detail.splits[index], other.detail.splits[index]]);
  const fits = (name, by) => count > 0 && pairs.every(([mine, theirs]) =>
    isNear(mine[name], theirs[name], by));
  const isMetres = !fits('distance_m', 1) && fits('duration_s', 0.1);
  if (isMetres || fits('distance_m', 1)) return told(pairs, isMetres, true);
  const isParted = [one, other].some(({ detail }) => detail.summary.session_type === 'intervals');
  return isParted ? told(pairs, false, false) : rowed(one.strokes, other.strokes);
}

/** Of the splits that the monitors told. */
function told(pairs, isMetres, hasLead) {
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

/** Of strokes, over the metres that both rowed. */
function rowed(...both) {
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

/** When so many metres were rowed, between two strokes; null where those are not here. */
function timeAt(strokes, metres) {
  if (metres === 0) return 0;
  const index = strokes.findIndex((stroke) => stroke.distance_m >= metres);
  const after = strokes[index];
  const before = strokes[index - 1] || { stroke: 0, distance_m: 0, elapsed_s: 0 };
  if (!after || after.stroke !== before.stroke + 1) return null;
  const share = (metres - before.distance_m) / (after.distance_m - before.distance_m);
  return before.elapsed_s + share * (after.elapsed_s - before.elapsed_s);
}

// MARK: What differs

/** All of both as a section has it. */
export function whole(one, other) {
  const by = (name) => [one, other].map(({ detail }) => detail.summary[name]);
  return { pace: by('avg_pace_s_per_500m'), rate: by('avg_stroke_rate_spm'),
    heart: by('avg_heart_rate_bpm'), lead: null };
}

/**
 * This one less the other, of what is shown with so many places, truncated where `isCut`; null where
 * one is not known.
 */
export function difference([mine, theirs], places, isCut) {
  if (!(mine > 0 && theirs > 0)) return null;
  if (!isCut) return figures.shownDifference(mine, theirs, places);
  const scale = Math.pow(10, places);
  const cut = (value) => Math.floor(value * scale + 1e-6) / scale;
  return cut(mine) - cut(theirs);
}

/** `+1.3`, with a real minus. */
export function signed(value, places, words) {
  const text = figures.decimal(Math.abs(value), places, words.decimal);
  return (Number(value.toFixed(places)) === 0 ? '\u00b1' : value < 0 ? '\u2212' : '+') + text;
}

/** What differs in the result, in words, and where most of it came about. */
export function verdict(one, other, rows, words) {
  const [mine, theirs] = [one.detail.summary, other.detail.summary];
  const kind = mine.session_type === theirs.session_type ? common(mine, theirs) : '';
  const results = [mine, theirs].map((summary) => (kind === 'distance'
    ? standing.time(summary.result_time_s, words)
    : kind ? standing.distance(summary.distance_m, words)
      : figures.withUnit(figures.pace(summary.avg_pace_s_per_500m, words.decimal),
        words.units.pace)));
  const less = (name, places, isCut) => difference([mine[name], theirs[name]], places, isCut);
  const by = kind === 'distance' ? less('result_time_s', 1)
    : kind ? less('distance_m', 0, true) : less('avg_pace_s_per_500m', 1, true);
  if (by === null) return [words.noVerdict];
  // Metres are what to have more of; of time and pace less is better.
  const gain = kind === 'time' ? by : -by;
  const said = [result(gain, kind, words), fill(words.against, ...results)];
  const number = mostOf(gain, kind, rows);
  if (number) said.push(fill(words.mostIn, number));
  if (!kind) said.push(words.otherLength);
  if (one.machine && other.machine && one.machine !== other.machine) said.push(words.otherMachine);
  return said;
}

function result(gain, kind, words) {
  const size = Math.abs(gain);
  if (size < (kind === 'time' ? 0.5 : 0.05)) return words.sameResult;
  if (kind === 'time') {
    return fill(gain > 0 ? words.further : words.lessFar, standing.distance(size, words));
  }
  const text = kind && size >= 60 ? standing.time(size, words)
    : figures.withUnit(figures.decimal(size, 1, words.decimal), kind ? 's' : 's/500\u202fm');
  return fill(gain > 0 ? words.faster : words.slower, text);
}

/** The section in which most of the gain came about; 0 where there is none. */
function mostOf(gain, kind, rows) {
  if (!kind || rows.length < 3 || rows.some((row) => row.lead === null)) return 0;
  const parts = rows.map((row, index) => row.lead - (index ? rows[index - 1].lead : 0));
  const most = parts.reduce((best, part, index) =>
    (part * gain > parts[best] * gain ? index : best), 0);
  return parts[most] / gain >= MOST ? most + 1 : 0;
}
