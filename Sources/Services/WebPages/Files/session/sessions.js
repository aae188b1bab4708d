// The list of sessions by day and group piece, newest first, filtered by athlete, group, workout, erg, state and day.
import { get, requestError, RequestSeries } from '../common/api-client.js';
import { DASH, ergName, machineOf, paceUnit, timeOfDay } from '../common/format.js';
import { athletesByName, choiceLabel, loadAthletes, nameOf } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, dayOf, initPage, pageAddress, queryParam, strings } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { distance, kindOf, knownState, machineName, paceOf, time } from './format.js';
import { workoutName } from '../group/facts.js';

initPage(strings.sessions);
const user = makeHeader('/sessions');
byId('title').textContent = strings.sessions;

/** The choice of sessions without an athlete; athlete ids have no spaces. */
const NOBODY = 'no athlete';
/** The selected filter, which is also in the page's address. */
const chosen = {};
for (const name of ['athlete_id', 'unassigned', 'gw', 'erg', 'state', 'group', 'workout', 'from', 'to']) {
  if (queryParam(name)) chosen[name] = queryParam(name);
}
/** The pieces shown, the cursor of the next page, all ergs and workouts seen so far, and the groups. */
let pieces = [];
let next = '';
const ergs = new Map();
const workouts = new Map();
let groups = [];
/** Only the newest list counts. */
const requests = new RequestSeries();

const pageStatus = new PageStatus(() => {
  if (byId('retry').textContent === strings.showAll) choose({});
  else load(false);
});

// MARK: Loading

/** Loads the first page, or the next one if `isMore`. */
async function load(isMore) {
  const signal = requests.next();
  const parameters = isMore ? Object.assign({ cursor: next }, chosen) : chosen;
  if (!pieces.length) pageStatus.show('loading');
  byId('more').disabled = true;
  const [answer, { role }] = await Promise.all([
    get('/api/v1/pieces' + question(parameters), signal), user]);
  if (signal.aborted) return;
  byId('more').disabled = false;
  if (answer.status !== 200) {
    pageStatus.show(statusOf(answer), statusOf(answer) === 'odd' ? requestError(answer.content, strings) : '');
    return;
  }
  const found = answer.content.pieces || [];
  pieces = isMore ? pieces.concat(found) : found;
  next = answer.content.next || '';
  for (const one of sessionsOf(found)) ergs.set(one.gw + ' ' + one.erg, one);
  for (const { workout } of found) if (workout) workouts.set(workout.notation, workoutName(workout, strings));
  const isChosen = Object.keys(chosen).length > 0;
  // A page may have no match although the list continues.
  pageStatus.show(pieces.length || next ? '' : isChosen ? 'noneSuch' : 'none',
    role === 'athlete' && !isChosen ? strings.noOwnSessions : '');
  byId('filter').hidden = !pieces.length && !isChosen;
  draw(isMore ? found[0] : null);
}

const sessionsOf = (list) => [].concat(...list.map((piece) => piece.sessions));

function choose(wanted) {
  for (const name of Object.keys(chosen)) delete chosen[name];
  Object.assign(chosen, wanted);
  pieces = [];
  next = '';
  history.replaceState(null, '', pageAddress('/sessions' + question(chosen)));
  draw(null);
  load(false);
}

function question(parameters) {
  const names = Object.keys(parameters);
  return names.length ? '?' + names.map((name) =>
    name + '=' + encodeURIComponent(parameters[name])).join('&') : '';
}

// MARK: The filter

const selects = {};
for (const [name, label] of [['athlete_id', strings.athlete], ['group', strings.filterGroup],
  ['workout', strings.workout], ['erg', strings.ergLabel], ['state', strings.state],
  ['from', strings.filterFrom], ['to', strings.filterTo]]) {
  const isDay = name === 'from' || name === 'to';
  const field = make('label', 'field', byId('filter'));
  make('span', '', field).textContent = label;
  selects[name] = make(isDay ? 'input' : 'select', '', field);
  if (isDay) selects[name].type = 'date';
  selects[name].name = name;
  selects[name].addEventListener('change', () => choose(choice()));
}
selects.group.parentNode.hidden = true;
user.then(async ({ role }) => {
  if (!isAtLeast(role, 'coach')) return;
  const answer = await get('/api/v1/groups');
  groups = answer.status === 200 ? answer.content.groups : [];
  selects.group.parentNode.hidden = !groups.length;
  drawChoice();
});

