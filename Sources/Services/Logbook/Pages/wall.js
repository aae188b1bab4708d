// The wall: what the stream tells, on the page, at most one picture per animation frame.
import { Frames } from './frames.js';
import { grid } from './grid.js';
import { SILENT_AFTER, header } from './header.js';
import { newLoad } from './load.js';
import { dress, find, words } from './page.js';
import { emptyRoom, inOrder } from './room.js';
import { listen } from './stream.js';
import { tiles as tilesOf } from './tile.js';
import { Attribute, Text, TileView, arrange, fitNames } from './view.js';

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
  notice: new Attribute(root, 'data-notice'),
};

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
    isAway: room.heard !== null && now - room.heard > SILENT_AFTER,
  };
  const ergs = inOrder(room);
  arrange(list, views, ergs.map((erg) => erg.key), () => new TileView());
  fitGrid(ergs.length);
  const tiles = tilesOf(ergs, room, view, (erg) => views.get(erg.key).track);
  const marks = { yes: '\u2713 ' + words.verified, no: words.differs };
  for (const shown of tiles) views.get(shown.key).show(shown, marks);
  fitNames(ergs.map((erg) => views.get(erg.key)), size);
  drawHeader(header(room, tiles, view), tiles.length);
  return tiles.some((shown) => shown.state === 'rowing');
}

function drawHeader(shown, count) {
  texts.title.put(shown.title);
  texts.sub.put(shown.notice ? '' : shown.sub);
  texts.mean.put(shown.mean);
  texts.clock.put(shown.clock);
  texts.notice.put(shown.notice ? shown.notice.text : '');
  // It is read aloud once, not each time that its age counts on; what is hidden would not be.
  const kind = shown.notice ? shown.notice.kind : '';
  if (looks.notice.value !== kind) spoken.textContent = shown.notice ? shown.notice.text : '';
  looks.notice.put(kind);
  const isEmpty = count === 0 && room.heard !== null;
  texts.empty.put(isEmpty ? words.empty : '');
  texts.why.put(isEmpty ? words.emptyWhy : '');
}

const frames = new Frames(device, draw, () => looks.load.put(String(device.level)));
listen(room, () => frames.soon());
