// The content of a tile, from the messages of its erg. Needs no DOM or clock; `now` is an argument.
import * as format from '../common/format.js';
import { timeOfDay } from '../common/format.js';
import { countdown, isEqual, pieceName, progress, target, targetState, targetText } from '../common/piece.js';
import { interpolate, parkedReason } from '../common/strings.js';
import { hasGoldEdge } from './new-bests.js';
import { estimateDistance, estimateWorkTime, rankTiles } from './ranking.js';

/**
 * @typedef {{ label: string, value: string, unit: string }} Figure
 * @typedef {Object<string, any>} Tile see `tile`
 * @typedef {{ strings: Strings, now: number, moves?: boolean, track?: ?Track, serverOffset?: ?number,
 *   isAway?: boolean, showsPower?: boolean }} View see `tile`
 */
/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Erg} Erg */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('./ranking.js').Track} Track */

/** How long a result is shown after the monitor returned to its menu: milliseconds. */
const RESULT_STAYS = 10 * 60 * 1000;

/** Values older than this turn the tile grey: milliseconds. */
const SILENT_AFTER = 3000;

/** @type {string[]} */
export const ACTIVE_STATES = ['rowing', 'paused', 'resting'];

/**
 * Returns the content: `state` selects the look; `word` is next to the name, `brief` if there is little
 * room; `big` is the main value or text with `unit`, and `label` names it for screen readers; `lines` are
 * the sentences below; `row` has up to three values; `go` and `share` are the progress; `curve` is the last
 * force curve; `light` the target verdict; `rank` and `gap` the place in a common piece. Empty texts and
 * null are not shown. `view` has the `strings`, the monotonic `now`, whether values `moves` between
 * messages, this tile's last `track`, the distance estimate, and whether it `showsPower` as the main value.
 * @type {(erg: Erg, room: Room, view: View) => Tile}
 */
export function tile(erg, room, view) {
  const facts = read(erg, room, view);
  const shown = Object.assign(blank(), looks[facts.look](facts, view));
  shown.key = erg.key;
  shown.machine = facts.machine;
  shown.state = facts.look;
  shown.place = format.place(erg.slug);
  shown.name = facts.name || format.ergName(erg.slug, view.strings.erg);
  shown.hasAthlete = facts.name !== '';
  shown.interval = ACTIVE_STATES.indexOf(facts.look) >= 0 ? intervalText(facts, view.strings) : '';
  shown.isStale = facts.trouble !== null;
  const session = facts.state.session_id || (facts.result && facts.result.payload.session_id);
  shown.isBest = hasGoldEdge(room, erg, session, view.now);
  if (shown.isStale) Object.assign(shown, facts.trouble);
  return shown;
}

/**
 * The tiles of `ergs`; `trackOf` returns the last distance estimate of an erg.
 * @type {(ergs: Erg[], room: Room, view: View, trackOf: (erg: Erg) => ?Track) => Tile[]}
 */
export function tiles(ergs, room, view, trackOf) {
  const shown = ergs.map((erg) =>
    tile(erg, room, Object.assign({}, view, { track: trackOf(erg) })));
  nameTwins(shown, ergs);
  rankTiles(shown.map((one, index) => rankingEntry(one, ergs[index], view)));
  for (const one of shown) showPlace(one, view.strings);
  return shown;
}

const goalOf = (workout) => workout.target_distance_m || workout.target_time_s;

/** The last stroke of a complete piece ends at most this far before the goal: metres, seconds. */
const [LAST_METRES, LAST_SECONDS] = [20, 5];

const isWhole = (stroke, workout) => (workout.target_distance_m
  ? stroke.distance_m >= workout.target_distance_m - LAST_METRES
  : stroke.elapsed_s >= workout.target_time_s - LAST_SECONDS);

/** The input of `rankTiles`. */
function rankingEntry(shown, erg, view) {
  if (shown.state === 'finished') return finishedEntry(shown, erg, view);
  const state = payloadOf(erg.messages, 'state') || {};
  const { moment } = erg;
  const live = moment ? moment.payload : {};
  return {
    tile: shown, type: state.session_type, goal: goalOf(state),
    metres: shown.track ? shown.track.metres : 0, speed: live.speed_m_per_s,
    seconds: moment ? estimateWorkTime(moment, view.now, view.moves) : 0,
    begun: live.ts_ms / 1000 - live.elapsed_s,
  };
}

