// The wall: what the stream tells, on the page, at most one picture per animation frame.
import { place } from './figures.js';
import { grid } from './grid.js';
import { SILENT_AFTER, header } from './header.js';
import * as load from './load.js';
import { emptyRoom, inOrder, take } from './room.js';
import { Stream } from './stream.js';
import { tile } from './tile.js';
import { Attribute, Text, TileView, fitNames } from './view.js';
import { words as wordsOf } from './words.js';

const wishes = new URLSearchParams(location.search);
const words = wordsOf([wishes.get('lang')].concat(navigator.languages || []).filter(Boolean));
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const root = document.documentElement;
const find = (id) => document.getElementById(id);

const room = emptyRoom();
const device = load.newLoad();
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

root.lang = words.lang;
document.title = words.title + ' \u00b7 rowgate';
const theme = wishes.get('theme');
if (theme === 'light' || theme === 'dark') {
  find('light').media = theme === 'light' ? 'all' : 'not all';
}

// MARK: The picture

let order = [];
let size = '';

/** Puts the nodes of the ergs in order; those of an erg that is gone go too. */
function arrange(keys) {
  if (keys.length === order.length && keys.every((key, index) => key === order[index])) return;
  order = keys.slice();
  for (const key of Array.from(views.keys())) {
    if (keys.indexOf(key) < 0) {
      views.get(key).element.remove();
      views.delete(key);
    }
  }
  for (const key of keys) {
    if (!views.has(key)) views.set(key, new TileView());
    list.appendChild(views.get(key).element);
  }
}

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

/** Two gateways may have a place of the same name: their ergs then say whose they are. */
function nameTwins(tiles, ergs) {
  const seen = new Map();
  for (const erg of ergs) seen.set(erg.slug, (seen.get(erg.slug) || 0) + 1);
  ergs.forEach((erg, index) => {
    if (seen.get(erg.slug) < 2) return;
    tiles[index].place = place(erg.gw) + ' ' + tiles[index].place;
    if (!tiles[index].hasAthlete) tiles[index].name = tiles[index].place;
  });
}

function draw(now) {
  const view = {
    words, now, moves: device.level === 0 && !calm.matches, serverOffset: room.serverOffset,
    isAway: room.heard !== null && now - room.heard > SILENT_AFTER,
  };
  const ergs = inOrder(room);
  arrange(ergs.map((erg) => erg.key));
  fitGrid(ergs.length);
  const tiles = ergs.map((erg) => {
    view.track = views.get(erg.key).track;
    return tile(erg, room, view);
  });
  nameTwins(tiles, ergs);
  const marks = { yes: '\u2713 ' + words.verified, no: words.differs };
  for (const shown of tiles) views.get(shown.key).show(shown, marks);
  fitNames(order.map((key) => views.get(key)), size);
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

// MARK: When it is drawn

let timer = null;
let due = 0;
let drawn = 0;
let asked = false;

/** Asks for a picture at a moment, unless one is due before. */
function drawAt(moment) {
  if (asked || (timer !== null && due <= moment)) return;
  clearTimeout(timer);
  due = moment;
  timer = setTimeout(() => {
    timer = null;
    asked = true;
    requestAnimationFrame(frame);
  }, Math.max(0, moment - performance.now()));
}

function frame() {
  asked = false;
  drawn = performance.now();
  const isMoving = draw(drawn);
  const now = performance.now();
  // A page that nobody sees is held back by the browser, which tells nothing of the device.
  if (!document.hidden && load.note(device, now - due, now)) looks.load.put(String(device.level));
  drawAt(drawn + (isMoving ? load.interval(device) : 1000));
}

const drawSoon = () => drawAt(Math.max(performance.now(), drawn + load.interval(device)));

addEventListener('resize', drawSoon);
document.addEventListener('visibilitychange', () => { due = performance.now(); drawSoon(); });

let version = null;
new Stream('/api/v1/live', (name, event) => {
  if (!take(room, name, event, performance.now())) return;
  // Another version of the server has another version of this page.
  if (version !== null && room.version !== null && room.version !== version) location.reload();
  version = room.version || version;
  drawSoon();
});
drawSoon();
