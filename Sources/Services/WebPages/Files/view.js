// DOM helpers, and the nodes of the wall's tiles. Nodes are created once; texts are written only when they
// change.
import { shortName } from './format.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Size of the curve's coordinate system, stretched to its place. */
const WIDE = 100;
const HIGH = 40;

/** The force scale grows in steps of this size, so that strokes stay comparable: newtons. */
const FORCE_STEP = 200;

/** Appends an element with a class. */
export function make(tag, name, parent) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  parent.appendChild(element);
  return element;
}

/** A text that is written only when it changes; its element is hidden while it is empty. */
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

/** Shortens names that do not fit. All are measured before any is changed, to lay out only once. */
export function fitNames(views, size) {
  const changed = views.filter((view) => view.wantsFit(size));
  const cut = changed.filter((view) => view.isCut);
  for (const view of changed) view.nameElement.removeAttribute('title');
  for (const view of cut) {
    view.shorten();
    view.nameElement.title = view.name;
  }
}

/** Sets the full text as title of an element that is cut by an ellipsis. */
export function titleWhatIsCut(event) {
  const { target } = event;
  if (!target.closest) return;
  for (let one = target; one && one !== document.body; one = one.parentElement) {
    if (getComputedStyle(one).textOverflow !== 'ellipsis') continue;
    // Shortened names have their own title.
    if (one.title && !one.isTitled) return;
    one.title = one.scrollWidth > one.clientWidth ? one.textContent : '';
    one.isTitled = true;
    return;
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

/** Animates elements to the places where `change()` puts them; without `moves`, they jump. */
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
 * Makes `list` contain the elements of `views` in the order of `keys`; creates and removes elements as
 * needed.
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

/** Fills a table with a caption and column headers. Returns its body. */
export function tableBody(table, caption, columns, isSpoken = true) {
  make('caption', isSpoken ? 'spoken' : '', table).textContent = caption;
  const head = make('tr', '', make('thead', '', table));
  for (const text of columns) {
    const cell = make('th', '', head);
    cell.scope = 'col';
    cell.textContent = text;
  }
  return make('tbody', '', table);
}

/** Lets `button` show and hide the element that `make` creates, placed behind `after` if given. */
export function addDisclosure(button, make, after) {
  let shown = null;
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    if (shown) shown.remove();
    shown = shown ? null : make();
    if (shown && after) after.after(shown);
    button.setAttribute('aria-expanded', shown ? 'true' : 'false');
  });
}
