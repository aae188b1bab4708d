// The race page: moving lanes, the start call, and the results.
import { get } from '../common/api-client.js';
import * as format from '../common/format.js';
import { byId, dayOf, initPage, queryParam, strings, withRoom } from '../common/page.js';
import { newThrottle, RenderLoop } from '../common/render-loop.js';
import { AWAY_AFTER, emptyRoom } from '../common/room.js';
import { showMenuOnUse } from '../common/screen-menu.js';
import { followRoom } from '../common/stream.js';
import { Attribute, Text } from '../common/view.js';
import { keepScreenOn } from '../common/wake-lock.js';
import { header } from '../wall/header.js';
import { estimateWorkTime } from '../wall/ranking.js';
import { tiles as tilesOf } from '../wall/tile.js';
import { Controls } from './controls.js';
import { boatSpeed, courseLength, even, order, share, stretch } from './course.js';
import {
  briefName, falseStartTexts, gapToFirst, isOut, isOver, laneKey, laneName, laneStatus, paceBoatText, pieceOf,
  resultLines, resultText, subtitle
} from './result.js';
import { startCall } from './start-call.js';
import { RaceView } from './view.js';

const raceStrings = strings.racePage;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;
const room = emptyRoom();
const device = newThrottle();
const texts = {};
for (const id of ['title', 'sub', 'mean', 'clock', 'notice', 'empty', 'why', 'when', 'boat', 'best',
  'word', 'count']) texts[id] = new Text(byId(id));
const looks = {
  load: new Attribute(root, 'data-load'), notice: new Attribute(root, 'data-notice'),
  phase: new Attribute(root, 'data-phase'), rest: new Attribute(root, 'data-rest') };
const spoken = byId('spoken');
const view = new RaceView(strings, raceStrings);

/** Milliseconds between two movements of the boats; each is animated until the next. */
const STEP = 400;

/** A boat without messages for this long is not moved further: seconds. */
const STALE_AFTER = 2.5;

/** A boat without messages stays behind this part of the course, because only the monitor decides that it finished. */
const BEFORE_FINISH = 0.99;

/** The id of a race of the archive; null for the current race. */
const archivedRace = queryParam('id');

initPage(strings.race);
showMenuOnUse('/race');
if (!archivedRace) keepScreenOn();

/** State of the race that stays between two frames. */
let memory = null;
let fixed = queryParam('lanes') === 'fixed' ? true : null;

function remember(race) {
  if (memory && memory.id === race.race_id && memory.called === race.called_ms) return;
  memory = { id: race.race_id, called: race.called_ms, order: [], shown: null, length: 0,
    tracks: new Map(), metres: new Map(), lost: new Map(), spoken: '', stepped: -STEP };
}

// MARK: Drawing

function draw(now) {
  const { race } = room;
  const isAway = !archivedRace && room.receivedAt !== null && now - room.receivedAt > AWAY_AFTER;
  const look = { strings, now, moves: device.level === 0 && !calm.matches,
    serverOffset: room.serverOffset, isAway };
  looks.rest.put(look.moves ? '' : 'yes');
  if (race) remember(race);
  const ergs = race ? race.lanes.map((lane) => room.ergs.get(laneKey(lane))).filter(Boolean) : [];
  const tiles = new Map(tilesOf(ergs, room, look, (erg) => memory.tracks.get(erg.key) || null)
    .map((tile) => [tile.key, tile]));
  const top = header(room, Array.from(tiles.values()), look);
  const phase = race ? race.phase : '';
  looks.phase.put(phase);
  texts.when.put(race ? whenAndWhere(race) : '');
  texts.clock.put(top.clock);
  texts.mean.put(phase === 'rowing' ? top.mean : '');
  let moves = false;
  let ahead = 0;
  if (!race) {
    texts.title.put(strings.race);
    view.showNone();
  } else if (phase === 'over') {
    texts.title.put(pieceOf(race, strings));
    view.showResults(resultLines(race, tiles, strings, raceStrings,
      view.resultColumns(race.lanes.length + (race.teams ? race.teams.length : 0)) > 1));
  } else {
    texts.title.put(pieceOf(race, strings));
    ahead = drawWater(race, tiles, look);
    moves = phase !== 'ready';
  }
  drawWords(race, top, ahead, look);
  controls.show(race, isAway, shownLanes(race), fixed === null ? isFixed(race) : fixed);
  return moves;
}

const isFixed = (race) => Boolean(race && race.lanes_fixed);

