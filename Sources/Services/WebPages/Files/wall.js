// The wall: what the stream tells, on the page, at most one picture per animation frame.
import { Frames } from './frames.js';
import { grid } from './grid.js';
import { AWAY_AFTER, header } from './header.js';
import { newLoad } from './load.js';
import { dress, find, wish, words } from './page.js';
import { byPlace } from './places.js';
import { emptyRoom, inOrder } from './room.js';
import { listen } from './stream.js';
import { strip } from './strip.js';
import { tiles as tilesOf } from './tile.js';
import { Attribute, NoteView, Text, TileView, arrange, fitNames, slide } from './view.js';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;

const room = emptyRoom();
const device = newLoad();
const views = new Map();
const list = find('tiles');
const spoken = find('spoken');
const texts = {};
for (const id of ['title', 'sub', 'mean', 'clock', 'notice', 'empty', 'why']) {
  texts[id] = new Text(find(id));
}
const looks = {
  kind: new Attribute(root, 'data-kind'), load: new Attribute(root, 'data-load'),
  notice: new Attribute(root, 'data-notice'), strip: new Attribute(root, 'data-strip'),
};
/** Tiles stand by erg, so that everybody finds their own; `?order=place` has them by place. */
const isByPlace = wish('order') === 'place';
/** Two who row side by side do not change places with every stroke: milliseconds. */
const ORDER_STANDS = 2000;
let order = { keys: [], at: -ORDER_STANDS };
const notes = new Map();
/** The best that was announced last. */
let best = '';

dress(words.title);

// MARK: The picture

let size = '';

/** Chooses the grid for the number of tiles and the screen. */
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
    words, now, moves: device.level === 0 && !calm.matches, serverOffset: room.serverOffset,
    isAway: room.heard !== null && now - room.heard > AWAY_AFTER,
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
  const marks = { yes: '\u2713 ' + words.verified, no: words.differs };
  for (const shown of tiles) views.get(shown.key).show(shown, marks);
  fitNames(ergs.map((erg) => views.get(erg.key)), size);
  const top = header(room, tiles, view);
  drawHeader(top, tiles.length);
  drawStrip(strip(room, view, top.best));
  return tiles.some((shown) => shown.state === 'rowing');
}

/** Has the tiles stand by place from the next picture on; they slide there. */
function standByPlace(tiles, view) {
  const keys = byPlace(tiles);
  if (keys.join() === order.keys.join() || view.now - order.at < ORDER_STANDS) return;
  order = { keys, at: view.now };
  slide(list, views, view.moves, () => arrange(list, views, keys, () => new TileView()));
}

function drawStrip(shown) {
  arrange(find('strip'), notes, shown.map((note) => note.id), () => new NoteView());
  for (const note of shown) notes.get(note.id).show(note);
  if (find('strip').hidden !== (shown.length === 0)) find('strip').hidden = shown.length === 0;
  looks.strip.put(shown.length ? 'yes' : '');
}

function drawHeader(shown, count) {
  texts.title.put(shown.title);
  texts.sub.put(shown.sub);
  texts.mean.put(shown.mean);
  texts.clock.put(shown.clock);
  texts.notice.put(shown.notice ? shown.notice.text : '');
  // It is read aloud once, not each time that its age counts on; what is hidden would not be.
  const kind = shown.notice ? shown.notice.kind : '';
  const isNew = looks.notice.value !== kind || (!kind && best !== shown.best);
  if (isNew) spoken.textContent = shown.notice ? shown.notice.text : shown.best;
  looks.notice.put(kind);
  best = shown.best;
  const isEmpty = count === 0 && room.heard !== null;
  texts.empty.put(isEmpty ? words.empty : '');
  texts.why.put(isEmpty ? words.emptyWhy : '');
}

const frames = new Frames(device, draw, () => looks.load.put(String(device.level)));
listen(room, () => frames.soon());
