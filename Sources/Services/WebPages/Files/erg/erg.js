// One erg on a phone: the athlete claims it, sees live figures while rowing, and then the result.
import { get, post, remove, requestError } from '../common/api-client.js';
import { add, addForm, button, openDialog } from '../common/dialog.js';
import * as format from '../common/format.js';
import { athletePage } from '../common/page-frame.js';
import { byId, currentAddress, initPage, pageAddress, queryParam, strings } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { newThrottle, RenderLoop } from '../common/render-loop.js';
import { AWAY_AFTER, emptyRoom } from '../common/room.js';
import { followRoom } from '../common/stream.js';
import { interpolate } from '../common/strings.js';
import { Attribute, make, tableBody, Text } from '../common/view.js';
import { keepScreenOn } from '../common/wake-lock.js';
import { coachRow } from '../coach/rows.js';
import { Curve } from '../wall/tile-view.js';
import { tile } from '../wall/tile.js';
import { CheckIn } from './check-in.js';

const [gw, slug] = [queryParam('gw'), queryParam('erg')];
const key = gw + '/' + slug;
const erg = format.ergName(slug, strings.erg);
const ergPath = '/api/v1/ergs/' + encodeURIComponent(gw) + '/' + encodeURIComponent(slug);
const claimPath = ergPath + '/claim';
const checkIn = new CheckIn(ergPath, erg);
const room = emptyRoom();
const device = newThrottle();
const page = byId('page');
const looks = {
  stale: new Attribute(page, 'data-stale'), light: new Attribute(page, 'data-light'),
  load: new Attribute(document.documentElement, 'data-load') };
const texts = {};
for (const id of ['who', 'word', 'notice', 'piece', 'big', 'unit', 'target-text', 'headline']) {
  texts[id] = new Text(byId(id));
}
const curve = new Curve(byId('force'));
const figures = new Map(['rate', 'power', 'heart'].map((name) => {
  const place = make('div', '', byId('figures'));
  make('dt', '', place).textContent = strings.units[name];
  return [name, new Text(make('dd', '', place))];
}));
/** The user, once known; whether this phone may see the erg; and the splits of the session that is shown. */
let me = null;
let isAllowed = false;
let splits = { session: '', count: -1 };
let track = null;
/** The assignment of the user to this erg: whether there is one, its session, and whether that has ended. */
let mine = { isMine: false, session: '', hasEnded: false };
/** What the last claim changed elsewhere, and why the user's assignment ended here. */
let freedText = '';
let lostText = '';

initPage(erg);
keepScreenOn();
byId('title').textContent = erg;

// ---- The user

/** Loads who uses this phone, and then the erg if they may see it. */
async function loadUser() {
  const [{ status, content }] = await Promise.all([get('/api/v1/me'), checkIn.load()]);
  me = status === 200 ? content : { role: '' };
  isAllowed = status !== 401 || checkIn.athleteId !== '';
  if (isAllowed) followRoom(room, () => frames.requestFrame(), ergPath + '/live');
  frames.requestFrame();
}

/** The time until the gateway has confirmed a check-in: milliseconds. */
const CONFIRMED_WITHIN = 10000;
const openedAt = performance.now();

/**
 * What the user can do at this erg: `none`, `signIn`, `claim`, `replace` or `leave`; without a sign-in `checkIn`,
 * `wait` for the gateway, or `endCheckIn`.
 */
function choiceOf(state, now) {
  if (!me) return 'none';
  if (!me.athlete_id && isAtLeast(me.role, 'room')) return 'none';
  if (!me.athlete_id && checkIn.athleteId) {
    if (state.athlete_id === checkIn.athleteId) return 'endCheckIn';
    return now - openedAt < CONFIRMED_WITHIN ? 'wait' : 'checkIn';
  }
  if (!me.athlete_id) return me.name ? 'signIn' : 'checkIn';
  if (state.athlete_id === me.athlete_id) return 'leave';
  return state.athlete_id ? 'replace' : 'claim';
}

