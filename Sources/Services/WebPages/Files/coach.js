// The coach's page: the room as a table, what can be done with it, and what became of that.
import { openActions, openSeat } from './acting.js';
import { command } from './asking.js';
import { openCrews } from './crewing.js';
import { crewFigure, knownCrews, rowingCrews } from './crews.js';
import { confirmEnd, openEnding } from './ending.js';
import { Frames } from './frames.js';
import { line as textOf } from './figures.js';
import { AWAY_AFTER, commonTarget, header, summary } from './header.js';
import { line } from './line.js';
import { LineView, makeHead } from './lineview.js';
import { newLoad } from './load.js';
import { NeedsView } from './needs.js';
import { dress, find, words } from './page.js';
import { openRacing } from './racing.js';
import { raceWords } from './racewords.js';
import { emptyRoom, inOrder, take } from './room.js';
import { SentView, shownCommands } from './sentview.js';
import { openSetting } from './setting.js';
import { listen } from './stream.js';
import { tiles as tilesOf } from './tile.js';
import { makeTop } from './top.js';
import { Attribute, Text, arrange, make } from './view.js';
import { fill } from './words.js';
import { fieldsAgain } from './workouts.js';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;
const room = emptyRoom();
const device = newLoad();
const views = new Map();
const texts = {};
for (const id of ['title', 'now', 'clock', 'notice', 'empty', 'why', 'club']) {
  texts[id] = new Text(find(id));
}
const looks = {
  load: new Attribute(root, 'data-load'), notice: new Attribute(root, 'data-notice') };
/** The lines as they are shown, by erg. */
let lines = new Map();
/** Commands that take back what was done, by the id of what was done. */
const undos = new Map();
const athletes = new Set();
let me = '';

dress(words.coach);

// MARK: What can be done

/** Has a command sent, and remembers how it is undone; an error in words, or none. */
async function send(verb, chosen, fields) {
  const undo = undoOf(verb, chosen, fields);
  const { id, error, content } = await command(verb, chosen, fields, words);
  if (error) return error;
  if (undo.length) undos.set(id, undo);
  take(room, 'command', content, performance.now());
  frames.soon();
  return '';
}

/** What leads back: pairs of an erg and its earlier fields. */
function undoOf(verb, chosen, fields) {
  if (verb === 'assign') {
    return chosen.map((one) => ({
      line: one, verb, fields: one.athleteId ? { athlete_id: one.athleteId } : {} }));
  }
  if (verb === 'release' && fields.for_s !== 0) {
    return chosen.map((one) => ({ line: one, verb, fields: { for_s: 0 } }));
  }
  if (verb === 'crew') return [crewAgain(chosen[0], fields.crew)];
  if (verb !== 'workout') return [];
  return chosen.map((one) => ({ line: one, verb, fields: fieldsAgain(one.message) }))
    .filter((step) => step.fields !== null);
}

/** What the crew of that name was before: its ergs, or no crew. */
function crewAgain({ gw }, crew) {
  const before = knownCrews(room).filter((one) => one.gw === gw && one.name === crew)[0];
  const fields = before ? { crew, members: before.members } : { crew };
  return { line: { gw, key: gw }, verb: 'crew', fields };
}

/** Ergs that go back to the same are one command. */
async function undo(shown) {
  const steps = undos.get(shown.id) || [];
  undos.delete(shown.id);
  const groups = new Map();
  for (const step of steps) {
    if (!shown.done.some((one) => keyOf(one) === step.line.key)) continue;
    const key = JSON.stringify(step.fields);
    if (!groups.has(key)) groups.set(key, { verb: step.verb, fields: step.fields, lines: [] });
    groups.get(key).lines.push(lines.get(step.line.key) || step.line);
  }
  for (const group of groups.values()) tell(await send(group.verb, group.lines, group.fields));
}

/** The erg that an answer is of, or the gateway. */
const keyOf = (one) => (one.line ? one.line.key : one.part.gw);

/** Nothing is undone where somebody has begun to row with it. */
function canUndo(shown) {
  const steps = undos.get(shown.id);
  if (!steps || shown.done.length === 0 || shown.open.length > 0) return false;
  return shown.command.verb !== 'workout' || shown.done.every((one) => one.line
    && !one.line.isUnderWay);
}

async function again(shown, one, button) {
  const { verb } = shown.command;
  const fields = Object.assign({}, shown.command.fields);
  const isOver = verb === 'workout' ? words.endSet : words.give;
  if (one.code === 'rowing' && (verb === 'workout' || verb === 'release')) {
    fields.force = true;
    confirmEnd(words, [one.line], shown.name, verb === 'release' ? words.lendEnds : words.keeps,
      isOver, () => send(verb, [one.line], fields));
    return;
  }
  button.disabled = true;
  tell(await send(verb, [one.line || { gw: one.part.gw }], fields));
  button.disabled = false;
}

/** Somebody has seen an alert: the gateway tells everybody who. */
async function acknowledge(alert) {
  const fields = Object.assign({ alert_id: alert.id }, me ? { by: me } : {});
  tell(await send('ack', [{ gw: alert.gw }], fields));
}

/** A refusal where no dialog is open. */
let told = '';
function tell(error) {
  told = error && words.failedSend.replace('{}', () => error);
  frames.soon();
  if (told) setTimeout(() => { told = ''; frames.soon(); }, 15000);
}

const all = () => Array.from(lines.values());

