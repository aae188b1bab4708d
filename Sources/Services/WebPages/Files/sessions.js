// The list of sessions: the newest first, by day, of one athlete, one erg, one state or of all.
import { get } from './asking.js';
import { timeOfDay } from './clubtime.js';
import { DASH, line, machineOf, paceUnit } from './figures.js';
import { address, dayOf, dress, find, wish, words } from './page.js';
import { distance, ergName, kindOf, known, machineName, paceOf, time } from './standing.js';
import { Telling, reason } from './telling.js';
import { makeTop } from './top.js';
import { make } from './view.js';
import { counted, fill } from './words.js';

dress(words.sessions);
const user = makeTop('/sessions');
find('title').textContent = words.sessions;

/** What is chosen: the parameters of the list, which the page's own address has as well. */
const chosen = {};
for (const name of ['athlete_id', 'gw', 'erg', 'state']) {
  if (wish(name)) chosen[name] = wish(name);
}
/** The sessions shown, where the list goes on, and the ergs that were seen in it. */
let shown = [];
let next = '';
const ergs = new Map();
/** Counts what was asked for: an answer to an earlier choice is of no use. */
let asked = 0;

const telling = new Telling(() => {
  if (find('way').textContent === words.showAll) choose({});
  else load(false);
});

// MARK: Asking

/** The first page of what is chosen, or the one after those shown. */
async function load(isMore) {
  asked += 1;
  const mine = asked;
  const parameters = isMore ? Object.assign({ cursor: next }, chosen) : chosen;
  if (!shown.length) telling.show('loading');
  find('more').disabled = true;
  const [answer, { role }] = await Promise.all([
    get('/api/v1/sessions' + question(parameters)), user]);
  if (mine !== asked) return;
  find('more').disabled = false;
  if (answer.status !== 200) {
    telling.show(reason(answer), reason(answer) === 'odd' ? line(answer.content.detail, 300) : '');
    return;
  }
  const found = answer.content.sessions || [];
  shown = isMore ? shown.concat(found) : found;
  next = answer.content.next || '';
  for (const one of found) ergs.set(one.gw + ' ' + one.erg, one);
  const isChosen = Object.keys(chosen).length > 0;
  telling.show(shown.length ? '' : isChosen ? 'noneSuch' : 'none',
    role === 'athlete' && !isChosen ? words.noneOwn : '');
  find('filter').hidden = !shown.length && !isChosen;
  draw(isMore ? found[0] : null);
}

function choose(wanted) {
  for (const name of Object.keys(chosen)) delete chosen[name];
  Object.assign(chosen, wanted);
  shown = [];
  next = '';
  history.replaceState(null, '', address('/sessions' + question(chosen)));
  draw(null);
  load(false);
}

function question(parameters) {
  const names = Object.keys(parameters);
  return names.length ? '?' + names.map((name) =>
    name + '=' + encodeURIComponent(parameters[name])).join('&') : '';
}

// MARK: The choice

const selects = {};
for (const [name, label] of [['athlete_id', words.everyone], ['erg', words.ergWord],
  ['state', words.state]]) {
  const field = make('label', 'field', find('filter'));
  make('span', '', field).textContent = label;
  selects[name] = make('select', '', field);
  selects[name].addEventListener('change', () => choose(choice()));
}

function choice() {
  const [gw, erg] = selects.erg.value.split(' ');
  const wanted = { athlete_id: selects.athlete_id.value, gw, erg, state: selects.state.value };
  for (const name of Object.keys(wanted)) if (!wanted[name]) delete wanted[name];
  return wanted;
}

/** Fills a choice anew: `options` are pairs of a value and what it is called. */
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

let athletes = [];
get('/api/v1/athletes?limit=1000').then(({ status, content }) => {
  if (status === 200) athletes = (content.athletes || []).map((one) => one.athlete_id);
  drawChoice();
});

