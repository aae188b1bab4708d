// The force curves of a session: all faint, the means of the first and last quarter strong.
import { decimal, withUnit } from './format.js';
import { draw } from './chart.js';
import { isNumber, quarters, ticks } from './series.js';
import { interpolate } from './strings.js';

/** Most curves drawn; of more, every n-th. */
const MOST = 160;
/** Points along the drive at which each curve is sampled. */
const PLACES = 40;

/** Margins around the curves in pixels. */
const LEFT = 46, RIGHT = 14, TOP = 22, BOTTOM = 28;

/** The complete curves in order. */
export function wholeCurves(records) {
  return records.filter((force) => force.complete === true && Array.isArray(force.force_n)
    && force.force_n.length > 3 && force.force_n.every(isNumber))
    .sort((one, other) => one.stroke - other.stroke);
}

/** Resamples the force at `PLACES` points of the drive. */
function even(points) {
  return Array.from({ length: PLACES }, (_, index) => {
    const at = index / (PLACES - 1) * (points.length - 1);
    const low = Math.floor(at);
    const high = Math.min(points.length - 1, low + 1);
    return Math.max(0, points[low] + (points[high] - points[low]) * (at - low));
  });
}

function average(curves) {
  return Array.from({ length: PLACES }, (_, place) =>
    curves.reduce((sum, curve) => sum + curve[place], 0) / curves.length);
}

/** What changed from the first quarter to the last; empty with too few strokes. */
export function changeText(forces, strings) {
  const peak = quarters(forces, 'peak_position_ratio');
  const full = quarters(forces, 'avg_to_peak_ratio');
  if (!peak || !full) return '';
  const percent = (value) => String(Math.round(value * 100));
  const ratio = (value) => decimal(value, 2, strings.decimal);
  const moved = Math.round(peak[1] * 100) - Math.round(peak[0] * 100);
  const movement = moved > 1 ? strings.peakLater : moved < -1 ? strings.peakEarlier : strings.peakSame;
  return interpolate(strings.peakMoved, percent(peak[0]), percent(peak[1]), ratio(full[0]), ratio(full[1]))
    + ' \u00b7 ' + movement;
}

export class Curves {
  constructor(element, strings) {
    Object.assign(this, { element, strings, one: null, forces: [], wide: 0 });
    addEventListener('resize', () => {
      if (this.forces.length && element.clientWidth !== this.wide) this.show(this.forces);
    });
  }

  show(forces) {
    this.forces = forces;
    this.element.textContent = '';
    this.wide = Math.max(260, this.element.clientWidth);
    this.high = Math.min(320, Math.round(this.wide * 0.62));
    const all = forces.map((force) => even(force.force_n));
    const peak = all.reduce((most, curve) => Math.max(most, ...curve), 0);
    const step = [50, 100, 200, 500, 1000].find((one) => peak / one <= 5) || 2000;
    this.most = Math.max(step, Math.ceil(peak / step) * step);
    this.svg = draw(this.element, 'svg', {
      viewBox: '0 0 ' + this.wide + ' ' + this.high, role: 'img',
      'aria-label': interpolate(this.strings.curvesOf, forces.length) });
    this.axes(step);
    const every = Math.ceil(all.length / MOST);
    draw(this.svg, 'path', { class: 'all',
      d: all.filter((_, index) => index % every === 0).map((one) => this.trace(one)).join('') });
    const size = Math.floor(all.length / 4);
    if (size >= 3) {
      draw(this.svg, 'path', { class: 'first', d: this.trace(average(all.slice(0, size))) });
      draw(this.svg, 'path', { class: 'last', d: this.trace(average(all.slice(-size))) });
    }
    this.one = draw(this.svg, 'path', { class: 'one', d: '' });
  }

  axes(step) {
    for (const value of ticks(0, this.most, step)) {
      const y = this.y(value);
      draw(this.svg, 'line', { class: 'grid', x1: LEFT, x2: this.wide - RIGHT, y1: y, y2: y });
      draw(this.svg, 'text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, value);
    }
    draw(this.svg, 'text', { x: LEFT - 8, y: 10, 'text-anchor': 'end', class: 'of' }, 'N');
    for (const percent of this.wide < 480 ? [0, 50, 100] : [0, 25, 50, 75, 100]) {
      draw(this.svg, 'text', { x: this.x(percent / 100), y: this.high - 6,
        'text-anchor': percent === 0 ? 'start' : percent === 100 ? 'end' : 'middle' },
      withUnit(percent, '%') + (percent === 50 ? ' ' + this.strings.ofDrive : ''));
    }
  }

  x(share) { return LEFT + share * (this.wide - LEFT - RIGHT); }

  y(force) { return TOP + (1 - force / this.most) * (this.high - TOP - BOTTOM); }

  trace(curve) {
    return 'M' + curve.map((force, index) =>
      this.x(index / (PLACES - 1)).toFixed(1) + ' ' + this.y(force).toFixed(1)).join('L');
  }

  /** Highlights the curve of one stroke. Returns whether there is one. */
  pick(number) {
    const force = this.forces.find((one) => one.stroke === number);
    if (this.one) this.one.setAttribute('d', force ? this.trace(even(force.force_n)) : '');
    return Boolean(force);
  }
}