function drawWater(race, tiles, look) {
  const boats = even(race.lanes.map((lane) => boatOf(race, lane, tiles, look)), race);
  const known = order(boats, memory.order);
  memory.order = known;
  const byKey = new Map(boats.map((boat) => [boat.key, boat]));
  const sorted = known.map((key) => byKey.get(key));
  const length = courseLength(race, boats, memory.length);
  memory.length = length;
  const shown = stretch(boats, length, memory.shown);
  memory.shown = shown;
  const first = sorted[0];
  const ahead = first && !first.isOut ? first.metres : 0;
  const elapsed = sinceSignal(race, look);
  const speed = boatSpeed(race);
  const paceMetres = speed && elapsed !== null ? Math.min(Math.max(0, elapsed) * speed,
    race.distance_m || Infinity) : null;
  memory.boat = { metres: paceMetres, ahead, time: elapsed };
  // Before the start, lanes stay in their order.
  const keepsLanes = race.phase !== 'rowing' || (fixed === null ? isFixed(race) : fixed);
  const isStep = !look.moves || look.now - memory.stepped >= STEP
    || memory.stepShown !== shown.span || memory.stepRace !== race;
  if (isStep) Object.assign(memory, { stepped: look.now, stepShown: shown.span, stepRace: race });
  const rows = race.lanes.map((lane, index) => {
    const boat = byKey.get(laneKey(lane));
    const rank = known.indexOf(boat.key);
    return Object.assign({ row: keepsLanes ? index : rank, lane: index + 1 },
      laneShown(race, lane, boat, rank, sorted, tiles.get(boat.key), shown));
  });
  view.showWater(rows, { shown, length, boat: paceMetres, isStep,
    dots: boats.filter((boat) => !boat.isOut).map((boat) => boat.metres) });
  return ahead;
}

/** The position of a boat, and whether its data are current. */
function boatOf(race, lane, tiles, look) {
  const key = laneKey(lane);
  const tile = tiles.get(key);
  const rows = lane.standing === 'rowing';
  if (tile) memory.tracks.set(key, rows ? tile.track : null);
  const result = lane.result || null;
  let metres = rows ? memory.metres.get(key) || 0 : 0;
  if (rows && tile && tile.track) metres = tile.track.metres;
  if (rows && tile && tile.state === 'finished' && race.distance_m) metres = race.distance_m;
  const isStale = rows && (!tile || tile.isStale || ['gone', 'searching'].indexOf(tile.state) >= 0);
  if (isStale && !result && !(tile && tile.state === 'finished')) metres = goOn(key, metres, race, look.now);
  else memory.lost.delete(key);
  if (result) metres = result.distance_m;
  if (race.distance_m) metres = Math.min(metres, race.distance_m);
  memory.metres.set(key, metres);
  const erg = room.ergs.get(key);
  const live = erg && erg.moment ? erg.moment.payload : {};
  // The target of the animation: where the boat will be at the next step.
  const age = erg && erg.moment ? (look.now - erg.moment.receivedAt) / 1000 : STALE_AFTER;
  const lost = memory.lost.get(key);
  const isSent = look.moves && rows && !result && (lost || live.state === 'rowing' && age < STALE_AFTER);
  const next = metres + (isSent ? (lost || { speed: live.speed_m_per_s }).speed * STEP / 1000 || 0 : 0);
  return {
    key, metres, next: race.distance_m ? Math.min(next, race.distance_m) : next, rank: lane.rank,
    isOver: isOver(lane), isOut: isOut(lane),
    time: rows && erg && erg.moment ? estimateWorkTime(erg.moment, look.now, look.moves) : 0,
    speed: live.speed_m_per_s || 0,
    isStale,
  };
}

/**
 * The position of a boat whose messages are missing: on from the last one at its last speed, to just before the finish.
 * Its result is the monitor's when it returns.
 */
function goOn(key, metres, race, now) {
  const erg = room.ergs.get(key);
  const moment = erg && erg.moment;
  if (moment && moment.payload.state === 'rowing') {
    const { distance_m: base, speed_m_per_s: speed } = moment.payload;
    memory.lost.set(key, { base: base || 0, speed: speed || 0, since: moment.receivedAt });
  }
  const lost = memory.lost.get(key);
  if (!lost) return metres;
  const end = race.distance_m ? race.distance_m * BEFORE_FINISH : Infinity;
  const seconds = (Math.min(now, lastMoment(race)) - lost.since) / 1000;
  return Math.max(lost.base, Math.min(end, lost.base + lost.speed * Math.max(0, seconds)));
}

/** The time at which a timed race ends for a lost boat; in others, it goes on. */
function lastMoment(race) {
  if (!race.duration_s || !race.signal_ms || room.serverOffset === null) return Infinity;
  return race.signal_ms - room.serverOffset + race.duration_s * 1000;
}

