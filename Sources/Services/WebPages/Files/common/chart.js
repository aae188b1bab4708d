// A chart of a session: one band per value, all over the same distance or time axis.
import { DASH, elapsed, metres, withUnit } from './format.js';
import { isNumber, scale, ticks } from './series.js';
import { make } from './view.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Margins around the bands in pixels. */
const LEFT = 50, RIGHT = 12, TOP = 18, BOTTOM = 26, NAME = 30;

const METRES = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000];
const SECONDS = [5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/**
 * Appends an SVG element with attributes.
 * @type {(parent: Element, tag: string, attributes: object, text?: string|number) => Element}
 */
export function draw(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const name of Object.keys(attributes)) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

const fixed = (number) => number.toFixed(1);

/** Means of `group` neighbouring points each. */
function means(points, group) {
  const mean = (some, axis) =>
    fixed(some.reduce((sum, point) => sum + point[axis], 0) / some.length);
  return Array.from({ length: Math.ceil(points.length / group) }, (_, index) => {
    const some = points.slice(index * group, (index + 1) * group);
    return mean(some, 0) + ' ' + mean(some, 1);
  });
}

/** The index of the stroke nearest to `at` on the axis. */
function nearest({ strokes, x }, at) {
  let [low, high] = [0, strokes.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x(strokes[middle]) < at) low = middle + 1;
    else high = middle;
  }
  const isNearer = low > 0 && at - x(strokes[low - 1]) < x(strokes[low]) - at;
  return isNearer ? low - 1 : low;
}

/**
 * `bands` are `{ name, label, unit, value, steps, height, isFasterUp, write }`. `picked(index)` is called
 * with the stroke that the user points at, or null. Arrow keys move from stroke to stroke.
 */