/** The same for a finished piece: from its result, or from the last stroke before the result arrives. */
function finishedEntry(shown, erg, view) {
  const state = payloadOf(erg.messages, 'state') || {};
  const result = freshResult({ result: resultOf(erg.messages), state }, view);
  if (result) {
    return {
      tile: shown, type: result.session_type, goal: goalOf(result), metres: result.distance_m,
      seconds: result.result_time_s, isDone: result.complete !== false && result.partial_result !== true,
      begun: result.started_ms / 1000,
    };
  }
  const stroke = ofSession(erg.messages, 'stroke', state.session_id);
  return {
    tile: shown, type: state.session_type, goal: goalOf(state),
    isDone: Boolean(stroke) && isWhole(stroke, state),
    metres: stroke ? stroke.distance_m : 0, seconds: stroke ? stroke.elapsed_s : 0,
    begun: stroke ? stroke.ts_ms / 1000 - stroke.elapsed_s : 0,
  };
}

/** The place is shown next to the name, unless the data are stale. */
function showPlace(shown, strings) {
  if (!shown.rank || shown.isStale) return;
  const place = interpolate(strings.place, shown.rank);
  const metres = Math.round(shown.gap);
  const gap = format.withUnit(format.metres(metres), strings.units.metres);
  shown.brief = shown.state === 'finished' ? place : String(shown.rank);
  if (shown.state === 'finished') shown.word += ' \u00b7 ' + place;
  else if (shown.rank === 1) shown.word = strings.placeLeads;
  else if (shown.gap === null) shown.word = place;
  else shown.word = metres > 0 ? interpolate(strings.placeBehind, shown.rank, gap)
    : interpolate(strings.placeLevel, shown.rank);
  if (shown.state !== 'finished' && metres > 0) shown.brief += ' \u00b7 +' + gap;
}

/** Ergs with the same name at two gateways show their gateway. */
function nameTwins(shown, ergs) {
  const seen = new Map();
  for (const erg of ergs) seen.set(erg.slug, (seen.get(erg.slug) || 0) + 1);
  ergs.forEach((erg, index) => {
    if (seen.get(erg.slug) < 2) return;
    shown[index].place = format.place(erg.gw) + ' ' + shown[index].place;
    if (!shown[index].hasAthlete) shown[index].name = shown[index].place;
  });
}

function blank() {
  return {
    word: '', brief: '', label: '', big: '', isText: false, unit: '', lines: [], row: [],
    go: '', share: null, curve: null, verified: null, track: null, pace: null, rate: null,
    piece: '', interval: '', light: null, targetText: '', moment: null, rank: 0, gap: 0,
  };
}

// MARK: Reading the messages

const payloadOf = (messages, kind) => (messages[kind] ? messages[kind].payload : null);

/** The message of a kind, if it belongs to this session. */
function ofSession(messages, kind, session) {
  const payload = payloadOf(messages, kind);
  return payload && session && payload.session_id === session ? payload : null;
}

/**
 * The machine: `rower`, `ski` or `bike`; a rower if unknown.
 * @type {(erg: Erg) => string}
 */
export function machineOf(erg) {
  return format.machineOf((payloadOf(erg.messages, 'info') || {}).machine_type);
}

function read(erg, room, view) {
  const messages = erg.messages;
  const state = payloadOf(messages, 'state') || {};
  const gateway = room.gateways.get(erg.gw);
  const gatewayLoss = lossOf(gateway && gateway.messages);
  const loss = lossOf(messages);
  const facts = {
    erg, state, gatewayLoss, loss, name: format.line(state.athlete_name, 80),
    machine: machineOf(erg), isMachineRowed: machineOf(erg) === 'rower',
    moment: momentOf(erg, gatewayLoss || loss),
    stroke: ofSession(messages, 'stroke', state.session_id),
    split: ofSession(messages, 'split', state.session_id), result: resultOf(messages),
    trouble: null,
  };
  facts.look = lookOf(facts, view);
  facts.trouble = troubleOf(facts, view);
  return facts;
}

/** The entry that reports `offline`; null if it is online or unknown. */
function lossOf(messages) {
  const entry = messages && messages.availability;
  return entry && entry.payload === 'offline' ? entry : null;
}

/** Values that arrived this long before the current state belong to an earlier session: milliseconds. */
const EARLIER = 5000;

/** While the connection is lost, the last values stay. */
function momentOf(erg, isLost) {
  const { moment, messages } = erg;
  const isEarlier = moment && messages.state && moment.receivedAt < messages.state.receivedAt - EARLIER;
  return isEarlier && !isLost ? null : moment;
}

