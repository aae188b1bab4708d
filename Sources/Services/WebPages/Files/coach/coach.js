// The coach's page: the table of the room, the commands, and their results.
import { runCommand } from '../common/api-client.js';
import { line as textOf } from '../common/format.js';
import { loadAthletes } from '../common/names.js';
import { makeHeader } from '../common/page-frame.js';
import { byId, club, initPage, strings } from '../common/page.js';
import { newThrottle, RenderLoop } from '../common/render-loop.js';
import { applyEvent, AWAY_AFTER, emptyRoom, inOrder } from '../common/room.js';
import { followRoom } from '../common/stream.js';
import { interpolate } from '../common/strings.js';
import { arrange, Attribute, make, Text } from '../common/view.js';
import { commonTarget, header, summary } from '../wall/header.js';
import { crewValue, knownCrews, rowingCrews } from '../wall/notifications.js';
import { tiles as tilesOf } from '../wall/tile.js';
import { openActions, openCrews } from './actions.js';
import { AlertsView } from './alerts-panel.js';
import { confirmEnd, openEndPiece } from './erg-picker.js';
import { CommandsView, shownCommands } from './panels.js';
import { coachRow, CoachRowView, makeHead } from './rows.js';
import { currentWorkoutFields } from './workouts.js';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;
const room = emptyRoom();
const device = newThrottle();
const views = new Map();
const texts = {};
for (const id of ['title', 'now', 'clock', 'notice', 'empty', 'why', 'club']) {
  texts[id] = new Text(byId(id));
}
const looks = {
  load: new Attribute(root, 'data-load'), notice: new Attribute(root, 'data-notice') };
/** The current rows, by erg. */
let lines = new Map();
/** Commands that undo a command, by its id. */
const undos = new Map();
let me = '';

initPage(strings.coach);

// MARK: Commands

/**
 * Sends a command and remembers how to undo it. Returns an error text, empty on success. `rejected(detail)`
 * gets the server's own text.
 */
async function send(verb, chosen, fields, rejected = () => {}) {
  const undo = undoOf(verb, chosen, fields);
  const { id, error, detail, content } = await runCommand(verb, chosen, fields, strings);
  if (error) {
    rejected(detail);
    return error;
  }
  if (undo.length) undos.set(id, undo);
  applyEvent(room, 'command', content, performance.now());
  frames.requestFrame();
  return '';
}

/** The steps that undo a command: `{ line, verb, fields }`, with the earlier fields of each erg. */
function undoOf(verb, chosen, fields) {
  if (verb === 'assign') {
    return chosen.map((one) => ({
      line: one, verb, fields: one.athleteId ? { athlete_id: one.athleteId } : {} }));
  }
  if (verb === 'release' && fields.for_s !== 0) {
    return chosen.map((one) => ({ line: one, verb, fields: { for_s: 0 } }));
  }
  if (verb === 'crew') return [earlierCrew(chosen[0], fields.crew)];
  if (verb !== 'workout') return [];
  return chosen.map((one) => ({ line: one, verb, fields: currentWorkoutFields(one.message) }))
    .filter((step) => step.fields !== null);
}

/** The command that restores the crew as it is now. */
function earlierCrew({ gw }, crew) {
  const before = knownCrews(room).filter((one) => one.gw === gw && one.name === crew)[0];
  const fields = before ? { crew, members: before.members } : { crew };
  return { line: { gw, key: gw }, verb: 'crew', fields };
}

/** Undoes a command. Ergs with the same earlier fields share one command. */
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
  for (const group of groups.values()) showRefusal(await send(group.verb, group.lines, group.fields));
}

/** The key of the erg or gateway of a result. */
const keyOf = (one) => (one.line ? one.line.key : one.part.gw);

/** A command cannot be undone once someone has begun to row with it. */
function canUndo(shown) {
  const steps = undos.get(shown.id);
  if (!steps || shown.done.length === 0 || shown.open.length > 0) return false;
  return shown.command.verb !== 'workout' || shown.done.every((one) => one.line
    && !one.line.isActive);
}

