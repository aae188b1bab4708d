// What a tile says, from the messages of its erg. No page and no clock in here: `now` is given.
import { timeOfDay } from './clubtime.js';
import * as figures from './figures.js';
import { isGold } from './newbest.js';
import { countdown, isEqual, pieceName, progress, target } from './piece.js';
import { distance, heart, quantity } from './quantity.js';
import { averageUnit, resultLine, resultShown } from './result.js';
import { rank } from './places.js';
import { asked, light } from './target.js';
import { travel, workTime } from './travel.js';
import { fill } from './words.js';

/** How long a result stays on an erg whose monitor went back to its menu: milliseconds. */
const RESULT_STAYS = 10 * 60 * 1000;

/** Figures that are older than this turn a tile grey: milliseconds. */
const SILENT_AFTER = 3000;

export const UNDER_WAY = ['rowing', 'paused', 'resting'];

/**
 * What is shown: `state` names the tile's look; `word` stands beside the name, and `brief` instead
 * where there is little room; `big` the large figure or text with `unit`, and `label` for who
 * listens; `lines` the sentences below; `row` up to three figures; `go` and `share` what is to be
 * done yet; `curve` the force of the last stroke; `light` how a target is kept to, `place` and `gap`
 * where somebody is in a piece that all row. Empty text and null are not shown.
 *
 * `view` has the `words`, the `now` of the running clock, whether figures have `moves` between
 * messages, and the `track` of this tile's distance, which is handed back.
 */
export function tile(erg, room, view) {
  const facts = read(erg, room, view);
  const shown = Object.assign(blank(), looks[facts.look](facts, view));
  shown.key = erg.key;
  shown.state = facts.look;
  shown.place = figures.place(erg.slug);
  shown.name = facts.name || (/^\d+$/.test(shown.place)
    ? fill(view.words.erg, shown.place) : shown.place);
  shown.hasAthlete = facts.name !== '';
  shown.interval = UNDER_WAY.indexOf(facts.look) >= 0 ? intervalText(facts, view.words) : '';
  shown.isStale = facts.trouble !== null;
  const session = facts.state.session_id || (facts.result && facts.result.payload.session_id);
  shown.isBest = isGold(room, erg, session, view.now);
  if (shown.isStale) Object.assign(shown, facts.trouble);
  return shown;
}

/** The tiles of `ergs`; `trackOf` gives what was shown of an erg's distance before. */
export function tiles(ergs, room, view, trackOf) {
  const shown = ergs.map((erg) =>
    tile(erg, room, Object.assign({}, view, { track: trackOf(erg) })));
  nameTwins(shown, ergs);
  rank(shown.map((one, index) => runOf(one, ergs[index], view)));
  for (const one of shown) sayPlace(one, view.words);
  return shown;
}

const goalOf = (workout) => workout.target_distance_m || workout.target_time_s;

/** The last stroke of a whole piece ends at most so far before its goal: metres, seconds. */
const [LAST_METRES, LAST_SECONDS] = [20, 5];

const isWhole = (stroke, workout) => (workout.target_distance_m
  ? stroke.distance_m >= workout.target_distance_m - LAST_METRES
  : stroke.elapsed_s >= workout.target_time_s - LAST_SECONDS);

/** What `rank` compares. */
function runOf(shown, erg, view) {
  if (shown.state === 'finished') return doneOf(shown, erg, view);
  const state = payloadOf(erg.messages, 'state') || {};
  const { moment } = erg;
  const live = moment ? moment.payload : {};
  return {
    tile: shown, type: state.session_type, goal: goalOf(state),
    metres: shown.track ? shown.track.metres : 0, speed: live.speed_m_per_s,
    seconds: moment ? workTime(moment, view.now, view.moves) : 0,
    begun: live.ts_ms / 1000 - live.elapsed_s,
  };
}

