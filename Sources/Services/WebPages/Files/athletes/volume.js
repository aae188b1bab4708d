// How far an athlete rowed: sums, and a bar for each week or season.
import { draw } from '../common/chart.js';
import * as format from '../common/format.js';
import { midnight } from '../common/format.js';
import { shortDay } from '../common/page.js';
import { scale } from '../common/series.js';
import { interpolate, pluralize } from '../common/strings.js';
import { addDisclosure, make } from '../common/view.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const [HIGH, LEFT, BELOW] = [170, 34, 20];
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/**
 * `12.4 km`; whole kilometres from 100 on.
 * @type {(metres: number, strings: Strings) => string}
 */
export function kilometres(metres, strings) {
  const value = metres / 1000;
  const text = value < 100 ? format.decimal(value, 1, strings.decimal) : format.metres(value);
  return format.withUnit(text, 'km');
}

/**
 * The sums of all volumes.
 * @type {(volumes: object[]) => object}
 */
export function sumOf(volumes) {
  const sum = { distance_m: 0, time_s: 0, strokes: 0, work_kj: 0, sessions: 0 };
  for (const volume of volumes) for (const name of Object.keys(sum)) sum[name] += volume[name];
  return sum;
}

/**
 * Draws the sums, and a bar for each of `volumes`, which are weeks or seasons.
 * @type {(place: HTMLElement, volumes: object[], by: string, strings: Strings) => void}
 */
export function drawVolume(place, volumes, by, strings) {
  place.textContent = '';
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = strings.volumes[by];
  const tag = make('button', 'tag', head);
  tag.type = 'button';
  tag.textContent = strings.valueKinds.computed;
  const sum = sumOf(volumes);
  if (!volumes.length) {
    tag.remove();
    make('p', 'hint', place).textContent = strings.nothingRowed;
    return;
  }
  const list = make('dl', 'sums', place);
  for (const [name, value] of [[strings.distance, kilometres(sum.distance_m, strings)],
    [strings.time, format.elapsed(sum.time_s)], [strings.strokes, format.metres(sum.strokes)],
    [strings.work, format.withUnit(format.metres(sum.work_kj), 'kJ')],
    [strings.sessions, format.metres(sum.sessions)]]) {
    const entry = make('div', '', list);
    make('dt', '', entry).textContent = name;
    make('dd', '', entry).textContent = value;
  }
  addDisclosure(tag, () => {
    const text = make('p', 'hint', place);
    text.textContent = interpolate(strings.howVolume, pluralize(strings.sessionCount, sum.sessions));
    return text;
  }, list);
  drawBars(place, volumes, by, strings);
}

function drawBars(place, volumes, by, strings) {
  const most = Math.max(...volumes.map((volume) => volume.distance_m)) / 1000;
  const { to, ticks } = scale([0, most], STEPS, 4);
  const y = (value) => HIGH - BELOW - value / to * (HIGH - BELOW - 8);
  // Drawn at the real width, so that the text has the normal size.
  const wide = Math.max(280, place.firstChild.clientWidth);
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + HIGH, role: 'img' });
  svg.setAttribute('aria-label', interpolate(strings.barsOf, pluralize(strings.spans[by], volumes.length),
    kilometres(most * 1000, strings)));
  for (const tick of ticks) {
    draw(svg, 'line', { class: 'grid', x1: LEFT, x2: wide, y1: y(tick), y2: y(tick) });
    draw(svg, 'text', { x: LEFT - 8, y: y(tick) + 4, 'text-anchor': 'end' }, tick);
  }
  const bars = by === 'week' ? weeksOf(volumes, { distance_m: 0 }) : volumes;
  const room = (wide - LEFT) / Math.max(bars.length, 6);
  let labelled = -99;
  bars.forEach((bar, index) => {
    const x = LEFT + index * room;
    const top = y(bar.distance_m / 1000);
    if (bar.distance_m > 0) {
      draw(svg, 'rect', { class: 'volume', x: x + room * .15, width: room * .7, y: top,
        height: Math.max(1, HIGH - BELOW - top), rx: Math.min(3, room / 5) });
    }
    const text = by === 'week' ? monthOf(bars, index, strings)
      : String(new Date(midnight(bar.from)).getUTCFullYear() + 1);
    if (!text || x - labelled < 34 || x > wide - 24) return;
    labelled = x;
    draw(svg, 'text', { x: x + room * .15, y: HIGH - 4 }, text);
  });
}

/**
 * Every week from the first to the last; weeks without rowing are `none`.
 * @type {(volumes: object[], none: object) => object[]}
 */
export function weeksOf(volumes, none) {
  const week = 7 * 86400000;
  const [first, last] = [volumes[0], volumes[volumes.length - 1]].map((one) => midnight(one.from));
  const known = new Map(volumes.map((volume) => [midnight(volume.from), volume]));
  const all = [];
  for (let at = first; at <= last; at += week) {
    const from = new Date(at).toISOString().slice(0, 10);
    all.push(known.get(at) || Object.assign({ from }, none));
  }
  return all;
}

/**
 * The month's name at its first week; empty elsewhere.
 * @type {(bars: object[], index: number, strings: Strings) => string}
 */
export function monthOf(bars, index, strings) {
  const month = (bar) => new Date(midnight(bar.from) + 6 * 86400000).getUTCMonth();
  if (index > 0 && month(bars[index]) === month(bars[index - 1])) return '';
  return strings.months[month(bars[index])];
}

/**
 * `22 Nov 2026 · 2 sessions · 12.4 km · 58:10`.
 * @type {(volume: object, strings: Strings) => string}
 */
export function daySummary(volume, strings) {
  return [shortDay(volume.from, true), pluralize(strings.sessionCount, volume.sessions),
    kilometres(volume.distance_m, strings), format.elapsed(volume.time_s)].join(' \u00b7 ');
}