/** The newest summary, live or retained. */
function resultOf(messages) {
  const results = ['summary', 'last_summary'].map((kind) => messages[kind]).filter(Boolean);
  results.sort((a, b) => b.payload.ended_ms - a.payload.ended_ms
    || b.payload.revision - a.payload.revision);
  return results[0] || null;
}

/** The result of the current session, or one recent enough to stay on the tile. */
function freshResult(facts, view) {
  const { result, state } = facts;
  if (!result) return null;
  const isShown = state.session_id ? state.session_id === result.payload.session_id
    : view.now - result.receivedAt < RESULT_STAYS;
  return isShown ? result.payload : null;
}

function lookOf(facts, view) {
  const reported = facts.state.state || (facts.moment && facts.moment.payload.state);
  if (ACTIVE_STATES.indexOf(reported) >= 0) return reported;
  if (facts.gatewayLoss) return 'gone';
  if (['released', 'parked', 'asleep'].indexOf(reported) >= 0) return reported;
  if (facts.loss || !reported) return 'searching';
  if (reported === 'finished') return 'finished';
  if (reported === 'ready') return 'armed';
  return freshResult(facts, view) ? 'finished' : 'free';
}

/** Why the values of a rowing erg are not current, as long and brief text; null if they are. */
function troubleOf(facts, view) {
  const { strings, now } = view;
  if (ACTIVE_STATES.indexOf(facts.look) < 0) return null;
  const lastEntry = facts.moment || facts.erg.messages.state;
  const [text, entry] = facts.gatewayLoss ? [strings.gatewayOfflineFor, facts.gatewayLoss]
    : facts.loss ? [strings.searchingFor, facts.loss] : [strings.noSignalFor, lastEntry];
  if (text === strings.noSignalFor && now - lastEntry.receivedAt <= SILENT_AFTER) return null;
  const age = (since) => format.age((now - since.receivedAt) / 1000, strings.ages);
  return { word: interpolate(text, age(entry)), brief: interpolate(strings.ago, age(lastEntry)) };
}

// MARK: Content by state

const looks = {
  rowing(facts, view) {
    const { strings } = view;
    const live = facts.moment ? facts.moment.payload : {};
    const piece = pieceName(facts.state, strings);
    const label = strings.names.pace;
    const pace = format.pace(live.pace_s_per_500m, strings.decimal, facts.machine);
    const power = quantity('power', format.positiveWhole(live.power_w), strings);
    // Below, the pace is in whole seconds, for lack of room.
    const [main, other] = view.showsPower ? [power, { label, value: pace.split(strings.decimal)[0], unit: '' }]
      : [{ label, value: pace, unit: format.paceUnit(facts.machine, strings.units) }, power];
    const shown = Object.assign(progressOf(facts, view), {
      big: main.value, unit: main.unit, label: main.label, showsPower: main === power,
      row: [
        quantity('rate', format.positiveWhole(live.stroke_rate_spm), strings), other,
        heart(live.heart_rate_bpm, strings)],
      curve: curveOf(facts), piece, word: intervalOf(facts, strings),
    });
    shown.light = targetState(live, strings);
    shown.targetText = targetText(live, strings, strings.fromTo, facts.machine);
    shown.moment = live;
    // Only current values count for the room's mean.
    shown.pace = live.pace_s_per_500m || null;
    shown.rate = live.stroke_rate_spm || null;
    return shown;
  },

  paused(facts, view) {
    const { strings } = view;
    const live = facts.moment ? facts.moment.payload : {};
    return Object.assign(progressOf(facts, view), {
      word: strings.paused,
      big: format.pace(live.avg_pace_s_per_500m, strings.decimal, facts.machine),
      label: strings.names.pace, unit: averageUnit(facts.machine, strings),
      row: [
        { label: strings.names.time, value: format.elapsed(live.elapsed_s), unit: '' },
        heart(live.heart_rate_bpm, strings)],
      piece: pieceName(facts.state, strings),
    });
  },

  resting(facts, view) {
    const { strings } = view;
    const live = facts.moment ? facts.moment.payload : {};
    const isOpen = /undefined_rest/.test(facts.state.workout || '');
    const timed = !isOpen && typeof live.rest_time_s === 'number';
    const isLast = countOf(facts) > 0 && intervalNumber(facts) >= countOf(facts);
    // For different intervals, only the length of the first is known.
    const next = isEqual(facts.state) && !isLast ? target(facts.state, strings) : '';
    return {
      word: intervalOf(facts, strings), isText: !timed,
      big: timed ? format.remaining(live.rest_time_s) : strings.rest,
      unit: timed ? strings.rest : '', row: lastInterval(facts, strings),
      lines: [isOpen ? strings.whenReady : next ? interpolate(strings.next, next) : ''].filter(Boolean),
      piece: pieceName(facts.state, strings),
    };
  },

  finished(facts, view) {
    const { strings } = view;
    const result = freshResult(facts, view);
    if (result) return resultShown(result, strings, facts.machine);
    const stroke = facts.stroke || {};
    return {
      word: strings.finished, label: strings.names.time,
      big: format.tenths(stroke.elapsed_s, strings.decimal),
      row: [distance(stroke.distance_m, strings)],
      lines: [pieceName(facts.state, strings)].filter(Boolean),
    };
  },

  armed(facts, view) {
    const { strings } = view;
    const before = freshResult({ result: facts.result, state: {} }, view);
    const lines = [facts.isMachineRowed ? strings.rowToStart : strings.startAnytime];
    if (before) lines.push(interpolate(strings.lastResult, resultLine(before, strings)));
    const piece = pieceName(facts.state, strings);
    return { word: strings.armed, big: piece || strings.workout, isText: true, lines, piece };
  },

  free(facts, { strings }) {
    return textTile(strings.free, [facts.isMachineRowed ? strings.sitDown : strings.startAnytime]);
  },

  asleep(facts, view) {
    const { asleep, asleepSince, wakeHint } = view.strings;
    return textTile(since(facts.erg.messages.state, view, asleep, asleepSince), [wakeHint]);
  },

  searching(facts, view) {
    const { strings } = view;
    if (!facts.loss || !facts.erg.messages.info) return textTile(strings.notFoundYet, [strings.wakeMonitor]);
    return textTile(since(facts.loss, view, strings.searching, strings.searchingSince), [strings.pressHint]);
  },

  released(facts, { strings }) { return textTile(strings.released, [strings.releasedHint]); },

  parked(facts, { strings }) {
    return textTile(strings.parked, [parkedReason(facts.state, strings)].filter(Boolean));
  },

  gone(facts, view) {
    const { gone, goneSince, reconnecting } = view.strings;
    return textTile(since(facts.gatewayLoss, view, gone, goneSince), [interpolate(reconnecting, facts.erg.gw)]);
  },
};