/** The texts of a lane. */
function laneShown(race, lane, boat, rank, sorted, tile, shown) {
  const rowing = lane.standing === 'rowing';
  const result = isOver(lane) ? lane.result : null;
  const first = sorted[0];
  const shownLane = {
    key: boat.key, name: laneName(lane, tile, strings), brief: briefName(lane), share: share(boat.next, shown),
    number: race.phase === 'rowing' && !boat.isOut ? String(lane.place || rank + 1)
      : race.phase === 'rowing' ? '' : String(race.lanes.indexOf(lane) + 1),
    pace: '', gap: '', word: laneStatus(lane, raceStrings),
    early: race.phase === 'rowing' && lane.false_starts ? raceStrings.falseStart : '',
    standing: lane.standing, isStale: boat.isStale, isEarly: lane.false_starts > 0,
    isFirst: rank === 0 && rowing && race.phase === 'rowing',
  };
  if (race.phase !== 'rowing') {
    if (rowing) shownLane.word = raceStrings.moved;
  } else if (result) {
    const best = sorted.map((one) => race.lanes.find((other) => laneKey(other) === one.key))
      .filter(isOver)[0];
    shownLane.pace = resultText(race, result, strings);
    shownLane.gap = gapToFirst(race, result, best && best.result, strings) || raceStrings.finished;
  } else if (rowing) {
    const pace = tile && tile.pace ? format.pace(tile.pace, strings.decimal, tile.machine) : '';
    shownLane.pace = pace && tile.machine === 'bike' ? format.withUnit(pace, strings.units.bikePace) : pace;
    const gap = Math.round((first.isOver && race.distance_m ? race.distance_m : first.even)
      - boat.even);
    shownLane.gap = boat.isStale ? staleWord(tile) : rank === 0 ? raceStrings.leads
      : gap > 0 ? '+' + format.withUnit(format.metres(gap), strings.units.metres) : raceStrings.level;
  }
  return shownLane;
}

const staleWord = (tile) => (tile && tile.brief) || strings.searching;

// MARK: Texts

/** Day and place of the race, as far as known. */
const whenAndWhere = ({ signal_ms: signal, location }) => [signal && dayOf(signal), location].filter(Boolean).join(' \u00b7 ');

/** Seconds since the start signal by the server's clock; null if unknown. */
function sinceSignal(race, look) {
  if (room.serverOffset === null || !race.signal_ms) return null;
  return (look.now + room.serverOffset - race.signal_ms) / 1000;
}

function drawWords(race, top, ahead, look) {
  const notice = top.notice;
  const elapsed = race ? sinceSignal(race, look) : null;
  const left = race && race.duration_s ? race.duration_s - Math.max(0, elapsed || 0) : 0;
  const about = race ? subtitle(race, ahead, left, strings, raceStrings) : '';
  texts.sub.put([archivedRace && race && whenAndWhere(race), about].filter(Boolean).join(' \u00b7 '));
  texts.best.put(top.best);
  texts.notice.put(notice ? notice.text : '');
  looks.notice.put(notice ? notice.kind : '');
  const isNone = !race && room.receivedAt !== null;
  texts.empty.put(isNone ? archivedRace ? raceStrings.unknown : raceStrings.none : '');
  texts.why.put(isNone && !archivedRace ? raceStrings.noneHint : '');
  const isRacing = race && race.phase === 'rowing' && memory.boat;
  texts.boat.put(race && race.phase !== 'over' ? paceBoatText(race, isRacing ? ahead : null,
    isRacing ? memory.boat.metres : null, strings, raceStrings) : '');
  const word = drawCall(race, elapsed);
  const announcement = notice ? notice.text
    : word || (race ? falseStartTexts(race, strings, raceStrings) : '') || top.best;
  if (memory && memory.spoken !== announcement) spoken.textContent = announcement;
  if (memory) memory.spoken = announcement;
}

/** Shows "sit ready", "attention" with the seconds, or "row". Returns the word. */
function drawCall(race, elapsed) {
  const isCalled = race && elapsed !== null && ['countdown', 'rowing'].indexOf(race.phase) >= 0;
  const to = isCalled ? -elapsed : 0;
  const call = isCalled ? startCall(to) : '';
  byId('call').hidden = !call;
  if (!call) return '';
  // The next frame is requested at the exact start of the next second.
  if (to > 0) frames.requestFrameAt(performance.now() + (to - Math.ceil(to) + 1) * 1000 + 5);
  const word = raceStrings[{ ready: 'sitReady', attention: 'attention', row: 'row' }[call]];
  texts.word.put(word);
  texts.count.put(to > 0 ? String(Math.ceil(to)) : '');
  byId('call').dataset.word = call;
  return word;
}

function shownLanes(race) {
  return race ? race.lanes.map((lane) => Object.assign({ name: laneName(lane, null, strings) }, lane))
    : [];
}

// MARK: Starting the page

const frames = new RenderLoop(device, draw, () => looks.load.put(String(device.level)));
const controls = new Controls(byId('controls'), byId('refusal'), strings, raceStrings, {
  canDecide: !archivedRace,
  requestFrame: () => frames.requestFrame(),
  turn: () => {
    fixed = !(fixed === null ? isFixed(room.race) : fixed);
    frames.requestFrame();
  },
});
/** How long to wait before an unanswered request is sent again: milliseconds. */
const RETRY_AFTER = 5000;

/** Shows a race of the archive, which does not change any more. */
async function showArchived(id) {
  const { status, content } = await get('/api/v1/races/' + encodeURIComponent(id));
  if (status === 200 || status === 404) {
    room.race = status === 200 ? content : null;
    room.receivedAt = performance.now();
  } else {
    setTimeout(() => showArchived(id), RETRY_AFTER);
  }
  frames.requestFrame();
}

// A race may have more ergs than a wall.
if (archivedRace) showArchived(archivedRace);
else followRoom(room, () => frames.requestFrame(), withRoom('/api/v1/live?ergs=all'));