let shownChoice = '';

function drawChoice(choice) {
  if (choice === shownChoice) return;
  shownChoice = choice;
  const place = byId('doing');
  place.textContent = '';
  byId('links').textContent = '';
  byId('refusal').textContent = '';
  if (choice === 'checkIn') checkIn.draw(place);
  if (choice === 'wait') add('p', 'hint', place, strings.checkingIn);
  if (choice === 'endCheckIn') {
    button(place, interpolate(strings.leaveErg, erg), () => leave(() => run(() => checkIn.leave())));
    add('p', 'hint', place, strings.checkedInHint);
  }
  if (choice === 'signIn' || choice === 'checkIn') {
    const link = make('a', '', byId('links'));
    link.href = pageAddress('/sign-in?next=' + encodeURIComponent(currentAddress()));
    link.textContent = choice === 'checkIn' && checkIn.availability === 'open'
      ? strings.signInInstead : strings.signInToRow;
  }
  if (choice === 'claim') button(place, interpolate(strings.claimErg, erg), () => claim({}), 'main');
  if (choice === 'replace') {
    button(place, interpolate(strings.claimErg, erg), confirmReplacement);
  }
  if (choice === 'leave') {
    button(place, interpolate(strings.leaveErg, erg), () => leave(() => send(remove(claimPath))));
  }
  if (me && me.athlete_id) {
    const own = make('a', '', byId('links'));
    own.href = pageAddress(athletePage(me.athlete_id));
    own.textContent = strings.myResults;
  }
}

/** Asks before another athlete is replaced. */
function confirmReplacement() {
  openDialog(interpolate(strings.claimErg, erg), (body, close) => {
    const place = addForm(body, strings, strings.takeErg, close, () => claim({ replace: true }));
    add('p', 'warning', place, strings.ergIsTaken);
  });
}

/** Claims the erg. An athlete is at one erg at a time, so another one becomes free. */
function claim(fields) {
  return run(async () => {
    const { status, content } = await post(claimPath, fields);
    if (status !== 200 && status !== 202) return requestError(content, strings);
    const others = (content.cleared || []).map((place) => format.ergName(place.erg, strings.erg));
    freedText = others.length ? interpolate(strings.otherErgIsFree, others.join(', ')) : '';
    return '';
  });
}

/** Ends the assignment at the user's wish, which needs no explanation. */
async function leave(action) {
  mine.hasEnded = true;
  if (await action()) mine.hasEnded = false;
}

/** Notes when the assignment to this erg ends before the session does. */
function noteAssignment(isMine, state) {
  const session = state.session_id || '';
  const hasEnded = mine.hasEnded || (mine.session !== '' && session !== mine.session);
  if (isMine) {
    lostText = '';
    mine = { isMine, session, hasEnded: mine.isMine && hasEnded };
  } else if (mine.isMine) {
    freedText = '';
    if (!hasEnded) lostText = state.athlete_id ? strings.otherAthleteHere : strings.notYourErg;
    mine = { isMine, session: '', hasEnded: false };
  }
}

/** Waits for the answer; the change itself comes with the state of the erg. */
function send(request) {
  return run(async () => {
    const { status, content } = await request;
    return status === 200 || status === 202 ? '' : requestError(content, strings);
  });
}

/** Shows the error text that `action` returns. */
async function run(action) {
  for (const one of Array.from(byId('doing').children)) one.disabled = true;
  const error = await action();
  for (const one of Array.from(byId('doing').children)) one.disabled = false;
  byId('refusal').textContent = error;
  return error;
}

// ---- Drawing