function choice() {
  const [gw, erg] = selects.erg.value.split(' ');
  const isNobody = selects.athlete_id.value === NOBODY;
  const wanted = { athlete_id: isNobody ? '' : selects.athlete_id.value, unassigned: isNobody ? 'true' : '',
    gw, erg, state: selects.state.value, group: selects.group.value, workout: selects.workout.value };
  for (const name of ['from', 'to']) {
    // A browser without a field for days accepts any text.
    wanted[name] = /^\d{4}-\d\d-\d\d$/.test(selects[name].value) ? selects[name].value : '';
  }
  for (const name of Object.keys(wanted)) if (!wanted[name]) delete wanted[name];
  return wanted;
}

/** Fills a select with `options`, pairs of a value and a text. */
function offer(select, all, options, value) {
  const pairs = [['', all]].concat(options);
  const text = JSON.stringify(pairs);
  if (select.dataset.offered !== text) {
    select.dataset.offered = text;
    select.textContent = '';
    for (const [of, name] of pairs) {
      const option = make('option', '', select);
      option.value = of;
      option.textContent = name;
    }
  }
  select.value = value;
}

loadAthletes().then(() => draw(null));

function drawChoice() {
  const options = athletesByName().map((athlete) => [athlete.athlete_id, choiceLabel(athlete)]);
  const others = new Set(sessionsOf(pieces).map((one) => one.athlete_id).concat(chosen.athlete_id).filter(Boolean));
  for (const [id] of options) others.delete(id);
  offer(selects.athlete_id, strings.all,
    [[NOBODY, strings.nobody]].concat(options, Array.from(others).sort().map((id) => [id, nameOf(id)])),
    chosen.unassigned ? NOBODY : chosen.athlete_id || '');
  if (chosen.erg) ergs.set(chosen.gw + ' ' + chosen.erg, { gw: chosen.gw, erg: chosen.erg });
  const keys = Array.from(ergs.keys());
  keys.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const hasMany = new Set(keys.map((key) => key.split(' ')[0])).size > 1;
  offer(selects.erg, strings.all, keys.map((key) => {
    const { gw, erg } = ergs.get(key);
    return [key, ergName(erg, strings.erg) + (hasMany ? ' \u00b7 ' + gw : '')];
  }), chosen.erg ? chosen.gw + ' ' + chosen.erg : '');
  offer(selects.state, strings.all, Object.keys(strings.states).map((name) =>
    [name, strings.states[name]]), chosen.state || '');
  offer(selects.group, strings.all, groups.map((group) => [group.group_id, group.name]), chosen.group || '');
  if (chosen.workout && !workouts.has(chosen.workout)) workouts.set(chosen.workout, chosen.workout);
  offer(selects.workout, strings.all, Array.from(workouts).sort((one, other) =>
    one[1].localeCompare(other[1], 'en', { numeric: true })), chosen.workout || '');
  for (const name of ['from', 'to']) selects[name].value = chosen[name] || '';
}

// MARK: The list

/** Draws the list; `first` is the first piece of an added page and gets the focus. */
function draw(first) {
  drawChoice();
  const days = byId('days');
  days.textContent = '';
  let day = null;
  let list = null;
  for (const piece of pieces) {
    const name = dayName(piece);
    if (name !== day) list = makeDay(days, day = name);
    const link = makePiece(list, piece);
    if (piece === first) link.focus();
  }
  byId('more').hidden = !next;
  drawLegend();
}

const dayName = (piece) => (piece.started_ms ? dayOf(piece.started_ms) : strings.undated);

function makeDay(days, day) {
  const section = make('section', 'day', days);
  const title = make('h2', '', section);
  title.textContent = day;
  const of = pieces.filter((one) => dayName(one) === day);
  // A day that may continue on the next page has no sum yet.
  const isWhole = !next || of[of.length - 1] !== pieces[pieces.length - 1];
  if (isWhole) make('span', 'sum', title).textContent = sum(sessionsOf(of));
  const list = make('ol', '', section);
  list.setAttribute('role', 'list');
  return list;
}