export class Chart {
  constructor(element, bands, strings, picked) {
    Object.assign(this, { element, bands, strings, picked, shown: null, at: null, width: 0 });
    element.setAttribute('role', 'slider');
    element.setAttribute('aria-valuemin', '1');
    element.tabIndex = 0;
    this.place = make('div', 'plot', element);
    const point = (event) => this.point(event);
    for (const kind of ['pointerdown', 'pointermove']) element.addEventListener(kind, point);
    element.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') this.picked(null);
    });
    element.addEventListener('keydown', (event) => this.key(event));
    addEventListener('resize', () => {
      if (this.shown && element.clientWidth !== this.width) this.show(this.shown);
    });
  }

  // MARK: Drawing

  show(series) {
    this.shown = series;
    this.width = Math.max(260, this.element.clientWidth);
    this.place.textContent = '';
    this.used = this.bands.filter((band) =>
      series.strokes.some((one) => isNumber(band.value(one))));
    const { other } = series;
    this.element.setAttribute('aria-valuemax', String(series.strokes.length));
    const heights = this.used.map((band) => NAME + band.height);
    this.height = TOP + heights.reduce((sum, height) => sum + height, 0) + BOTTOM;
    this.svg = draw(this.place, 'svg', {
      viewBox: '0 0 ' + this.width + ' ' + this.height, 'aria-hidden': 'true' });
    this.right = this.width - RIGHT;
    // With more strokes than pixels, each point is the mean of several strokes.
    const most = Math.max(series.strokes.length, other ? other.strokes.length : 0);
    this.group = Math.ceil(most / ((this.right - LEFT) / 2));
    this.across();
    let top = TOP;
    this.tracks = this.used.map((band, index) => {
      const track = this.band(band, top + NAME);
      top += heights[index];
      return track;
    });
    this.labelGaps();
    this.cross = draw(this.svg, 'g', { class: 'cross', visibility: 'hidden' });
    draw(this.cross, 'line', { y1: TOP, y2: this.height - BOTTOM });
    const dots = (look) => this.tracks.map(() => draw(this.cross, 'circle', { r: 4, class: look }));
    this.otherDots = dots('theirs');
    this.dots = dots('');
    this.pick(this.at);
  }

  px(value) { return LEFT + (this.right - LEFT) * (this.shown.end ? value / this.shown.end : 0); }

  /** Draws the axis, the ends of splits, and the gaps. */
  across() {
    const { axis, end, marks, own } = this.shown;
    const isMetres = axis === 'distance_m';
    const most = Math.max(2, Math.floor((this.right - LEFT) / 84));
    const step = (isMetres ? METRES : SECONDS).find((one) => end / one <= most) || end;
    const bottom = this.height - BOTTOM;
    this.hatch();
    for (const value of step > 0 ? ticks(0, end, step) : []) {
      const text = isMetres ? withUnit(metres(value), this.strings.units.metres) : elapsed(value);
      const isLast = this.px(value) > this.right - 20;
      draw(this.svg, 'text', { x: fixed(this.px(value)), y: bottom + 18,
        'text-anchor': value === 0 ? 'start' : isLast ? 'end' : 'middle' }, text);
    }
    // Split numbers are drawn as densely as they stay readable.
    const every = Math.ceil(marks.length / ((this.right - LEFT) / 26));
    let before = 0;
    for (const mark of marks.concat({ at: own || end, number: null })) {
      const name = marks.length && (mark.number === null
        ? marks[marks.length - 1].number : mark.number - 1);
      if (name && name % every === 0 && mark.at - before > end / 60) {
        draw(this.svg, 'text', { x: fixed((this.px(before) + this.px(mark.at)) / 2), y: 12,
          'text-anchor': 'middle' }, name);
      }
      before = mark.at;
      if (mark.number === null) continue;
      const x = fixed(this.px(mark.at));
      draw(this.svg, 'line', { class: 'mark', x1: x, x2: x, y1: 2, y2: bottom });
    }
  }

  /** Hatches gaps, so that they do not look like pauses. */
  hatch() {
    const id = 'hatch-' + this.used.map((band) => band.name).join('-');
    const pattern = draw(draw(this.svg, 'defs', {}), 'pattern', {
      id, width: 7, height: 7, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
    draw(pattern, 'line', { class: 'hatch', x1: 0, y1: 0, x2: 0, y2: 7 });
    for (const span of this.shown.gapSpans) {
      const [from, to] = [this.px(span.from), this.px(span.to)];
      const wide = Math.max(6, to - from);
      draw(this.svg, 'rect', { class: 'hole', x: fixed(Math.min((from + to - wide) / 2,
        this.right - wide)), width: fixed(wide), y: TOP,
      height: this.height - TOP - BOTTOM, fill: 'url(#' + id + ')' });
    }
  }

  /** Labels each gap on the side that has room, without overlaps. */
  labelGaps() {
    let usedTo = -1;
    for (const span of this.shown.gapSpans.slice().sort((one, other) => one.from - other.from)) {
      const width = span.text.length * 7;
      const right = this.px(span.to) + 7;
      const isLeft = right + width > this.right;
      const x = isLeft ? this.px(span.from) - 7 : right;
      const from = isLeft ? x - width : x;
      if (from < usedTo || from < LEFT) continue;
      usedTo = from + width + 10;
      draw(this.svg, 'text', { class: 'gap-text', x: fixed(x), y: TOP + NAME + 11,
        'text-anchor': isLeft ? 'end' : 'start' }, span.text);
    }
  }

  band(band, top) {
    const { shown } = this;
    const all = shown.other ? shown.strokes.concat(shown.other.strokes) : shown.strokes;
    const values = all.map(band.value).filter(isNumber);
    const { from, to, ticks: round } = scale(values, band.steps, Math.round(band.height / 24));
    const y = (value) => {
      const share = (Math.min(to, Math.max(from, value)) - from) / (to - from);
      return top + band.height * (band.isFasterUp ? share : 1 - share);
    };
    for (const value of round) {
      const line = fixed(y(value));
      draw(this.svg, 'line', { class: 'grid', x1: LEFT, x2: this.right, y1: line, y2: line });
      draw(this.svg, 'text', { x: LEFT - 8, y: fixed(y(value) + 4), 'text-anchor': 'end' },
        band.write(value));
    }
    const label = draw(this.svg, 'text', { class: 'label', x: LEFT, y: top - 9 }, band.label);
    draw(label, 'tspan', { class: 'of', dx: 6 }, band.unit);
    const line = (runs, look) => draw(this.svg, 'path', { class: 'series ' + look,
      d: runs.map((run) => this.trace(run, band, y)).join('') });
    if (shown.other) line(shown.other.runs, 'theirs');
    line(shown.runs, band.name);
    return { band, y };
  }

  /** The path through the strokes of a run; a single stroke is a dot. */
  trace(run, band, y) {
    const parts = [[]];
    for (const stroke of run) {
      const value = band.value(stroke);
      if (!isNumber(value)) parts.push([]);
      else parts[parts.length - 1].push([this.px(this.shown.x(stroke)), y(value)]);
    }
    return parts.filter((part) => part.length).map((part) => means(part, this.group))
      .map((part) => 'M' + part.join('L') + (part.length === 1 ? 'h.1' : '')).join('');
  }

  // MARK: Pointing

  /** Selects the stroke at `index`; null for none. */
  pick(index) {
    const stroke = index === null || !this.shown ? null : this.shown.strokes[index];
    this.at = stroke ? index : null;
    this.element.setAttribute('aria-valuenow', String(stroke ? index + 1 : 1));
    if (!this.shown) return;
    this.cross.setAttribute('visibility', stroke ? 'visible' : 'hidden');
    if (!stroke) return;
    const x = fixed(this.px(this.shown.x(stroke)));
    this.cross.firstChild.setAttribute('x1', x);
    this.cross.firstChild.setAttribute('x2', x);
    this.dot(this.dots, stroke);
    this.dot(this.otherDots, this.otherAt(stroke));
  }

  /** Puts a dot on each line at `stroke`; null hides them. */
  dot(dots, stroke) {
    this.tracks.forEach(({ band, y }, number) => {
      const value = stroke ? band.value(stroke) : null;
      dots[number].setAttribute('visibility', isNumber(value) ? 'inherit' : 'hidden');
      if (!isNumber(value)) return;
      dots[number].setAttribute('cx', fixed(this.px(this.shown.x(stroke))));
      dots[number].setAttribute('cy', fixed(y(value)));
    });
  }

  /** The stroke of the other session at the same place; null within its gaps. */
  otherAt(stroke) {
    const { other, x } = this.shown || {};
    if (!other || !other.strokes.length) return null;
    const at = x(stroke);
    const isGap = at > other.end || other.gapSpans.some(({ from, to }) => from < at && at < to);
    return isGap ? null : other.strokes[nearest(other, at)];
  }

  /** The values of a stroke: `Pace 1:50.9 /500 m` for each band. */
  describe(stroke) {
    return this.used.map(({ value, write, unit, label }) => {
      const text = isNumber(value(stroke)) ? write(value(stroke), true) : DASH;
      return label + '\u00a0' + withUnit(text, unit);
    });
  }

  point(event) {
    if (!this.shown || !this.shown.strokes.length) return;
    const box = this.place.getBoundingClientRect();
    const at = ((event.clientX - box.left) * this.width / box.width - LEFT)
      / (this.right - LEFT) * this.shown.end;
    this.picked(nearest(this.shown, at));
  }

  key(event) {
    const last = this.shown ? this.shown.strokes.length - 1 : -1;
    const from = this.at === null ? -1 : this.at;
    const to = { ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1,
      PageUp: from + 10, PageDown: from - 10, Home: 0, End: last }[event.key];
    if (last < 0 || (to === undefined && event.key !== 'Escape')) return;
    event.preventDefault();
    this.picked(to === undefined ? null : Math.min(last, Math.max(0, to)));
  }
}