function draw(now) {
  const isAway = room.receivedAt !== null && now - room.receivedAt > AWAY_AFTER;
  const found = room.ergs.get(key);
  const isUnknown = !found && room.receivedAt !== null;
  texts.notice.put(isAway ? strings.noConnection : isUnknown ? strings.unknownErgHint : freedText || lostText);
  byId('live').hidden = byId('text').hidden = true;
  if (me && !isAllowed) drawChoice(choiceOf({}, now));
  if (!found) return false;
  const view = { strings, now, moves: false, track, serverOffset: room.serverOffset, isAway };
  const shown = tile(found, room, view);
  track = shown.track;
  const row = coachRow(shown, found, room, view);
  const state = found.messages.state ? found.messages.state.payload : {};
  drawChoice(choiceOf(state, now));
  const own = (me && me.athlete_id) || checkIn.athleteId;
  const isMine = Boolean(own && state.athlete_id === own);
  noteAssignment(isMine, state);
  texts.who.put(isMine ? shown.hasAthlete ? shown.name : strings.you : shown.hasAthlete ? shown.name : '');
  texts.word.put(shown.word);
  looks.stale.put(shown.isStale || isAway ? 'yes' : '');
  if (shown.isText) drawText(shown);
  else drawLive(shown, row);
  loadSplits(state, found.messages.split, shown.machine);
  return shown.state === 'rowing';
}

function drawText(shown) {
  byId('text').hidden = false;
  texts.headline.put(shown.big);
  const text = shown.lines.join('\n');
  const list = byId('lines');
  if (list.dataset.text === text) return;
  list.dataset.text = text;
  list.textContent = '';
  for (const line of shown.lines) make('li', '', list).textContent = line;
}

function drawLive(shown, row) {
  byId('live').hidden = false;
  texts.piece.put([shown.piece, shown.interval, shown.go].filter(Boolean).join(' \u00b7 '));
  texts.big.put(shown.big);
  texts.unit.put(shown.unit);
  for (const [name, text] of figures) text.put(row[name] || format.DASH);
  curve.show(shown.curve);
  byId('force').hidden = !shown.curve;
  drawTarget(row.scale);
  byId('bar').hidden = shown.share === null;
  if (shown.share !== null) {
    byId('bar').firstElementChild.style.transform = 'scaleX(' + Math.min(1, Math.max(0, shown.share)) + ')';
  }
}

function drawTarget(scale) {
  byId('target').hidden = !scale;
  looks.light.put(scale ? scale.look : '');
  if (!scale) return;
  texts['target-text'].put(scale.text || scale.targetText);
  const [band, needle] = byId('target').firstElementChild.children;
  band.style.left = scale.from * 100 + '%';
  band.style.width = (scale.to - scale.from) * 100 + '%';
  needle.hidden = scale.needle === null;
  needle.style.left = (scale.needle || 0) * 100 + '%';
}

// ---- The splits of the session so far

/** Loads the splits when a new one has arrived. Only athletes and coaches may. */
async function loadSplits(state, last, machine) {
  const session = state.session_id || '';
  const count = last && last.payload.session_id === session ? last.payload.split : 0;
  if (session === splits.session && count === splits.count) return;
  splits = { session, count };
  const table = byId('splits');
  if (!session || !count || !me || !me.name) {
    table.hidden = true;
    return;
  }
  const { status, content } = await get('/api/v1/sessions/' + encodeURIComponent(gw) + '/'
    + encodeURIComponent(session) + '/splits');
  if (status !== 200 || splits.session !== session) return;
  table.textContent = '';
  table.hidden = !content.records.length;
  const body = tableBody(table, strings.splits, [
    strings.split, format.paceLabel(machine, strings.names.pace, strings.units), strings.rate, strings.watts]);
  for (const record of content.records) {
    const row = make('tr', '', body);
    const cells = [record.split, format.pace(record.avg_pace_s_per_500m, strings.decimal, machine),
      record.avg_stroke_rate_spm, record.avg_power_w];
    cells.forEach((value, index) => {
      const cell = make(index ? 'td' : 'th', index === 1 ? 'pace' : '', row);
      if (!index) cell.scope = 'row';
      cell.textContent = value === undefined ? format.DASH : value;
    });
  }
}

const frames = new RenderLoop(device, draw, () => looks.load.put(String(device.level)));
loadUser();