/** The same of a finished piece; before its result arrives, as its last stroke tells. */
function doneOf(shown, erg, view) {
  const state = payloadOf(erg.messages, 'state') || {};
  const result = freshResult({ result: resultOf(erg.messages), state }, view);
  if (result) {
    return {
      tile: shown, type: result.session_type, goal: goalOf(result), metres: result.distance_m,
      seconds: result.result_time_s, isDone: result.complete !== false,
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

/** The place stands beside the name; what is wrong with the tile goes before it. */
function sayPlace(shown, words) {
  if (!shown.rank || shown.isStale) return;
  const place = fill(words.place, shown.rank);
  const metres = Math.round(shown.gap);
  const gap = figures.withUnit(figures.metres(metres), words.units.metres);
  shown.brief = shown.state === 'finished' ? place : String(shown.rank);
  if (shown.state === 'finished') shown.word += ' \u00b7 ' + place;
  else if (shown.rank === 1) shown.word = words.placeLeads;
  else if (shown.gap === null) shown.word = place;
  else shown.word = metres > 0 ? fill(words.placeBehind, shown.rank, gap)
    : fill(words.placeLevel, shown.rank);
  if (shown.state !== 'finished' && metres > 0) shown.brief += ' \u00b7 +' + gap;
}

/** Two gateways may have a place of the same name: their ergs then say whose they are. */
function nameTwins(shown, ergs) {
  const seen = new Map();
  for (const erg of ergs) seen.set(erg.slug, (seen.get(erg.slug) || 0) + 1);
  ergs.forEach((erg, index) => {
    if (seen.get(erg.slug) < 2) return;
    shown[index].place = figures.place(erg.gw) + ' ' + shown[index].place;
    if (!shown[index].hasAthlete) shown[index].name = shown[index].place;
  });
}

function blank() {
  return {
    word: '', brief: '', label: '', big: '', isText: false, unit: '', lines: [], row: [],
    go: '', share: null, curve: null, verified: null, track: null, pace: null, rate: null,
    piece: '', interval: '', light: null, asked: '', moment: null, rank: 0, gap: 0,
  };
}

// MARK: What is known

const payloadOf = (messages, kind) => (messages[kind] ? messages[kind].payload : null);

/** The message of a kind if it is of this session. */
function ofSession(messages, kind, session) {
  const payload = payloadOf(messages, kind);
  return payload && session && payload.session_id === session ? payload : null;
}

/** What stands there: `rower`, `ski` or `bike`; a rower where nobody says. */
export function machineOf(erg) {
  return figures.machineOf((payloadOf(erg.messages, 'info') || {}).machine_type);
}

function read(erg, room, view) {
  const messages = erg.messages;
  const state = payloadOf(messages, 'state') || {};
  const gateway = room.gateways.get(erg.gw);
  const gatewayLoss = lossOf(gateway && gateway.messages);
  const loss = lossOf(messages);
  const facts = {
    erg, state, gatewayLoss, loss, name: figures.line(state.athlete_name, 80),
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

/** Since when something is offline; null when it is not, or nobody said. */
function lossOf(messages) {
  const entry = messages && messages.availability;
  return entry && entry.payload === 'offline' ? entry : null;
}

/** Figures that were heard so long before the present state began are another session's. */
const EARLIER = 5000;

/** While something is away the last figures stay, whatever was said of the state since. */
function momentOf(erg, isLost) {
  const { moment, messages } = erg;
  const isEarlier = moment && messages.state && moment.heard < messages.state.heard - EARLIER;
  return isEarlier && !isLost ? null : moment;
}

/** The newest summary: the live one and the retained one are the same, or one is older. */
function resultOf(messages) {
  const results = ['summary', 'last_summary'].map((kind) => messages[kind]).filter(Boolean);
  results.sort((a, b) => b.payload.ended_ms - a.payload.ended_ms
    || b.payload.revision - a.payload.revision);
  return results[0] || null;
}

/** The result of the state's own session, or one so young that it still belongs on the tile. */
function freshResult(facts, view) {
  const { result, state } = facts;
  if (!result) return null;
  const isShown = state.session_id ? state.session_id === result.payload.session_id
    : view.now - result.heard < RESULT_STAYS;
  return isShown ? result.payload : null;
}

function lookOf(facts, view) {
  const said = facts.state.state || (facts.moment && facts.moment.payload.state);
  if (UNDER_WAY.indexOf(said) >= 0) return said;
  if (facts.gatewayLoss) return 'gone';
  if (['released', 'parked', 'asleep'].indexOf(said) >= 0) return said;
  if (facts.loss || !said) return 'searching';
  if (said === 'finished') return 'finished';
  if (said === 'ready') return 'armed';
  return freshResult(facts, view) ? 'finished' : 'free';
}

/** Why the figures of who rows are not of now, at length and briefly; null when they are. */
function troubleOf(facts, view) {
  const { words, now } = view;
  if (UNDER_WAY.indexOf(facts.look) < 0) return null;
  const heard = facts.moment || facts.erg.messages.state;
  const [text, entry] = facts.gatewayLoss ? [words.away, facts.gatewayLoss]
    : facts.loss ? [words.lost, facts.loss] : [words.silent, heard];
  if (text === words.silent && now - heard.heard <= SILENT_AFTER) return null;
  const age = (since) => figures.age((now - since.heard) / 1000, words.ages);
  return { word: fill(text, age(entry)), brief: fill(words.ago, age(heard)) };
}

// MARK: What each state shows

const looks = {
  rowing(facts, view) {
    const { words } = view;
    const live = facts.moment ? facts.moment.payload : {};
    const piece = pieceName(facts.state, words);
    const shown = Object.assign(way(facts, view), {
      big: figures.pace(live.pace_s_per_500m, words.decimal, facts.machine),
      unit: figures.paceUnit(facts.machine, words.units),
      label: words.names.pace,
      row: [
        quantity('rate', figures.effort(live.stroke_rate_spm), words),
        quantity('power', figures.effort(live.power_w), words), heart(live.heart_rate_bpm, words)],
      curve: curveOf(facts), piece, word: intervalOf(facts, words),
    });
    shown.light = light(live, words);
    shown.asked = asked(live, words, words.fromTo, facts.machine);
    shown.moment = live;
    shown.machine = facts.machine;
    // What counts for the room's mean: only what is of now.
    shown.pace = live.pace_s_per_500m || null;
    shown.rate = live.stroke_rate_spm || null;
    return shown;
  },

  paused(facts, view) {
    const { words } = view;
    const live = facts.moment ? facts.moment.payload : {};
    return Object.assign(way(facts, view), {
      word: words.paused,
      big: figures.pace(live.avg_pace_s_per_500m, words.decimal, facts.machine),
      label: words.names.pace, unit: averageUnit(facts.machine, words),
      row: [
        { label: words.names.time, value: figures.elapsed(live.elapsed_s), unit: '' },
        heart(live.heart_rate_bpm, words)],
      piece: pieceName(facts.state, words),
    });
  },

  resting(facts, view) {
    const { words } = view;
    const live = facts.moment ? facts.moment.payload : {};
    const isOpen = /undefined_rest/.test(facts.state.workout || '');
    const timed = !isOpen && typeof live.rest_time_s === 'number';
    const isLast = countOf(facts) > 0 && intervalNumber(facts) >= countOf(facts);
    // Of intervals that differ the length of the first one is known, not of the next.
    const next = isEqual(facts.state) && !isLast ? target(facts.state, words) : '';
    return {
      word: intervalOf(facts, words), isText: !timed,
      big: timed ? figures.remaining(live.rest_time_s) : words.rest,
      unit: timed ? words.rest : '', row: lastInterval(facts, words),
      lines: [isOpen ? words.whenReady : next ? fill(words.next, next) : ''].filter(Boolean),
      piece: pieceName(facts.state, words),
    };
  },

  finished(facts, view) {
    const { words } = view;
    const result = freshResult(facts, view);
    if (result) return resultShown(result, words, facts.machine);
    const stroke = facts.stroke || {};
    return {
      word: words.finished, label: words.names.time,
      big: figures.tenths(stroke.elapsed_s, words.decimal),
      row: [distance(stroke.distance_m, words)],
      lines: [pieceName(facts.state, words)].filter(Boolean),
    };
  },

  armed(facts, view) {
    const { words } = view;
    const before = freshResult({ result: facts.result, state: {} }, view);
    const lines = [facts.isMachineRowed ? words.row : words.start];
    if (before) lines.push(fill(words.lastResult, resultLine(before, words)));
    const piece = pieceName(facts.state, words);
    return { word: words.armed, big: piece || words.workout, isText: true, lines, piece };
  },

  free(facts, { words }) {
    return says(words.free, [facts.isMachineRowed ? words.sit : words.start]);
  },

  asleep(facts, view) {
    return says(since(facts.erg.messages.state, view, 'asleep'), [view.words.wakes]);
  },

  searching(facts, view) {
    const { words } = view;
    if (!facts.loss || !facts.erg.messages.info) return says(words.notHeard, [words.wake]);
    return says(since(facts.loss, view, 'searching'), [words.press]);
  },

  released(facts, { words }) { return says(words.released, [words.phone]); },

  parked(facts, { words }) {
    return says(words.parked, [figures.sentence(facts.state.reason, 120)].filter(Boolean));
  },

  gone(facts, view) {
    return says(since(facts.gatewayLoss, view, 'gone'), [fill(view.words.values, facts.erg.gw)]);
  },
};

/** A large word instead of a figure, and what a person can do. */
function says(big, lines) {
  return { big, isText: true, lines };
}

/** `asleep since 17:55`, or without the time while the server has told none. */
function since(entry, view, word) {
  if (view.serverOffset === null) return view.words[word];
  const time = timeOfDay(entry.heard + view.serverOffset);
  return fill(view.words[word + 'Since'], time);
}

/** What is to go, and the distance that was counted up to show it. */
function way(facts, view) {
  if (!facts.moment) return {};
  const live = facts.moment.payload;
  const track = travel(view.track, facts.moment, view.now, view.moves);
  const time = workTime(facts.moment, view.now, view.moves);
  const kcal = facts.stroke ? facts.stroke.calories_kcal : undefined;
  const done = facts.split ? facts.split.split : 0;
  const here = countdown(facts.state, live, track.metres, time, kcal, view.words)
    || progress(facts.state, track.metres, time, kcal, done, view.words);
  return { track, go: here.text, share: here.share };
}

/**
 * The number of the interval that is rowed, in a rest of the one just rowed; 0 where there is none.
 * A monitor reports a split only at the end of the rest behind it.
 */
function intervalNumber(facts) {
  if (facts.state.session_type !== 'intervals') return 0;
  const known = (ofNow(facts).interval || 0);
  if (known > 0) return known;
  const behind = facts.split ? facts.split.split : 0;
  const rowed = (facts.stroke || {}).interval || 0;
  return facts.look === 'resting' ? Math.max(behind, rowed) : Math.max(behind + 1, rowed || 1);
}

/** The message with the present interval: a rest's is in the state too, for who comes late. */
function ofNow(facts) {
  const live = facts.moment ? facts.moment.payload : {};
  return live.interval > 0 || facts.look !== 'resting' ? live : facts.state;
}

/** How many intervals are set; 0 where that is not known. */
function countOf(facts) {
  return facts.state.interval_count || ofNow(facts).interval_count || 0;
}

/** `2`, or `2 of 8`; empty where no interval is rowed. */
function intervalText(facts, words) {
  const number = intervalNumber(facts);
  const count = countOf(facts);
  return number > 0 ? count >= number ? fill(words.of, number, count) : String(number) : '';
}

function intervalOf(facts, words) {
  const text = intervalText(facts, words);
  return text && fill(words.interval, text);
}

/** What the interval before this rest came to, if that is known; never an earlier one. */
function lastInterval(facts, words) {
  const live = facts.moment ? facts.moment.payload : {};
  const split = facts.split || {};
  const pace = ofNow(facts).interval_avg_pace_s_per_500m
    || (split.split === intervalNumber(facts) ? split.avg_pace_s_per_500m : undefined);
  const text = figures.pace(pace, words.decimal, facts.machine);
  const average = text === figures.DASH ? null
    : { label: words.names.average, value: text, unit: words.last };
  return [average, heart(live.heart_rate_bpm, words)].filter(Boolean);
}

/** The force of the last stroke; one that lost a part on the radio has another shape: not shown. */
function curveOf(facts) {
  const force = ofSession(facts.erg.messages, 'force', facts.state.session_id);
  if (!force || !force.complete || !Array.isArray(force.force_n)) return null;
  const points = force.force_n;
  if (points.length < 3 || !points.every((point) => typeof point === 'number')) return null;
  return { id: force.session_id + '/' + force.stroke, points };
}
