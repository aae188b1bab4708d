// The race: lanes that move, the call before the start, and the result list after it.
import { Frames } from './frames.js';
import { AWAY_AFTER, header } from './header.js';
import { newLoad } from './load.js';
import { dress, find, wish, words } from './page.js';
import { boatSpeed, courseLength, even, order, share, stretch } from './raceboat.js';
import { Controls } from './racecontrol.js';
import {
  boatLine, isOut, isOver, keyOf, nameOf, pieceOf, resultLines, standingWord, subOf,
  behindOf, bigOf, earlyNames,
} from './raceresult.js';
import { RaceView } from './raceview.js';
import { raceWords } from './racewords.js';
import { emptyRoom } from './room.js';
import { listen } from './stream.js';
import { tiles as tilesOf } from './tile.js';
import { workTime } from './travel.js';
import { Attribute, Text } from './view.js';
import * as figures from './figures.js';
import { fill } from './words.js';

const said = raceWords(words);
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;
const room = emptyRoom();
const device = newLoad();
const texts = {};
for (const id of ['title', 'sub', 'mean', 'clock', 'notice', 'empty', 'why', 'boat', 'best', 'word',
  'count']) texts[id] = new Text(find(id));
const looks = {
  load: new Attribute(root, 'data-load'), notice: new Attribute(root, 'data-notice'),
  phase: new Attribute(root, 'data-phase'), rest: new Attribute(root, 'data-rest') };
const spoken = find('spoken');
const view = new RaceView(words, said);

/** Above this many seconds it is "sit ready", below "attention". */
const ATTENTION = 5;

/** Boats are sent on their way so often, in one go as far as they come until then: milliseconds. */
const STEP = 400;

/** Without figures nobody is sent on for longer: seconds. */
const RUN_ON = 2.5;

/** "Row" stays for so long after the signal: milliseconds. */
const ROW_STAYS = 2500;

dress(said.title);

/** What is remembered of a race between two pictures. */
let memory = null;
let fixed = wish('lanes') === 'fixed' ? true : null;

function remember(race) {
  if (memory && memory.id === race.race_id && memory.called === race.called_ms) return;
  memory = { id: race.race_id, called: race.called_ms, order: [], shown: null, length: 0,
    tracks: new Map(), metres: new Map(), spoken: '', stepped: -STEP };
}

// MARK: The picture