/** A text instead of a value, with a hint. */
function textTile(big, lines) {
  return { big, isText: true, lines };
}

/** `asleep since 17:55`, or `plain` if the server's clock is unknown. */
function since(entry, view, plain, withTime) {
  if (view.serverOffset === null) return plain;
  return interpolate(withTime, timeOfDay(entry.receivedAt + view.serverOffset));
}

/** The progress, and the distance estimate behind it. */
function progressOf(facts, view) {
  if (!facts.moment) return {};
  const live = facts.moment.payload;
  const track = estimateDistance(view.track, facts.moment, view.now, view.moves);
  const time = estimateWorkTime(facts.moment, view.now, view.moves);
  const kcal = facts.stroke ? facts.stroke.calories_kcal : undefined;
  const done = facts.split ? facts.split.split : 0;
  const here = countdown(facts.state, live, track.metres, time, kcal, view.strings)
    || progress(facts.state, track.metres, time, kcal, done, view.strings);
  return { track, go: here.text, share: here.share };
}

/**
 * The number of the current interval; during a rest, of the one before; 0 for none. A monitor reports a
 * split only at the end of the rest behind it.
 */
function intervalNumber(facts) {
  if (facts.state.session_type !== 'intervals') return 0;
  const known = (ofNow(facts).interval || 0);
  if (known > 0) return known;
  const behind = facts.split ? facts.split.split : 0;
  const strokeInterval = (facts.stroke || {}).interval || 0;
  return facts.look === 'resting' ? Math.max(behind, strokeInterval)
    : Math.max(behind + 1, strokeInterval || 1);
}

/**
 * The message with the current interval. During a rest, the state has it too, for pages that open late.
 */
function ofNow(facts) {
  const live = facts.moment ? facts.moment.payload : {};
  return live.interval > 0 || facts.look !== 'resting' ? live : facts.state;
}

/** How many intervals are set; 0 if unknown. */
function countOf(facts) {
  return facts.state.interval_count || ofNow(facts).interval_count || 0;
}