/** A piece of several sessions has a heading with a link to its result. Returns the first link. */
function makePiece(list, piece) {
  const sessions = piece.sessions.slice().reverse();
  if (piece.session_count < 2) return makeRow(list, sessions[0]);
  const place = make('li', 'piece', list);
  const head = make('h3', '', place);
  const link = make('a', 'group-head', head);
  link.href = pageAddress('/piece?gw=' + encodeURIComponent(piece.gw)
    + '&id=' + encodeURIComponent(piece.session_id));
  make('span', 'at', link).textContent = timeOfDay(piece.started_ms);
  make('span', 'name', link).textContent = workoutName(piece.workout, strings);
  make('span', 'kind', link).textContent = pluralize(strings.athleteCount, piece.athlete_count)
    + (sessions.length < piece.session_count
      ? ' \u00b7 ' + interpolate(strings.sessionsShown, sessions.length, piece.session_count) : '');
  make('span', 'result', link).textContent = strings.groupResult;
  const rows = make('ol', '', place);
  rows.setAttribute('role', 'list');
  for (const session of sessions) makeRow(rows, session);
  return link;
}

function sum(sessions) {
  const all = sessions.reduce((metres, one) => metres + (Number(one.distance_m) || 0), 0);
  const count = pluralize(strings.sessionCount, sessions.length);
  return all > 0 ? count + ' \u00b7 ' + distance(all, strings) : count;
}

function makeRow(list, session) {
  const link = make('a', 'row', make('li', '', list));
  link.href = pageAddress('/session?gw=' + encodeURIComponent(session.gw)
    + '&id=' + encodeURIComponent(session.session_id));
  const state = knownState(session.state);
  const texts = {
    at: session.started_ms ? timeOfDay(session.started_ms) : DASH,
    athlete: nameOf(session.athlete_id) || strings.nobody, on: ergName(session.erg, strings.erg),
    kind: [machineName(session, strings), kindOf(session.workout, strings)].filter(Boolean)
      .join(' \u00b7 '),
    far: distance(session.distance_m, strings) || pluralize(strings.strokesSoFar, session.strokes),
    long: time(session.result_time_s, strings),
    speed: paceOf(session, strings), state: strings.states[state],
  };
  for (const name of Object.keys(texts)) {
    const cell = make('span', name, link);
    cell.textContent = texts[name];
    if (name === 'athlete') cell.dir = 'auto';
    if (name === 'athlete' && !session.athlete_id) cell.className += ' nobody';
    if (name === 'state') cell.className += ' ' + state;
    if (name === 'far' && !session.distance_m) cell.className = 'far so-far';
    if (name === 'speed' && texts.speed) {
      make('small', '', cell).textContent = paceUnit(machineOf(session.machine_type), strings.units);
    }
  }
  link.setAttribute('aria-label', Object.keys(texts).map((name) => texts[name]).filter(Boolean)
    .join(', '));
  return link;
}

/** Explains the states that occur in the list. */
function drawLegend() {
  const legend = byId('legend');
  legend.textContent = '';
  const states = sessionsOf(pieces).map((one) => knownState(one.state));
  for (const state of Object.keys(strings.states)) {
    if (states.indexOf(state) < 0) continue;
    const entry = make('div', '', legend);
    make('dt', 'state ' + state, entry).textContent = strings.states[state];
    make('dd', '', entry).textContent = strings.stateHints[state];
  }
  legend.hidden = !pieces.length;
}

byId('more').textContent = strings.moreSessions;
byId('more').addEventListener('click', () => load(true));
byId('filter').addEventListener('submit', (event) => event.preventDefault());
// Returning users get a fresh list, unless they scrolled far down.
document.addEventListener('visibilitychange', () => {
  const isAtTop = pieces.length > 0 && pieces.length <= 100;
  if (!document.hidden && isAtTop && document.activeElement === document.body) load(false);
});
draw(null);
load(false);
