// The force curves of a session: all faint, the means of the first and last quarter strong.
import { fact, forceFacts, heading, hint, missingText } from '../athletes/training.js';
import { drawZones } from '../athletes/zones.js';
import { draw } from '../common/chart.js';
import * as format from '../common/format.js';
import { decimal, withUnit } from '../common/format.js';
import { targetText } from '../common/piece.js';
import { halfDifference, isNumber, quarters, ticks } from '../common/series.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import * as sessionFormat from './format.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Most curves drawn; of more, every n-th. */
const MOST = 160;
/** Points along the drive at which each curve is sampled. */
const PLACES = 40;

/** Margins around the curves in pixels. */
const LEFT = 46, RIGHT = 14, TOP = 22, BOTTOM = 28;

/**
 * The complete curves in order.
 * @type {(records: object[]) => object[]}
 */
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

/**
 * What changed from the first quarter to the last; empty with too few strokes.
 * @type {(forces: object[], strings: Strings) => string}
 */
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

// ---- The table of a session's splits or intervals.

/**
 * The target of all splits: `1:50–1:55`; empty if they differ or have none.
 * @type {(splits: object[], strings: Strings, machine: string) => string}
 */
export function commonTarget(splits, strings, machine) {
  const all = splits.map((split) => targetText(split, strings, strings.range, machine));
  return all.every((one) => one === all[0]) ? all[0] || '' : '';
}

/**
 * Draws the table into `place`; hidden without splits.
 * @type {(place: HTMLElement, detail: object, strings: Strings) => void}
 */
export function drawSplits(place, { splits, summary }, strings) {
  const { decimal } = strings;
  const machine = format.machineOf(summary.machine_type);
  place.textContent = '';
  place.hidden = !splits.length;
  make('h2', '', place).textContent = strings.splits;
  const common = commonTarget(splits, strings, machine);
  const columns = [
    [strings.number, (split) => format.whole(split.split), 'number'],
    [strings.distance, (split) => format.metres(split.distance_m)],
    [strings.time, (split) => sessionFormat.time(split.duration_s, strings)],
    [format.paceLabel(machine, strings.pace, strings.units),
      (split) => format.pace(split.avg_pace_s_per_500m, decimal, machine), 'strong'],
    [strings.watts, (split) => format.positiveWhole(split.avg_power_w), 'wide'],
    [strings.rate, (split) => format.positiveWhole(split.avg_stroke_rate_spm)],
    [strings.heart, (split) => format.positiveWhole(split.avg_heart_rate_bpm)],
    [strings.drag, (split) => format.positiveWhole(split.avg_drag_factor), 'wide'],
    [strings.targetLabel, (split) => (common ? '' : targetText(split, strings, strings.range, machine))
      || format.DASH, 'wide'],
    [strings.onTarget, (split) => (split.in_target_ratio >= 0
      ? format.withUnit(format.whole(split.in_target_ratio * 100), '%') : format.DASH)],
    [strings.restColumn, (split) => (split.rest_s > 0 ? format.elapsed(split.rest_s) : format.DASH)],
  ].filter(([, write]) => splits.some((split) => write(split) !== format.DASH));
  const table = make('table', '', place);
  table.setAttribute('aria-label', strings.splits);
  const head = make('tr', '', make('thead', '', table));
  for (const [name, , look] of columns) {
    const cell = make('th', look || '', head);
    cell.scope = 'col';
    cell.textContent = name;
  }
  const body = make('tbody', '', table);
  for (const split of splits) {
    const row = make('tr', '', body);
    for (const [, write, look] of columns) make('td', look || '', row).textContent = write(split);
  }
  const gain = summary.session_type === 'intervals' ? null : halfDifference(splits);
  if (gain !== null) make('p', 'hint', place).textContent = gained(gain, machine, strings);
}

/** How much faster or slower the second half was. */
function gained(gain, machine, strings) {
  if (Math.abs(gain) < 0.05) return strings.evenHalves;
  return interpolate(gain > 0 ? strings.secondFaster : strings.secondSlower,
    format.decimal(Math.abs(gain) * format.paceFactor(machine), 1, strings.decimal) + '\u202fs'
      + format.paceUnit(machine, strings.units));
}

// ---- The training values of a session: pacing, drift, consistency, load, force, and time in zones.

/** `4.8`, or with its sign: `+4.8`, `−4.8`. */
function percent(value, strings, isSigned) {
  const text = format.decimal(Math.abs(value), 1, strings.decimal);
  if (!isSigned || Number(value.toFixed(1)) === 0) return text;
  return (value < 0 ? '\u2212' : '+') + text;
}

/**
 * Draws the values; `training` is the logbook's answer.
 * @type {(place: HTMLElement, training: object, strings: Strings) => void}
 */
export function drawSessionTraining(place, training, strings) {
  place.textContent = '';
  place.hidden = false;
  heading(place, strings.sessionTraining, null, '', strings);
  const list = make('dl', 'sums', place);
  const { heart_drift: drift, consistency, split_index: split, load, reserve_balance: reserve,
    force } = training;
  if (!split.missing) {
    const { machine } = training;
    const [first, last] = split.paces_s_per_500m.map((pace) => format.pace(pace, strings.decimal, machine));
    const note = split.even ? strings.evenHalves : interpolate(strings.firstLast, first,
      format.withUnit(last, format.paceUnit(machine, strings.units)));
    fact(list, strings.splitIndex, percent(split.index_percent, strings, true), '%', note, split,
      strings.howSplit, strings);
  }
  if (!drift.missing) {
    const halves = drift.halves.map((half) => interpolate(strings.wattsAtHeart,
      format.whole(half.power_w), format.whole(half.heart_rate_bpm)));
    fact(list, strings.heartDrift, percent(drift.drift_percent, strings, true), '%',
      interpolate(strings.firstLast, ...halves), drift, strings.howDrift, strings);
  }
  if (!consistency.missing) {
    for (const [label, name] of [[strings.powerVariation, 'power_cv_percent'],
      [strings.rateVariation, 'rate_cv_percent']]) {
      fact(list, label, percent(consistency[name], strings), '%', '', consistency,
        strings.howConsistency, strings);
    }
    if (consistency.drive_sd_s !== undefined) {
      fact(list, strings.driveVariation, format.decimal(consistency.drive_sd_s, 2, strings.decimal), 's',
        '', consistency, strings.howConsistency, strings);
    }
  }
  if (!load.missing) {
    fact(list, strings.load, format.decimal(load.load, 1, strings.decimal), '', '', load,
      strings.howLoad, strings);
  }
  if (!reserve.missing) {
    fact(list, strings.leastReserve, format.decimal(reserve.least_j / 1000, 1, strings.decimal), 'kJ',
      interpolate(strings.experimentAt, format.elapsed(reserve.at_s)), reserve, strings.howReserve, strings);
  }
  if (!force.missing) forceFacts(list, force, strings);
  if (!list.children.length) list.remove();
  for (const [name, figure] of [['split', split], ['drift', drift],
    ['consistency', consistency], ['load', load], ['reserve', reserve], ['force', force]]) {
    if (figure.missing) hint(place, missingText(name, figure.missing, strings));
  }
  drawZones(make('div', 'in-zones', place), strings.timeInZones, training.zones,
    training.time_in_zone ? [training.time_in_zone] : [], 'session', strings);
  if (training.heart_zones.missing) return;
  drawZones(make('div', 'in-zones', place), strings.heartZones, training.heart_zones,
    [training.time_in_heart_zone], 'session', strings);
}