function drawChoice() {
  const ids = new Set(athletes.concat(shown.map((one) => one.athlete_id)).filter(Boolean));
  if (chosen.athlete_id) ids.add(chosen.athlete_id);
  offer(selects.athlete_id, words.all,
    Array.from(ids).sort().map((id) => [id, line(id, 64)]), chosen.athlete_id || '');
  if (chosen.erg) ergs.set(chosen.gw + ' ' + chosen.erg, { gw: chosen.gw, erg: chosen.erg });
  const keys = Array.from(ergs.keys());
  keys.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const hasMany = new Set(keys.map((key) => key.split(' ')[0])).size > 1;
  offer(selects.erg, words.all, keys.map((key) => {
    const { gw, erg } = ergs.get(key);
    return [key, ergName(erg, words) + (hasMany ? ' \u00b7 ' + gw : '')];
  }), chosen.erg ? chosen.gw + ' ' + chosen.erg : '');
  offer(selects.state, words.all, Object.keys(words.states).map((name) =>
    [name, words.states[name]]), chosen.state || '');
}

// MARK: The list

/** Draws all of it; `first` is the first of a page that was added, to go on from by keys. */
function draw(first) {
  drawChoice();
  const days = find('days');
  days.textContent = '';
  let day = null;
  let list = null;
  for (const session of shown) {
    const name = dayName(session);
    if (name !== day) list = makeDay(days, day = name);
    const link = makeRow(list, session);
    if (session === first) link.focus();
  }
  find('more').hidden = !next;
  drawLegend();
}

const dayName = (session) => (session.started_ms ? dayOf(session.started_ms) : words.undated);

function makeDay(days, day) {
  const section = make('section', 'day', days);
  const title = make('h2', '', section);
  title.textContent = day;
  const of = shown.filter((one) => dayName(one) === day);
  // A day of which the list may go on is not counted yet.
  const isWhole = !next || of[of.length - 1] !== shown[shown.length - 1];
  if (isWhole) make('span', 'sum', title).textContent = sum(of);
  const list = make('ol', '', section);
  list.setAttribute('role', 'list');
  return list;
}

function sum(sessions) {
  const all = sessions.reduce((metres, one) => metres + (Number(one.distance_m) || 0), 0);
  const count = counted(words.sessionCount, sessions.length);
  return all > 0 ? count + ' \u00b7 ' + distance(all, words) : count;
}

function makeRow(list, session) {
  const link = make('a', 'row', make('li', '', list));
  link.href = address('/session?gw=' + encodeURIComponent(session.gw)
    + '&id=' + encodeURIComponent(session.session_id));
  const state = known(session.state);
  const texts = {
    at: session.started_ms ? timeOfDay(session.started_ms) : DASH,
    athlete: line(session.athlete_id, 64) || words.nobodyThere, on: ergName(session.erg, words),
    kind: [machineName(session, words), kindOf(session.workout, words)].filter(Boolean)
      .join(' \u00b7 '),
    far: distance(session.distance_m, words) || counted(words.strokesSoFar, session.strokes),
    long: time(session.result_time_s, words),
    speed: paceOf(session, words), state: words.states[state],
  };
  for (const name of Object.keys(texts)) {
    const cell = make('span', name, link);
    cell.textContent = texts[name];
    if (name === 'athlete') cell.dir = 'auto';
    if (name === 'athlete' && !session.athlete_id) cell.className += ' nobody';
    if (name === 'state') cell.className += ' ' + state;
    if (name === 'far' && !session.distance_m) cell.className = 'far so-far';
    if (name === 'speed' && texts.speed) {
      make('small', '', cell).textContent = paceUnit(machineOf(session.machine_type), words.units);
    }
  }
  link.setAttribute('aria-label', Object.keys(texts).map((name) => texts[name]).filter(Boolean)
    .join(', '));
  return link;
}

/** What the states mean that are in the list. */
function drawLegend() {
  const legend = find('legend');
  legend.textContent = '';
  const states = shown.map((one) => known(one.state));
  for (const state of Object.keys(words.states)) {
    if (states.indexOf(state) < 0) continue;
    const entry = make('div', '', legend);
    make('dt', 'state ' + state, entry).textContent = words.states[state];
    make('dd', '', entry).textContent = words.stateWhy[state];
  }
  legend.hidden = !shown.length;
}

find('more').textContent = words.more;
find('more').addEventListener('click', () => load(true));
find('filter').addEventListener('submit', (event) => event.preventDefault());
// Who looks again sees what was rowed meanwhile, unless they have gone far down the list.
document.addEventListener('visibilitychange', () => {
  const isAtTop = shown.length > 0 && shown.length <= 100;
  if (!document.hidden && isAtTop && document.activeElement === document.body) load(false);
});
draw(null);
load(false);