function draw(now) {
  const { race } = room;
  const isAway = room.heard !== null && now - room.heard > AWAY_AFTER;
  const look = { words, now, moves: device.level === 0 && !calm.matches,
    serverOffset: room.serverOffset, isAway };
  looks.rest.put(look.moves ? '' : 'yes');
  if (race) remember(race);
  const ergs = race ? race.lanes.map((lane) => room.ergs.get(keyOf(lane))).filter(Boolean) : [];
  const tiles = new Map(tilesOf(ergs, room, look, (erg) => memory.tracks.get(erg.key) || null)
    .map((tile) => [tile.key, tile]));
  const top = header(room, Array.from(tiles.values()), look);
  const phase = race ? race.phase : '';
  looks.phase.put(phase);
  texts.clock.put(top.clock);
  texts.mean.put(phase === 'rowing' ? top.mean : '');
  let moves = false;
  let ahead = 0;
  if (!race) {
    texts.title.put(said.title);
    view.showNone();
  } else if (phase === 'over') {
    texts.title.put(pieceOf(race, words));
    view.showResults(resultLines(race, tiles, words, said,
      view.resultColumns(race.lanes.length) > 1));
  } else {
    texts.title.put(pieceOf(race, words));
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
  const rowed = sinceSignal(race, look);
  const speed = boatSpeed(race);
  const paceMetres = speed && rowed !== null ? Math.min(Math.max(0, rowed) * speed,
    race.distance_m || Infinity) : null;
  memory.boat = { metres: paceMetres, ahead, time: rowed };
  // Before the start everybody is where they sit.
  const isKept = race.phase !== 'rowing' || (fixed === null ? isFixed(race) : fixed);
  const isStep = !look.moves || look.now - memory.stepped >= STEP
    || memory.stepShown !== shown.span || memory.stepRace !== race;
  if (isStep) Object.assign(memory, { stepped: look.now, stepShown: shown.span, stepRace: race });
  const rows = race.lanes.map((lane, index) => {
    const boat = byKey.get(keyOf(lane));
    const rank = known.indexOf(boat.key);
    return Object.assign({ row: isKept ? index : rank, lane: index + 1 },
      laneShown(race, lane, boat, rank, sorted, tiles.get(boat.key), shown));
  });
  view.showWater(rows, { shown, length, boat: paceMetres, isStep,
    dots: boats.filter((boat) => !boat.isOut).map((boat) => boat.metres) });
  return ahead;
}

/** Where a boat is, and whether it is heard. */
function boatOf(race, lane, tiles, look) {
  const key = keyOf(lane);
  const tile = tiles.get(key);
  const rows = lane.standing === 'rowing';
  if (tile) memory.tracks.set(key, rows ? tile.track : null);
  const result = lane.result || null;
  let metres = rows ? memory.metres.get(key) || 0 : 0;
  if (rows && tile && tile.track) metres = tile.track.metres;
  if (rows && tile && tile.state === 'finished' && race.distance_m) metres = race.distance_m;
  if (result) metres = result.distance_m;
  if (race.distance_m) metres = Math.min(metres, race.distance_m);
  memory.metres.set(key, metres);
  const erg = room.ergs.get(key);
  const live = erg && erg.moment ? erg.moment.payload : {};
  // Where it will be when it is sent on again: what moves on the page needs as long to get there.
  const age = erg && erg.moment ? (look.now - erg.moment.heard) / 1000 : RUN_ON;
  const isSent = look.moves && rows && !result && live.state === 'rowing' && age < RUN_ON;
  const next = metres + (isSent ? live.speed_m_per_s * STEP / 1000 || 0 : 0);
  return {
    key, metres, next: race.distance_m ? Math.min(next, race.distance_m) : next, rank: lane.rank, isOver: isOver(lane), isOut: isOut(lane),
    time: rows && erg && erg.moment ? workTime(erg.moment, look.now, look.moves) : 0,
    speed: live.speed_m_per_s || 0,
    isStale: rows && (!tile || tile.isStale || ['gone', 'searching'].indexOf(tile.state) >= 0),
  };
}

/** What stands in a lane beside its boat. */
function laneShown(race, lane, boat, rank, sorted, tile, shown) {
  const rowing = lane.standing === 'rowing';
  const result = isOver(lane) ? lane.result : null;
  const first = sorted[0];
  const shownLane = {
    key: boat.key, name: nameOf(lane, tile, words), share: share(boat.next, shown),
    number: race.phase === 'rowing' && !boat.isOut ? String(lane.place || rank + 1)
      : race.phase === 'rowing' ? '' : String(race.lanes.indexOf(lane) + 1),
    pace: '', gap: '', word: standingWord(lane, said), early: race.phase === 'rowing' && lane.false_starts ? said.falseStart : '',
    standing: lane.standing, isStale: boat.isStale, isEarly: lane.false_starts > 0,
    isFirst: rank === 0 && rowing && race.phase === 'rowing',
  };
  if (race.phase !== 'rowing') {
    if (rowing) shownLane.word = said.moved;
  } else if (result) {
    const best = sorted.map((one) => race.lanes.find((other) => keyOf(other) === one.key))
      .filter(isOver)[0];
    shownLane.pace = bigOf(race, result, words);
    shownLane.gap = behindOf(race, result, best && best.result, words) || said.finished;
  } else if (rowing) {
    shownLane.pace = tile && tile.pace ? figures.pace(tile.pace, words.decimal) : '';
    const gap = Math.round((first.isOver && race.distance_m ? race.distance_m : first.even)
      - boat.even);
    shownLane.gap = boat.isStale ? staleWord(tile) : rank === 0 ? said.leads
      : gap > 0 ? '+' + figures.withUnit(figures.metres(gap), words.units.metres) : said.level;
  }
  return shownLane;
}

const staleWord = (tile) => (tile && tile.brief) || words.searching;

// MARK: The words around it

/** Seconds since the signal by the server's clock; null while that is not known. */
function sinceSignal(race, look) {
  if (room.serverOffset === null || !race.signal_ms) return null;
  return (look.now + room.serverOffset - race.signal_ms) / 1000;
}

function drawWords(race, top, ahead, look) {
  const notice = top.notice;
  const rowed = race ? sinceSignal(race, look) : null;
  const left = race && race.duration_s ? race.duration_s - Math.max(0, rowed || 0) : 0;
  texts.sub.put(race ? subOf(race, ahead, left, words, said) : '');
  texts.best.put(top.best);
  texts.notice.put(notice ? notice.text : '');
  looks.notice.put(notice ? notice.kind : '');
  const isNone = !race && room.heard !== null;
  texts.empty.put(isNone ? said.none : '');
  texts.why.put(isNone ? said.noneWhy : '');
  const isRowed = race && race.phase === 'rowing' && memory.boat;
  texts.boat.put(race && race.phase !== 'over' ? boatLine(race, isRowed ? ahead : null,
    isRowed ? memory.boat.metres : null, words, said) : '');
  const word = drawCall(race, rowed);
  const say = notice ? notice.text
    : word || (race ? earlyNames(race, words, said) : '') || top.best;
  if (memory && memory.spoken !== say) spoken.textContent = say;
  if (memory) memory.spoken = say;
}

/** "Sit ready", "attention", the seconds, and "row". Returns the word. */
function drawCall(race, rowed) {
  const isCalled = race && rowed !== null && ['countdown', 'rowing'].indexOf(race.phase) >= 0;
  const to = isCalled ? -rowed : 0;
  const isOn = isCalled && to * 1000 > -ROW_STAYS;
  find('call').hidden = !isOn;
  if (!isOn) return '';
  // The next second is drawn when it begins, not up to a fifth of one later.
  if (to > 0) frames.askAt(performance.now() + (to - Math.ceil(to) + 1) * 1000 + 5);
  const word = to <= 0 ? said.row : to <= ATTENTION ? said.attention : said.sitReady;
  texts.word.put(word);
  texts.count.put(to > 0 ? String(Math.ceil(to)) : '');
  find('call').dataset.word = to <= 0 ? 'row' : to <= ATTENTION ? 'attention' : 'ready';
  return word;
}

function shownLanes(race) {
  return race ? race.lanes.map((lane) => Object.assign({ name: nameOf(lane, null, words) }, lane))
    : [];
}

// MARK: The frame of the page

const frames = new Frames(device, draw, () => looks.load.put(String(device.level)));
const controls = new Controls(find('ways'), find('told'), words, said, {
  soon: () => frames.soon(),
  turn: () => {
    fixed = !(fixed === null ? isFixed(room.race) : fixed);
    frames.soon();
  },
});
listen(room, () => frames.soon());
