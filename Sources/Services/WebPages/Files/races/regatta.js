// One regatta: its events with heats, progression and results. Coaches draw, set heats up and decide.
import { get, post, answerError } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, dayWords, initPage, pageAddress, queryParam, strings as shared, titlePage } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, stringsOfPage } from '../common/strings.js';
import { focusAgain, make } from '../common/view.js';
import { drawEvent } from './heats.js';
import { heatText } from './texts.js';

const strings = stringsOfPage(shared, 'racesPage');
const path = '/api/v1/regattas/' + encodeURIComponent(queryParam('id'));
/** How often the page loads results while it is visible: milliseconds. */
const REFRESH = 5000;
let shown = null;
let isCoach = false;

initPage(strings.races);
const pageStatus = new PageStatus(load, strings.pageStatus);
makeHeader('/races', (name, { role }) => {
  isCoach = isAtLeast(role, 'coach');
  if (shown) draw();
});

async function load() {
  if (!shown) pageStatus.show('loading');
  const answer = await get(path);
  if (answer.status !== 200) {
    if (!shown) pageStatus.show(answer.content.code === 'unknown_regatta' ? 'noRegatta' : statusOf(answer));
    return;
  }
  pageStatus.show('');
  show(answer.content);
}

function show(regatta) {
  if (shown && JSON.stringify(shown) === JSON.stringify(regatta)) return;
  shown = regatta;
  draw();
}

/** Sends an action. Returns an error text; the page shows the changed regatta otherwise. */
async function act(content) {
  const answer = await post(path, content);
  if (answer.status === 401) location.reload();
  const error = answerError(answer, strings);
  if (!error) show(answer.content);
  return error;
}

/** Sends an action of a button outside of a dialog. */
async function actNow(content) {
  byId('refusal').textContent = await act(content);
}

const dialogs = (use) => import('./actions.js').then((module) => use(module));
const coach = { act, actNow, dialogs };

function draw() {
  const { focus } = document.activeElement.dataset;
  titlePage(shown.name);
  byId('title').textContent = shown.name;
  byId('about').textContent = [dayWords(shown.day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    shown.place].filter(Boolean).join(' \u00b7 ');
  drawActions();
  byId('events').textContent = '';
  for (const event of shown.events) drawEvent(byId('events'), shown, event, strings, isCoach ? coach : null);
  focusAgain(focus);
}

function drawActions() {
  const place = byId('actions');
  place.textContent = '';
  if (isCoach) {
    drawNext(place);
    action('entries', strings.addEntries, () => dialogs(({ openImport }) => openImport(strings, shown, act)));
    action('event', strings.addEvent, () => dialogs(({ openEvent }) => openEvent(strings, null, act)));
    action('settings', strings.regattaSettings, () => dialogs(({ openSettings }) => openSettings(strings, shown, show)));
    if (shown.can_undo) action('undo', strings.undoLast, () => actNow({ do: 'undo' }));
  }
  const table = make('a', 'file', place);
  table.textContent = strings.formats.csv;
  table.href = path + '/results';
  table.dataset.focus = 'table';
  action('print', strings.print, () => window.print());
}

/** Adds a button that keeps the focus when the page draws again. */
function action(key, text, run, look) {
  button(byId('actions'), text, run, look).dataset.focus = key;
}

/** The button of the next heat; it becomes a link while its race is set up. */
function drawNext(place) {
  if (!shown.next) return;
  const event = shown.events.find((one) => one.event_id === shown.next.event_id);
  const heat = event.heats.find((one) => one.heat_id === shown.next.heat_id) || { final: true };
  const name = event.name + ', ' + heatText(heat, strings);
  if (heat.state === 'set_up' || heat.state === 'rowing') {
    const link = make('a', 'file', place);
    link.textContent = interpolate(strings.openRace, name);
    link.href = pageAddress('/race');
    link.dataset.focus = 'next';
    return;
  }
  action('next', interpolate(strings.setUpNext, name), async () => {
    await actNow({ do: 'set_up', name: name.slice(0, 60) });
    if (!byId('refusal').textContent) location.assign(pageAddress('/race'));
  }, 'main');
}

setInterval(() => { if (!document.hidden && shown) load(); }, REFRESH);
load();
