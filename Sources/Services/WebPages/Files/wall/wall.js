// The wall: shows the event stream, with at most one redraw per animation frame.
import { followCode } from '../common/check-in-code.js';
import { byId, initPage, queryParam, strings } from '../common/page.js';
import { chosenValue } from '../common/preferences.js';
import { newThrottle, RenderLoop } from '../common/render-loop.js';
import { AWAY_AFTER, emptyRoom, inOrder } from '../common/room.js';
import { showMenuOnUse } from '../common/screen-menu.js';
import { followRoom } from '../common/stream.js';
import { interpolate } from '../common/strings.js';
import { arrange, Attribute, slide, Text } from '../common/view.js';
import { keepScreenOn } from '../common/wake-lock.js';
import { header } from './header.js';
import { notifications } from './notifications.js';
import { byPlace } from './ranking.js';
import { fitNames, grid, NoteView, TileView } from './tile-view.js';
import { tiles as tilesOf } from './tile.js';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;

/** Whether the large value of a rower is the power: a setting of the browser. */
const showsPower = chosenValue('value', document.cookie) === 'power';
const room = emptyRoom();
const device = newThrottle();
const views = new Map();
const list = byId('tiles');
const spoken = byId('spoken');
const texts = {};
for (const id of ['title', 'sub', 'mean', 'code', 'clock', 'notice', 'empty', 'why']) {
  texts[id] = new Text(byId(id));
}
const looks = {
  kind: new Attribute(root, 'data-kind'), load: new Attribute(root, 'data-load'),
  notice: new Attribute(root, 'data-notice'), notifications: new Attribute(root, 'data-notifications'),
};
/** Tiles are ordered by erg, so that everyone finds their own; `?order=place` orders them by place. */
const isByPlace = queryParam('order') === 'place';
/** Shortest time between two changes of the order: milliseconds. */
const ORDER_STANDS = 2000;
let order = { keys: [], at: -ORDER_STANDS };
const notes = new Map();
/** The best that was announced last. */
let best = '';

initPage(strings.wall);
showMenuOnUse('/wall');
keepScreenOn();

// MARK: Drawing

let size = '';

/** Chooses the grid for the number of tiles and the screen size. */
function fitGrid(count) {
  const wanted = count + ' ' + innerWidth + ' ' + innerHeight;
  if (size === wanted) return;
  size = wanted;
  const { kind, columns, rows } = grid(count, innerWidth, innerHeight);
  looks.kind.put(kind);
  root.style.setProperty('--columns', columns);
  root.style.setProperty('--rows', rows);
}

function draw(now) {
  const view = {
    strings, now, moves: device.level === 0 && !calm.matches, serverOffset: room.serverOffset,
    isAway: room.receivedAt !== null && now - room.receivedAt > AWAY_AFTER, showsPower,
  };
  const ergs = inOrder(room);
  const keys = ergs.map((erg) => erg.key);
  const isSame = order.keys.length === keys.length
    && keys.every((key) => order.keys.indexOf(key) >= 0);
  const stand = isSame ? order.keys : keys;
  arrange(list, views, stand, () => new TileView());
  fitGrid(ergs.length);
  const tiles = tilesOf(ergs, room, view, (erg) => views.get(erg.key).track);
  if (isByPlace) standByPlace(tiles, view);
  const marks = { yes: '\u2713 ' + strings.verified, no: strings.differsFromMonitor };
  for (const shown of tiles) views.get(shown.key).show(shown, marks);
  fitNames(ergs.map((erg) => views.get(erg.key)), size);
  const top = header(room, tiles, view);
  drawHeader(top, tiles.length);
  drawNotifications(notifications(room, view, top.best));
  return tiles.some((shown) => shown.state === 'rowing');
}

/** Orders the tiles by place from the next frame on, with an animation. */
function standByPlace(tiles, view) {
  const keys = byPlace(tiles);
  if (keys.join() === order.keys.join() || view.now - order.at < ORDER_STANDS) return;
  order = { keys, at: view.now };
  slide(list, views, view.moves, () => arrange(list, views, keys, () => new TileView()));
}

function drawNotifications(shown) {
  arrange(byId('notifications'), notes, shown.map((note) => note.id), () => new NoteView());
  for (const note of shown) notes.get(note.id).show(note);
  if (byId('notifications').hidden !== (shown.length === 0)) byId('notifications').hidden = shown.length === 0;
  looks.notifications.put(shown.length ? 'yes' : '');
}

function drawHeader(shown, count) {
  texts.title.put(shown.title);
  texts.sub.put(shown.sub);
  texts.mean.put(shown.mean);
  texts.clock.put(shown.clock);
  texts.notice.put(shown.notice ? shown.notice.text : '');
  // A notice is announced once, not each time that its age changes.
  const kind = shown.notice ? shown.notice.kind : '';
  const isNew = looks.notice.value !== kind || (!kind && best !== shown.best);
  if (isNew) spoken.textContent = shown.notice ? shown.notice.text : shown.best;
  looks.notice.put(kind);
  best = shown.best;
  const isEmpty = count === 0 && room.receivedAt !== null;
  texts.empty.put(isEmpty ? strings.noErgs : '');
  texts.why.put(isEmpty ? strings.noErgsHint : '');
}

const frames = new RenderLoop(device, draw, () => looks.load.put(String(device.level)));
followRoom(room, () => frames.requestFrame());
followCode((code) => texts.code.put(code ? interpolate(strings.checkInCode, code) : ''));