async function retry(shown, one, button) {
  const { verb } = shown.command;
  const fields = Object.assign({}, shown.command.fields);
  const isOver = verb === 'workout' ? strings.endAndSetNow : strings.releaseNow;
  if (one.code === 'rowing' && (verb === 'workout' || verb === 'release')) {
    fields.force = true;
    const more = verb === 'release' ? strings.releaseEndsPiece : strings.rowedIsSaved;
    confirmEnd(strings, [one.line], shown.name, more,
      isOver, () => send(verb, [one.line], fields));
    return;
  }
  button.disabled = true;
  showRefusal(await send(verb, [one.line || { gw: one.part.gw }], fields));
  button.disabled = false;
}

/** Acknowledges alerts; the gateway publishes the name. */
async function acknowledge(alerts) {
  for (const { id, gw } of alerts) {
    showRefusal(await send('ack', [{ gw }], Object.assign({ alert_id: id }, me ? { by: me } : {})));
    if (refusal) return;
  }
}

/** An error text for the notice line, used when no dialog is open. */
let refusal = '';
function showRefusal(error) {
  refusal = error && strings.notSent.replace('{}', () => error);
  frames.requestFrame();
  if (refusal) setTimeout(() => { refusal = ''; frames.requestFrame(); }, 15000);
}

const all = () => Array.from(lines.values());

const actions = {
  send: async (verb, chosen, fields) => {
    const error = await send(verb, chosen, fields);
    // Taking back has no dialog that could show the error.
    if (error && fields.for_s === 0) showRefusal(error);
    return error;
  },
  run: async (verb, chosen, fields) => showRefusal(await send(verb, chosen, fields)),
  set: (one) => openWorkouts([one.key]),
  assign: (one) => import('./assign.js').then(({ openAssign }) => openAssign(strings, one, actions)),
  relay: (one) => import('./relay.js').then(({ openRelay }) => openRelay(strings, one, send)),
};

/** The workouts that gateways define, by name; each gateway resolves its own. */
function namedWorkouts() {
  const found = new Map();
  for (const { messages } of room.gateways.values()) {
    const { workouts } = messages.workouts ? messages.workouts.payload : {};
    for (const name of Object.keys(workouts || {})) found.set(name, textOf(workouts[name], 120));
  }
  return found;
}

// MARK: Drawing

const statusHead = new Text(makeHead(byId('head'), strings));
byId('table').setAttribute('aria-label', strings.ergs);
byId('sent-title').textContent = strings.sentTitle;
byId('needs-title').textContent = strings.alertsTitle;
byId('nothing').textContent = strings.noAlerts;
const alertsView = new AlertsView(byId('needs'), byId('alerts'), strings, acknowledge);
const commandsView = new CommandsView(byId('sent'), byId('commands'), strings,
  { retry, undo, canUndo, me: () => me });
const figures = makeFigures(byId('figures'));
const spoken = byId('spoken');

function makeFigures(list) {
  const found = {};
  for (const [name, label] of [['rowing', strings.rowingLabel], ['interval', strings.intervalLabel],
    ['onTarget', strings.onTarget], ['pace', strings.roomPace], ['rate', strings.roomRate], ['crew', '']]) {
    const place = make('div', '', list);
    const term = new Text(make('dt', '', place));
    term.put(label);
    found[name] = { place, term, text: new Text(make('dd', '', place)) };
  }
  return found;
}

function newRow() {
  return new CoachRowView(strings, (one, button) => openActions(strings, one, button, actions),
    actions.assign);
}

