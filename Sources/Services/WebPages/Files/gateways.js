// The page of gateways: asked for anew every few seconds while somebody looks, and never taken away
// when the logbook does not answer.
import { get } from './asking.js';
import { timeOfDay } from './clubtime.js';
import * as figures from './figures.js';
import { gateway, missingLines, sharers, storageLines, sumOf, worstFirst } from './gateway.js';
import { ask as askGateway } from './gatewayasking.js';
import { openAsking } from './gatewaydialogs.js';
import { GatewayView } from './gatewayview.js';
import { gatewayWords } from './gatewaywords.js';
import { address, dress, find, words as shared } from './page.js';
import { Telling, reason } from './telling.js';
import { makeTop } from './top.js';
import { Attribute, Text, arrange, make } from './view.js';
import { counted, fill } from './words.js';

/**
 * Between two questions, how long the logbook may be silent, and after how long what it said holds
 * no longer: milliseconds. The last is what the logbook grants a gateway.
 */
const PAUSE = 5000;
const PATIENCE = 12000;
const LIFETIME = 60000;
/** Ranges that are listed of a gateway that lacks a lot. */
const MOST_LINES = 200;

const words = Object.assign(shared, gatewayWords(shared));
const views = new Map();
const sum = new Text(find('sum'));
const notice = new Text(find('notice'));
const kind = new Attribute(document.documentElement, 'data-notice');
/** The last answer, when it came, and the states that were read aloud. */
let told = null;
let heard = 0;
/** The lists that are shown, as text. */
const drawn = {};
let spoken = new Map();
let isAsking = false;

dress(words.heading);
makeTop('/gateways');
find('title').textContent = words.heading;
const telling = new Telling(() => look());

async function look() {
  if (isAsking) return;
  isAsking = true;
  const answer = await get('/api/v1/gateways');
  isAsking = false;
  if (answer.status === 200 && Array.isArray(answer.content.gateways)) {
    [told, heard] = [answer.content, performance.now()];
    telling.show(told.gateways.length ? '' : 'noGateways');
  } else if (!told || answer.status === 401 || answer.status === 403) {
    told = null;
    telling.show(reason(answer));
  }
  draw();
}

function draw() {
  const now = performance.now();
  const silence = told ? now - heard : 0;
  // Ages count on by the running clock: the device's own time of day has no say.
  const present = told ? told.sent_ms + silence : 0;
  const trouble = troubleAt(present, silence);
  const known = (one) => (silence > LIFETIME
    ? Object.assign({}, one, { presence: 'unknown' }) : one);
  const shown = told ? told.gateways.filter((one) => one && typeof one.gw === 'string')
    .map((one) => Object.assign(gateway(known(one), present, words, !trouble.kind, told.sharers),
      { wall: address('/wall?gw=' + encodeURIComponent(one.gw)) })).sort(worstFirst) : [];
  arrange(find('fleet'), views, shown.map((one) => one.key), newView);
  for (const one of shown) views.get(one.key).show(one);
  const all = trouble.kind ? counted(words.count, shown.length) : sumOf(shown, words);
  sum.put(shown.length ? all : '');
  notice.put(trouble.text);
  kind.put(trouble.kind);
  // The logbooks that share the store; as a rule it is one logbook's alone.
  drawList('sharers', told ? sharers(told.sharers, words) : []);
  drawList('storage', told ? storageLines(told, words) : []);
  speak(shown, trouble);
}

function newView() {
  return new GatewayView(words, missing, (shown, button) =>
    openAsking(words, shown, button, (verb, steps) => ask(shown.key, verb, steps)),
  ({ gw, verb, steps }) => ask(gw, verb, steps));
}

/** Asks a gateway for something; its card says what it made of it. */
function ask(gw, verb, steps) {
  return askGateway(gw, verb, steps, words, (answer) => {
    const time = told ? timeOfDay(told.sent_ms + performance.now() - heard) : '';
    const view = views.get(gw);
    if (view) view.say(Object.assign({ time }, answer));
    find('spoken').textContent = fill(words.changed, gw, [answer.name, answer.text, answer.remedy]
      .filter(Boolean).join(', '));
  });
}

/** A list of lines, drawn when it changes. */
function drawList(name, lines) {
  const text = lines.join('\n');
  if (drawn[name] === text) return;
  drawn[name] = text;
  find(name).hidden = lines.length === 0;
  find(name).textContent = '';
  for (const line of lines) make('li', '', find(name)).textContent = line;
}

/** What keeps all of it from being known, the worst first. */
function troubleAt(present, silence) {
  const say = (kind, text, age) => (
    { kind, text: fill(text, figures.age(age / 1000, words.ages)) });
  if (told && silence > PATIENCE) return say('logbook', words.away, silence);
  if (told && !told.broker_connected) {
    return say('broker', words.brokerAway, present - told.broker_ms);
  }
  return { kind: '', text: '' };
}

/** What changed is read aloud once, and not what counts on. */
function speak(shown, trouble) {
  const states = new Map(shown.map((one) => [one.name, one.word]));
  states.set('', trouble.kind);
  const news = Array.from(states).filter(([name, word]) => spoken.has(name)
    && spoken.get(name) !== word).map(([name, word]) =>
    (name ? fill(words.changed, name, word) : trouble.text)).filter(Boolean);
  if (news.length) find('spoken').textContent = news.join('. ');
  spoken = states;
}

/** What is missing of a gateway: its lines, and whether there are more. */
async function missing(gw) {
  const answer = await get('/api/v1/gateways/' + encodeURIComponent(gw) + '/streams?limit=1000');
  if (answer.status === 404) return { lines: [], hasMore: false };
  if (answer.status !== 200) return null;
  const lines = missingLines(answer.content.streams, words);
  return { lines: lines.slice(0, MOST_LINES),
    hasMore: lines.length > MOST_LINES || Boolean(answer.content.next) };
}

telling.show('loading');
look();
setInterval(() => { if (!document.hidden) look(); }, PAUSE);
setInterval(draw, 1000);
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
addEventListener('online', () => look());
