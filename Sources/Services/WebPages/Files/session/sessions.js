// The list of sessions by day, newest first, filtered by athlete, erg and state.
import { get, requestError, RequestSeries } from '../common/api-client.js';
import { DASH, ergName, machineOf, paceUnit, timeOfDay } from '../common/format.js';
import { athletesByName, choiceLabel, loadAthletes, nameOf } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, dayOf, initPage, pageAddress, queryParam, strings } from '../common/page.js';
import { pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { distance, kindOf, knownState, machineName, paceOf, time } from './format.js';

initPage(strings.sessions);
const user = makeHeader('/sessions');
byId('title').textContent = strings.sessions;

/** The choice of sessions without an athlete; athlete ids have no spaces. */
const NOBODY = 'no athlete';
/** The selected filter, which is also in the page's address. */
const chosen = {};
for (const name of ['athlete_id', 'unassigned', 'gw', 'erg', 'state']) {
  if (queryParam(name)) chosen[name] = queryParam(name);
}
/** The sessions shown, the cursor of the next page, and all ergs seen so far. */
let shown = [];
let next = '';
const ergs = new Map();
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
  if (!shown.length) pageStatus.show('loading');
  byId('more').disabled = true;
  const [answer, { role }] = await Promise.all([
    get('/api/v1/sessions' + question(parameters), signal), user]);
  if (signal.aborted) return;
  byId('more').disabled = false;
  if (answer.status !== 200) {
    pageStatus.show(statusOf(answer), statusOf(answer) === 'odd' ? requestError(answer.content, strings) : '');
    return;
  }
  const found = answer.content.sessions || [];
  shown = isMore ? shown.concat(found) : found;
  next = answer.content.next || '';
  for (const one of found) ergs.set(one.gw + ' ' + one.erg, one);
  const isChosen = Object.keys(chosen).length > 0;
  pageStatus.show(shown.length ? '' : isChosen ? 'noneSuch' : 'none',
    role === 'athlete' && !isChosen ? strings.noOwnSessions : '');
  byId('filter').hidden = !shown.length && !isChosen;
  draw(isMore ? found[0] : null);
}

function choose(wanted) {
  for (const name of Object.keys(chosen)) delete chosen[name];
  Object.assign(chosen, wanted);
  shown = [];
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
for (const [name, label] of [['athlete_id', strings.athlete], ['erg', strings.ergLabel],
  ['state', strings.state]]) {
  const field = make('label', 'field', byId('filter'));
  make('span', '', field).textContent = label;
  selects[name] = make('select', '', field);
  selects[name].addEventListener('change', () => choose(choice()));
}

function choice() {
  const [gw, erg] = selects.erg.value.split(' ');
  const isNobody = selects.athlete_id.value === NOBODY;
  const wanted = { athlete_id: isNobody ? '' : selects.athlete_id.value, unassigned: isNobody ? 'true' : '',
    gw, erg, state: selects.state.value };
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
  const others = new Set(shown.map((one) => one.athlete_id).concat(chosen.athlete_id).filter(Boolean));
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
}

// MARK: The list

/** Draws the list; `first` is the first session of an added page and gets the focus. */
function draw(first) {
  drawChoice();
  const days = byId('days');
  days.textContent = '';
  let day = null;
  let list = null;
  for (const session of shown) {
    const name = dayName(session);
    if (name !== day) list = makeDay(days, day = name);
    const link = makeRow(list, session);
    if (session === first) link.focus();
  }
  byId('more').hidden = !next;
  drawLegend();
}

const dayName = (session) => (session.started_ms ? dayOf(session.started_ms) : strings.undated);

function makeDay(days, day) {
  const section = make('section', 'day', days);
  const title = make('h2', '', section);
  title.textContent = day;
  const of = shown.filter((one) => dayName(one) === day);
  // A day that may continue on the next page has no sum yet.
  const isWhole = !next || of[of.length - 1] !== shown[shown.length - 1];
  if (isWhole) make('span', 'sum', title).textContent = sum(of);
  const list = make('ol', '', section);
  list.setAttribute('role', 'list');
  return list;
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
  const states = shown.map((one) => knownState(one.state));
  for (const state of Object.keys(strings.states)) {
    if (states.indexOf(state) < 0) continue;
    const entry = make('div', '', legend);
    make('dt', 'state ' + state, entry).textContent = strings.states[state];
    make('dd', '', entry).textContent = strings.stateHints[state];
  }
  legend.hidden = !shown.length;
}

byId('more').textContent = strings.moreSessions;
byId('more').addEventListener('click', () => load(true));
byId('filter').addEventListener('submit', (event) => event.preventDefault());
// Returning users get a fresh list, unless they scrolled far down.
document.addEventListener('visibilitychange', () => {
  const isAtTop = shown.length > 0 && shown.length <= 100;
  if (!document.hidden && isAtTop && document.activeElement === document.body) load(false);
});
draw(null);
load(false);