function draw(now) {
  const view = {
    strings, now, moves: device.level === 0 && !calm.matches, serverOffset: room.serverOffset,
    isAway: room.receivedAt !== null && now - room.receivedAt > AWAY_AFTER,
  };
  const ergs = inOrder(room);
  arrange(byId('lines'), views, ergs.map((erg) => erg.key), newRow);
  const tiles = tilesOf(ergs, room, view, (erg) => views.get(erg.key).track);
  lines = new Map();
  tiles.forEach((tile, index) => {
    const shown = coachRow(tile, ergs[index], room, view);
    lines.set(shown.key, shown);
    views.get(shown.key).show(shown);
  });
  const rowing = tiles.filter((tile) => tile.state === 'rowing' && !tile.isStale);
  const targetOfAll = commonTarget(rowing);
  statusHead.put(targetOfAll ? interpolate(strings.targetColumn, targetOfAll) : strings.status);
  drawTop(header(room, tiles, view), Object.assign(summary(tiles, strings), drawCrew(now)),
    tiles.length, view);
  const announcement = alertsView.show(room, lines, view.isAway, now)
    || commandsView.show(shownCommands(room, lines, now, strings), room.serverOffset);
  if (announcement) spoken.textContent = announcement;
  return tiles.some((tile) => tile.state === 'rowing');
}

function drawTop(shown, counts, count, view) {
  const isEmpty = count === 0 && room.receivedAt !== null;
  texts.title.put(shown.title || strings.nobodyRows);
  texts.now.put(strings.nowInRoom);
  texts.clock.put(shown.clock);
  texts.club.put(roomName());
  const notice = refusal || (shown.notice ? shown.notice.text : shown.best);
  texts.notice.put(notice);
  const kind = refusal ? 'refusal' : shown.notice ? shown.notice.kind : shown.best ? 'best' : '';
  if (looks.notice.value !== kind) spoken.textContent = notice;
  looks.notice.put(kind);
  for (const name of Object.keys(figures)) {
    figures[name].text.put(counts[name]);
    if (figures[name].place.hidden !== !counts[name]) figures[name].place.hidden = !counts[name];
  }
  // Without the server, commands cannot be sent.
  byId('set').disabled = count === 0 || view.isAway;
  byId('assign').disabled = count === 0 || view.isAway;
  byId('race').disabled = count < 2 || view.isAway;
  byId('crews').disabled = count === 0 || view.isAway;
  byId('end').disabled = counts.active.length === 0 || view.isAway;
  byId('table').hidden = count === 0;
  texts.empty.put(isEmpty ? strings.noErgs : '');
  texts.why.put(isEmpty ? strings.noErgsHint : '');
}

/** The value of the rowing crew; with several crews, the wall shows them. */
function drawCrew(now) {
  const rowing = rowingCrews(room, now);
  if (rowing.length !== 1) return { crew: '' };
  figures.crew.term.put(interpolate(strings.crewLabel, rowing[0].name));
  return { crew: crewValue(rowing[0], room, strings) };
}

/** A club without a name is named after its gateways. */
function roomName() {
  return club || Array.from(room.gateways.keys()).sort().join(', ') || 'rowgate';
}

// MARK: Starting the page

makeHeader('/coach', (name) => { me = name; });

byId('set').textContent = strings.setWorkout;
byId('assign').textContent = strings.assignAll;
byId('assign').addEventListener('click', () => import('./assign.js').then(({ openAssignAll }) =>
  openAssignAll(strings, all().filter((one) => one.isThere), send)));
byId('race').textContent = strings.racePage.make;
byId('end').textContent = strings.endPiece;
const freeOnes = () => all().filter((one) => one.isThere && !one.isActive)
  .map((one) => one.key);

/** The dialog of workouts is loaded on first use. */
function openWorkouts(chosen) {
  import('./workout-dialog.js').then(({ openWorkoutDialog }) =>
    openWorkoutDialog(strings, all(), chosen, send, { named: namedWorkouts() }));
}

byId('set').addEventListener('click', () => openWorkouts(freeOnes()));
byId('race').addEventListener('click', () => import('../race/dialog.js').then(({ openRaceDialog }) =>
  openRaceDialog(strings, all(), freeOnes())));
byId('crews').textContent = strings.crewsButton;
byId('crews').addEventListener('click', () => openCrews(strings, all(), room, send));
byId('end').addEventListener('click', () =>
  openEndPiece(strings, all().filter((one) => one.isActive), send));

const frames = new RenderLoop(device, draw, () => looks.load.put(String(device.level)));
followRoom(room, () => frames.requestFrame());
loadAthletes().then(() => frames.requestFrame());