const doing = {
  send: async (verb, chosen, fields) => {
    const error = await send(verb, chosen, fields);
    // Taking back has no dialog that could say it.
    if (error && fields.for_s === 0) tell(error);
    return error;
  },
  tell: async (verb, chosen, fields) => tell(await send(verb, chosen, fields)),
  set: (one) => openSetting(words, all(), [one.key], send, { named: namedWorkouts() }),
  athletes: () => Array.from(athletes).sort(),
};

/** The gateways' own workouts, by name: what they are is the gateway's to say. */
function namedWorkouts() {
  const found = new Map();
  for (const { messages } of room.gateways.values()) {
    const { workouts } = messages.workouts ? messages.workouts.payload : {};
    for (const name of Object.keys(workouts || {})) found.set(name, textOf(workouts[name], 120));
  }
  return found;
}

// MARK: The picture

const doingHead = new Text(makeHead(find('head'), words));
find('table').setAttribute('aria-label', words.ergs);
find('sent-title').textContent = words.sent;
find('needs-title').textContent = words.needsYou;
find('nothing').textContent = words.needsNothing;
const needs = new NeedsView(find('needs'), find('alerts'), words, acknowledge);
const sent = new SentView(find('sent'), find('commands'), words,
  { again, undo, canUndo, me: () => me });
const figures = makeFigures(find('figures'));
const spoken = find('spoken');

function makeFigures(list) {
  const found = {};
  for (const [name, label] of [['rowing', words.rows], ['interval', words.inInterval],
    ['band', words.inBand], ['pace', words.roomPace], ['rate', words.roomRate], ['crew', '']]) {
    const place = make('div', '', list);
    const term = new Text(make('dt', '', place));
    term.put(label);
    found[name] = { place, term, text: new Text(make('dd', '', place)) };
  }
  return found;
}

function newLine() {
  return new LineView(words, (one, button) => openActions(words, one, button, doing),
    (one) => openSeat(words, one, doing));
}

function draw(now) {
  const view = {
    words, now, moves: device.level === 0 && !calm.matches, serverOffset: room.serverOffset,
    isAway: room.heard !== null && now - room.heard > AWAY_AFTER,
  };
  const ergs = inOrder(room);
  arrange(find('lines'), views, ergs.map((erg) => erg.key), newLine);
  const tiles = tilesOf(ergs, room, view, (erg) => views.get(erg.key).track);
  lines = new Map();
  tiles.forEach((tile, index) => {
    const shown = line(tile, ergs[index], room, view);
    lines.set(shown.key, shown);
    if (shown.athleteId) athletes.add(shown.athleteId);
    views.get(shown.key).show(shown);
  });
  const rowing = tiles.filter((tile) => tile.state === 'rowing' && !tile.isStale);
  const asked = commonTarget(rowing);
  doingHead.put(asked ? fill(words.targetHead, asked) : words.doing);
  drawTop(header(room, tiles, view), Object.assign(summary(tiles, words), drawCrew(now)),
    tiles.length, view);
  const said = needs.show(room, lines, view.isAway)
    || sent.show(shownCommands(room, lines, now, words), room.serverOffset);
  if (said) spoken.textContent = said;
  return tiles.some((tile) => tile.state === 'rowing');
}

function drawTop(shown, counts, count, view) {
  const isEmpty = count === 0 && room.heard !== null;
  texts.title.put(shown.title || words.nobody);
  texts.now.put(words.now);
  texts.clock.put(shown.clock);
  texts.club.put(clubName());
  const notice = told || (shown.notice ? shown.notice.text : shown.best);
  texts.notice.put(notice);
  const kind = told ? 'told' : shown.notice ? shown.notice.kind : shown.best ? 'best' : '';
  if (looks.notice.value !== kind) spoken.textContent = notice;
  looks.notice.put(kind);
  for (const name of Object.keys(figures)) {
    figures[name].text.put(counts[name]);
    if (figures[name].place.hidden !== !counts[name]) figures[name].place.hidden = !counts[name];
  }
  // Nobody is reached while the server is not.
  find('set').disabled = count === 0 || view.isAway;
  find('race').disabled = count < 2 || view.isAway;
  find('crews').disabled = count === 0 || view.isAway;
  find('end').disabled = counts.active.length === 0 || view.isAway;
  find('table').hidden = count === 0;
  texts.empty.put(isEmpty ? words.empty : '');
  texts.why.put(isEmpty ? words.emptyWhy : '');
}

/** The one crew that rows; what several come to the wall says. */
function drawCrew(now) {
  const rowing = rowingCrews(room, now);
  if (rowing.length !== 1) return { crew: '' };
  figures.crew.term.put(fill(words.crewLabel, rowing[0].name));
  return { crew: crewFigure(rowing[0], words) };
}

/** The rooms are called as their gateways. */
function clubName() {
  return Array.from(room.gateways.keys()).sort().join(', ') || 'rowgate';
}

// MARK: The frame of the page

makeTop('/coach', (name) => { me = name; });

find('set').textContent = words.setWorkout;
find('race').textContent = raceWords(words).make;
find('end').textContent = words.endPiece;
const freeOnes = () => all().filter((one) => one.isThere && !one.isUnderWay)
  .map((one) => one.key);

find('set').addEventListener('click', () => {
  openSetting(words, all(), freeOnes(), send, { named: namedWorkouts() });
});
find('race').addEventListener('click', () => openRacing(words, all(), freeOnes()));
find('crews').textContent = words.crewsButton;
find('crews').addEventListener('click', () => openCrews(words, all(), room, send));
find('end').addEventListener('click', () =>
  openEnding(words, all().filter((one) => one.isUnderWay), send));

const frames = new Frames(device, draw, () => looks.load.put(String(device.level)));
listen(room, () => frames.soon());
