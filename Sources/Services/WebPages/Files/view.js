// The tiles on the page. Nodes are made once and kept; a text is written only when it changed.
import { shortName } from './figures.js';

const SVG = 'http://www.w3.org/2000/svg';

/** The curve is drawn on a field of this size, stretched to its place. */
const WIDE = 100;
const HIGH = 40;

/** The force that fills the field grows in steps, so that strokes can be compared: newtons. */
const FORCE_STEP = 200;

/** An element of a class, inside another one. */
export function make(tag, name, parent) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  parent.appendChild(element);
  return element;
}

/** A text that is written only when it changes; its element is hidden while there is none. */
export class Text {
  constructor(element) {
    this.element = element;
    this.node = document.createTextNode('');
    element.appendChild(this.node);
    element.hidden = true;
  }

  put(text) {
    if (this.node.data === text) return false;
    this.node.data = text;
    this.element.hidden = text === '';
    return true;
  }
}

/** An attribute that is written only when it changes. */
export class Attribute {
  constructor(element, name) {
    this.element = element;
    this.name = name;
    this.value = '';
  }

  put(value) {
    if (this.value === value) return;
    this.value = value;
    if (value === '') this.element.removeAttribute(this.name);
    else this.element.setAttribute(this.name, value);
  }
}

class Figure {
  constructor(list) {
    this.element = make('div', 'figure', list);
    this.label = new Text(make('dt', 'spoken', this.element));
    const value = make('dd', '', this.element);
    this.value = new Text(make('span', 'number', value));
    this.unit = new Text(make('span', 'unit', value));
    this.element.hidden = true;
  }

  show(figure) {
    if (this.element.hidden !== !figure) this.element.hidden = !figure;
    if (!figure) return;
    this.label.put(figure.label);
    this.value.put(figure.value);
    this.unit.put(figure.unit);
  }
}

export class Curve {
  constructor(parent) {
    this.element = document.createElementNS(SVG, 'svg');
    this.element.setAttribute('class', 'curve');
    this.element.setAttribute('viewBox', '0 0 ' + WIDE + ' ' + HIGH);
    this.element.setAttribute('preserveAspectRatio', 'none');
    this.element.setAttribute('aria-hidden', 'true');
    this.area = this.path('area');
    this.line = this.path('line');
    parent.appendChild(this.element);
    this.shown = '';
    this.scale = 0;
  }

  path(name) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', name);
    this.element.appendChild(path);
    return path;
  }

  show(curve) {
    const id = curve ? curve.id : '';
    if (this.shown === id) return;
    this.shown = id;
    const line = curve ? this.trace(curve.points) : '';
    this.line.setAttribute('d', line);
    this.area.setAttribute('d', line && line + 'L' + WIDE + ' ' + HIGH + 'L0 ' + HIGH + 'Z');
  }

  trace(points) {
    const peak = Math.max(...points);
    this.scale = Math.max(this.scale, Math.ceil(peak / FORCE_STEP) * FORCE_STEP, FORCE_STEP);
    const step = WIDE / (points.length - 1);
    return points.map((force, index) => {
      const y = HIGH - Math.max(0, force) / this.scale * HIGH;
      return (index ? 'L' : 'M') + (index * step).toFixed(1) + ' ' + y.toFixed(1);
    }).join('');
  }
}

/** The nodes of one erg. */
export class TileView {
  constructor() {
    this.element = document.createElement('li');
    this.element.className = 'tile';
    const head = make('h2', 'head', this.element);
    this.place = new Text(make('span', 'place', head));
    this.nameElement = make('span', 'name', head);
    this.nameElement.dir = 'auto';
    this.nameText = new Text(this.nameElement);
    const word = make('p', 'word', this.element);
    this.light = new Text(make('span', 'light', word));
    this.brief = new Text(make('span', 'brief', word));
    this.word = new Text(make('span', 'full', word));
    const big = make('p', 'big', this.element);
    this.label = new Text(make('span', 'spoken', big));
    this.big = new Text(make('span', 'value', big));
    this.unit = new Text(make('span', 'unit', big));
    this.lines = this.makeLines();
    const row = make('dl', 'row', this.element);
    this.figures = [new Figure(row), new Figure(row), new Figure(row)];
    this.makeFoot(make('div', 'foot', this.element));
    this.looks = [
      'state', 'stale', 'text', 'long', 'verified', 'nobody', 'wide', 'best', 'light', 'machine']
      .map((name) => new Attribute(this.element, 'data-' + name));
    this.track = null;
    this.fitted = '';
  }

  makeLines() {
    const lines = make('div', 'lines', this.element);
    return [new Text(make('p', '', lines)), new Text(make('p', '', lines))];
  }

  makeFoot(foot) {
    this.curve = new Curve(foot);
    const way = make('div', 'way', foot);
    this.go = new Text(make('p', 'go', way));
    this.bar = make('div', 'bar', way);
    this.bar.hidden = true;
    this.fill = make('i', '', this.bar);
    this.share = null;
  }