/** `2`, or `2 of 8`; empty outside of intervals. */
function intervalText(facts, strings) {
  const number = intervalNumber(facts);
  const count = countOf(facts);
  return number > 0 ? count >= number ? interpolate(strings.of, number, count) : String(number) : '';
}

function intervalOf(facts, strings) {
  const text = intervalText(facts, strings);
  return text && interpolate(strings.interval, text);
}

/** The result of the interval before this rest, if known; never of an earlier one. */
function lastInterval(facts, strings) {
  const live = facts.moment ? facts.moment.payload : {};
  const split = facts.split || {};
  const pace = ofNow(facts).interval_avg_pace_s_per_500m
    || (split.split === intervalNumber(facts) ? split.avg_pace_s_per_500m : undefined);
  const text = format.pace(pace, strings.decimal, facts.machine);
  const average = text === format.DASH ? null
    : { label: strings.names.average, value: text, unit: strings.last };
  return [average, heart(live.heart_rate_bpm, strings)].filter(Boolean);
}

/** The last force curve. An incomplete one has a wrong shape and is not shown. */
function curveOf(facts) {
  const force = ofSession(facts.erg.messages, 'force', facts.state.session_id);
  if (!force || !force.complete || !Array.isArray(force.force_n)) return null;
  const points = force.force_n;
  if (points.length < 3 || !points.every((point) => typeof point === 'number')) return null;
  return { id: force.session_id + '/' + force.stroke, points };
}

// ---- Values with their units and names, and how a summary is shown.

/**
 * A value with a unit of `strings.units`.
 * @type {(name: string, value: string, strings: Strings) => Figure}
 */
export function quantity(name, value, strings) {
  return { label: strings.names[name], value, unit: value === format.DASH ? '' : strings.units[name] };
}

/**
 * Null without a heart rate belt.
 * @type {(value: number, strings: Strings) => ?Figure}
 */
export function heart(value, strings) {
  return value > 0 ? quantity('heart', format.whole(value), strings) : null;
}

/**
 * The distance in whole metres.
 * @type {(metres: number, strings: Strings) => Figure}
 */
export function distance(metres, strings) {
  const value = format.metres(typeof metres === 'number' ? Math.floor(metres) : undefined);
  return {
    label: strings.names.distance, value, unit: value === format.DASH ? '' : strings.units.metres };
}

/**
 * The main value: time for a distance, distance for a time, average pace for intervals.
 * @type {(result: object, strings: Strings, machine: string) => object}
 */
export function resultShown(result, strings, machine) {
  const distance = format.withUnit(format.metres(result.distance_m), strings.units.metres);
  const time = format.tenths(result.result_time_s, strings.decimal);
  // The machine in the result, or the current one of the erg.
  const on = result.machine_type ? format.machineOf(result.machine_type) : machine;
  const pace = format.pace(result.avg_pace_s_per_500m, strings.decimal, on);
  const paceText = format.withUnit(pace, format.paceUnit(on, strings.units));
  const kind = result.session_type;
  const row = [
    quantity('rate', format.positiveWhole(result.avg_stroke_rate_spm), strings),
    quantity('power', format.positiveWhole(result.avg_power_w), strings),
    heart(result.avg_heart_rate_bpm, strings)];
  const shown = {
    word: result.partial_result === true ? strings.partialResult
      : result.complete === false && kind !== 'just_row' ? strings.stoppedEarly : strings.finished, row,
    verified: typeof result.verified_against_pm5 === 'boolean' ? result.verified_against_pm5 : null,
  };
  if (kind === 'intervals') {
    return Object.assign(shown, {
      label: strings.names.average, big: pace, unit: averageUnit(on, strings),
      lines: [distance + ' \u00b7 ' + time] });
  }
  if (kind === 'time' || kind === 'just_row') {
    return Object.assign(shown, {
      label: strings.names.distance, big: format.metres(result.distance_m),
      unit: strings.units.metres,
      lines: [time + ' \u00b7 ' + paceText] });
  }
  return Object.assign(shown, {
    label: strings.names.time, big: time, lines: [distance + ' \u00b7 ' + paceText] });
}

/**
 * `average`, with the unit for a BikeErg.
 * @type {(machine: string, strings: Strings) => string}
 */
export function averageUnit(machine, strings) {
  return format.paceLabel(machine, strings.average, strings.units);
}

/** @type {(result: object, strings: Strings) => string} */
export function resultLine(result, strings) {
  const distance = format.withUnit(format.metres(result.distance_m), strings.units.metres);
  return distance + ' \u00b7 ' + format.tenths(result.result_time_s, strings.decimal);
}
