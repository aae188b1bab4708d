// The page of gateways. It polls the logbook while it is visible, and keeps the last state if there is no
// answer.
import { get, RequestSeries } from '../common/api-client.js';
import * as format from '../common/format.js';
import { timeOfDay } from '../common/format.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, strings as shared } from '../common/page.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { arrange, Attribute, make, Text } from '../common/view.js';
import { openDiagnosis, runGatewayCommand as askGateway } from './commands.js';
import { gateway, missingLines, sharerLines, storageLines, sumOf, worstFirst } from './gateway.js';
import { GatewayView } from './view.js';

/**
 * Milliseconds between two polls, until the logbook counts as silent, and until its last answer expires.
 * The logbook expires a gateway after the same time.
 */
const PAUSE = 5000;
const PATIENCE = 12000;
const LIFETIME = 60000;
/** Most missing ranges that are listed per gateway. */
const MOST_LINES = 200;

const strings = stringsOfPage(shared, 'gatewaysPage');
const views = new Map();
const sum = new Text(byId('sum'));
const notice = new Text(byId('notice'));
const kind = new Attribute(document.documentElement, 'data-notice');
/** The last answer, when it arrived, and the states that were announced. */
let latest = null;
let receivedAt = 0;
/** The lists as they were last drawn, as text. */
const drawn = {};
let spoken = new Map();
let isLoading = false;
/** Only the newest answer counts. */
const requests = new RequestSeries();

initPage(strings.gateways);
makeHeader('/gateways');
byId('title').textContent = strings.gateways;
const pageStatus = new PageStatus(() => load(), strings.pageStatus);

async function load() {
  const signal = requests.next();
  isLoading = true;
  const answer = await get('/api/v1/gateways', signal);
  if (signal.aborted) return;
  isLoading = false;
  if (answer.status === 200 && Array.isArray(answer.content.gateways)) {
    [latest, receivedAt] = [answer.content, performance.now()];
    pageStatus.show(latest.gateways.length ? '' : 'noGateways');
  } else if (!latest || answer.status === 401 || answer.status === 403) {
    latest = null;
    pageStatus.show(statusOf(answer));
  }
  draw();
}

function draw() {
  const now = performance.now();
  const silence = latest ? now - receivedAt : 0;
  // Ages use the monotonic clock; the time of day of the device does not matter.
  const present = latest ? latest.sent_ms + silence : 0;
  const trouble = troubleAt(present, silence);
  const known = (one) => (silence > LIFETIME
    ? Object.assign({}, one, { presence: 'unknown' }) : one);
  const shown = latest ? latest.gateways.filter((one) => one && typeof one.gw === 'string')
    .map((one) => Object.assign(gateway(known(one), present, strings, !trouble.kind, latest.sharers),
      { wall: pageAddress('/wall?gw=' + encodeURIComponent(one.gw)),
        cards: pageAddress('/cards?gw=' + encodeURIComponent(one.gw)) })).sort(worstFirst) : [];
  arrange(byId('fleet'), views, shown.map((one) => one.key), newView);
  for (const one of shown) views.get(one.key).show(one);
  const all = trouble.kind ? pluralize(strings.gatewayCount, shown.length) : sumOf(shown, strings);
  sum.put(shown.length ? all : '');
  notice.put(trouble.text);
  kind.put(trouble.kind);
  // Several logbooks may share one store; usually there is only one.
  drawList('sharers', latest ? sharerLines(latest.sharers, strings) : []);
  drawList('storage', latest ? storageLines(latest, strings) : []);
  speak(shown, trouble);
}

function newView() {
  return new GatewayView(strings, missing, (shown, button) =>
    openDiagnosis(strings, shown, button, (verb, steps) => ask(shown.key, verb, steps)),
  ({ gw, verb, steps }) => ask(gw, verb, steps));
}

/** Sends a command to a gateway; its card shows the result. */
function ask(gw, verb, steps) {
  return askGateway(gw, verb, steps, strings, (answer) => {
    const time = latest ? timeOfDay(latest.sent_ms + performance.now() - receivedAt) : '';
    const view = views.get(gw);
    if (view) view.showAnswer(Object.assign({ time }, answer));
    byId('spoken').textContent = interpolate(strings.changed, gw, [answer.name, answer.text, answer.remedy]
      .filter(Boolean).join(', '));
  });
}

/** Draws a list of lines if it has changed. */
function drawList(name, lines) {
  const text = lines.join('\n');
  if (drawn[name] === text) return;
  drawn[name] = text;
  byId(name).hidden = lines.length === 0;
  byId(name).textContent = '';
  for (const line of lines) make('li', '', byId(name)).textContent = line;
}

/** Why the state is unknown, worst cause first. */
function troubleAt(present, silence) {
  const troubleOf = (kind, text, age) => (
    { kind, text: interpolate(text, format.age(age / 1000, strings.ages)) });
  if (latest && silence > PATIENCE) return troubleOf('logbook', strings.logbookAway, silence);
  if (latest && !latest.broker_connected) {
    return troubleOf('broker', strings.brokerAway, present - latest.broker_ms);
  }
  return { kind: '', text: '' };
}

/** Announces changed states to screen readers, but not ages that count on. */
function speak(shown, trouble) {
  const states = new Map(shown.map((one) => [one.name, one.word]));
  states.set('', trouble.kind);
  const changes = Array.from(states).filter(([name, word]) => spoken.has(name)
    && spoken.get(name) !== word).map(([name, word]) =>
    (name ? interpolate(strings.changed, name, word) : trouble.text)).filter(Boolean);
  if (changes.length) byId('spoken').textContent = changes.join('. ');
  spoken = states;
}

/** The missing records of a gateway as lines, and whether there are more. */
async function missing(gw) {
  const answer = await get('/api/v1/gateways/' + encodeURIComponent(gw) + '/streams?limit=1000');
  if (answer.status === 404) return { lines: [], hasMore: false };
  if (answer.status !== 200) return null;
  const lines = missingLines(answer.content.streams, strings);
  return { lines: lines.slice(0, MOST_LINES),
    hasMore: lines.length > MOST_LINES || Boolean(answer.content.next) };
}

pageStatus.show('loading');
load();
setInterval(() => { if (!document.hidden && !isLoading) load(); }, PAUSE);
setInterval(draw, 1000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) load(); });
addEventListener('online', () => load());