  /** Shows what `tile` says; `marks` are the words for a result that is verified, or differs. */
  show(tile, marks) {
    this.track = tile.track;
    const mark = tile.verified === null ? '' : tile.verified ? 'yes' : 'no';
    const looks = [
      tile.state, tile.isStale ? 'yes' : '', tile.isText ? 'yes' : '', lengthOf(tile.big), mark,
      tile.hasAthlete ? '' : 'yes', tile.go.length > 12 ? 'yes' : '',
      tile.isBest ? 'yes' : '', tile.light && !tile.isStale ? tile.light.look : '',
      tile.machine === 'bike' ? 'bike' : ''];
    looks.forEach((value, index) => this.looks[index].put(value));
    this.place.put(tile.place);
    this.name = tile.name;
    this.light.put(tile.light && !tile.isStale ? tile.light.word : '');
    this.word.put(tile.word);
    this.brief.put(tile.brief);
    this.label.put(tile.label);
    this.big.put(tile.big);
    this.unit.put(tile.unit);
    const lines = mark ? tile.lines.concat(marks[mark]) : tile.lines;
    this.lines.forEach((line, index) => line.put(lines[index] || ''));
    this.figures.forEach((figure, index) => figure.show(tile.row[index] || null));
    this.curve.show(tile.curve);
    this.go.put(tile.go);
    this.showShare(tile.share);
  }

  showShare(share) {
    const parts = share === null ? null : Math.round(Math.min(1, Math.max(0, share)) * 1000);
    if (this.share === parts) return;
    this.share = parts;
    this.bar.hidden = parts === null;
    if (parts !== null) this.fill.style.transform = 'scaleX(' + parts / 1000 + ')';
  }

  /** Whether the name has to be measured: it, its neighbour or the place for both changed. */
  wantsFit(size) {
    const beside = this.word.node.data.length + this.light.node.data.length;
    const wanted = this.name + '\n' + beside + '\n' + size;
    if (this.fitted === wanted) return false;
    this.fitted = wanted;
    this.nameText.put(this.name);
    return true;
  }

  get isCut() { return this.nameElement.scrollWidth > this.nameElement.clientWidth; }

  shorten() { this.nameText.put(shortName(this.name)); }
}

/** A figure that is longer than `1:52.4` is written smaller, so that it fits the tile. */
function lengthOf(text) {
  return text.length > 8 ? 'very' : text.length > 6 ? 'yes' : '';
}

/** Writes each name as long as it fits: all are measured before any is shortened, at one layout. */
export function fitNames(views, size) {
  const changed = views.filter((view) => view.wantsFit(size));
  const cut = changed.filter((view) => view.isCut);
  for (const view of changed) view.nameElement.removeAttribute('title');
  for (const view of cut) {
    view.shorten();
    view.nameElement.title = view.name;
  }
}

/** A text that ends in an ellipsis is whole in the title of its element, for who points at it. */
export function titleWhatIsCut(event) {
  const { target } = event;
  if (!target.closest) return;
  for (let one = target; one && one !== document.body; one = one.parentElement) {
    if (getComputedStyle(one).textOverflow !== 'ellipsis') continue;
    // A name that was shortened has its own.
    if (one.title && !one.isTitled) return;
    one.title = one.scrollWidth > one.clientWidth ? one.textContent : '';
    one.isTitled = true;
    return;
  }
}

/** A short sentence in the line below the tiles. */
export class NoteView {
  constructor() {
    this.element = document.createElement('li');
    this.element.className = 'note';
    this.text = new Text(make('span', '', this.element));
    this.kind = new Attribute(this.element, 'data-kind');
  }

  show(note) {
    this.kind.put(note.kind);
    this.text.put(note.text);
  }
}

/** Moves elements that `change()` puts elsewhere from where they were; without `moves` at once. */
export function slide(list, views, moves, change) {
  const from = new Map();
  if (moves) for (const [key, view] of views) from.set(key, view.element.getBoundingClientRect());
  change();
  for (const [key, place] of from) {
    const { element } = views.get(key) || {};
    if (!element || !element.animate) continue;
    const to = element.getBoundingClientRect();
    const [x, y] = [place.left - to.left, place.top - to.top];
    if (!x && !y) continue;
    element.animate([{ transform: 'translate(' + x + 'px, ' + y + 'px)' }, { transform: 'none' }],
      { duration: 300, easing: 'ease-out' });
  }
}

/**
 * Has `list` hold the elements of `views` in the order of `keys`: one that is new is made, one
 * that is gone is taken out.
 */
export function arrange(list, views, keys, newView) {
  for (const key of Array.from(views.keys())) {
    if (keys.indexOf(key) < 0) {
      views.get(key).element.remove();
      views.delete(key);
    }
  }
  keys.forEach((key, index) => {
    if (!views.has(key)) views.set(key, newView(key));
    const element = views.get(key).element;
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] || null);
  });
}
