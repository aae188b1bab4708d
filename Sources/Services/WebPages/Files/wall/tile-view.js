// The nodes of the wall: tiles in a grid, and the notes below them.
import { shortName } from '../common/format.js';
import { Attribute, make, Text } from '../common/view.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Size of the curve's coordinate system, stretched to its place. */
const WIDE = 100;
const HIGH = 40;

/** The force scale grows in steps of this size, so that strokes stay comparable: newtons. */
const FORCE_STEP = 200;

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

/** The nodes of one tile. */
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
      'state', 'stale', 'text', 'long', 'verified', 'nobody', 'wide', 'best', 'light', 'unit']
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
    const progressBox = make('div', 'progress', foot);
    this.go = new Text(make('p', 'go', progressBox));
    this.bar = make('div', 'bar', progressBox);
    this.bar.hidden = true;
    this.fill = make('i', '', this.bar);
    this.share = null;
  }

  /** Shows a tile; `marks` are the texts for a verified and a differing result. */
  show(tile, marks) {
    this.track = tile.track;
    const mark = tile.verified === null ? '' : tile.verified ? 'yes' : 'no';
    const looks = [
      tile.state, tile.isStale ? 'yes' : '', tile.isText ? 'yes' : '', lengthOf(tile.big), mark,
      tile.hasAthlete ? '' : 'yes', tile.go.length > 12 ? 'yes' : '',
      tile.isBest ? 'yes' : '', tile.light && !tile.isStale ? tile.light.look : '',
      tile.showsPower ? 'beside' : tile.machine === 'bike' ? 'below' : ''];
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

  /** Whether the name must be measured again: the name, its neighbour or the size changed. */
  wantsFit(size) {
    const neighbourLength = this.word.node.data.length + this.light.node.data.length;
    const wanted = this.name + '\n' + neighbourLength + '\n' + size;
    if (this.fitted === wanted) return false;
    this.fitted = wanted;
    this.nameText.put(this.name);
    return true;
  }

  get isCut() { return this.nameElement.scrollWidth > this.nameElement.clientWidth; }

  shorten() { this.nameText.put(shortName(this.name)); }
}

/** Texts longer than `1:52.4` use a smaller font, so that they fit. */
function lengthOf(text) {
  return text.length > 8 ? 'very' : text.length > 6 ? 'yes' : '';
}

/**
 * Shortens names that do not fit. All are measured before any is changed, to lay out only once.
 * @type {(views: TileView[], size: string) => void}
 */
export function fitNames(views, size) {
  const changed = views.filter((view) => view.wantsFit(size));
  const cut = changed.filter((view) => view.isCut);
  for (const view of changed) view.nameElement.removeAttribute('title');
  for (const view of cut) {
    view.shorten();
    view.nameElement.title = view.name;
  }
}

/** A note in the line below the tiles. */
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

/**
 * The `kind` of tile with `columns` and `rows`: large up to 8 ergs, medium to 16, small to 36, then lines.
 * Upright screens use fewer columns; a phone shows a list.
 * @type {(count: number, width: number, height: number) => { kind: string, columns: number, rows: number }}
 */
export function grid(count, width, height) {
  if (width < 700 || height < 480) return { kind: 'list', columns: 1, rows: count };
  const isWide = width >= height;
  const [kind, columns] = count <= 8 ? ['large', Math.min(count, isWide ? 4 : 2)]
    : count <= 16 ? ['medium', isWide ? 4 : 3]
      : count <= 36 ? ['small', isWide ? 6 : 4] : ['line', isWide ? 4 : 2];
  const columnCount = Math.max(1, columns);
  return { kind, columns: columnCount, rows: Math.max(1, Math.ceil(count / columnCount)) };
}
