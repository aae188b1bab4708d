// How much somebody rowed, and in which weeks: sums, and a bar for each.
import { draw } from './chart.js';
import { midnight } from './clubtime.js';
import * as figures from './figures.js';
import { shortDay } from './page.js';
import { why } from './reason.js';
import { scale } from './series.js';
import { make } from './view.js';
import { counted, fill } from './words.js';

const [HIGH, LEFT, BELOW] = [170, 34, 20];
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** `12.4 km`, whole ones from a hundred on. */
export function kilometres(metres, words) {
  const value = metres / 1000;
  const text = value < 100 ? figures.decimal(value, 1, words.decimal) : figures.metres(value);
  return figures.withUnit(text, 'km');
}

/** All of them together. */
export function sumOf(volumes) {
  const sum = { distance_m: 0, time_s: 0, strokes: 0, work_kj: 0, sessions: 0 };
  for (const volume of volumes) for (const name of Object.keys(sum)) sum[name] += volume[name];
  return sum;
}

/** The first day of a day's week, a Monday; both as the milliseconds of `midnight`. */
export function mondayOf(milliseconds) {
  return milliseconds - (new Date(milliseconds).getUTCDay() + 6) % 7 * 86400000;
}

/** Draws the sums, and a bar for each of the `volumes`, which are of a week or a season each. */
export function drawVolume(place, volumes, by, words) {
  place.textContent = '';
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = words.volumes[by];
  const tag = make('button', 'tag', head);
  tag.type = 'button';
  tag.textContent = words.kindsOfFigure.computed;
  const sum = sumOf(volumes);
  if (!volumes.length) {
    tag.remove();
    make('p', 'hint', place).textContent = words.nothingRowed;
    return;
  }
  const list = make('dl', 'sums', place);
  for (const [name, value] of [[words.distance, kilometres(sum.distance_m, words)],
    [words.time, figures.elapsed(sum.time_s)], [words.strokesWord, figures.metres(sum.strokes)],
    [words.work, figures.withUnit(figures.metres(sum.work_kj), 'kJ')],
    [words.sessions, figures.metres(sum.sessions)]]) {
    const entry = make('div', '', list);
    make('dt', '', entry).textContent = name;
    make('dd', '', entry).textContent = value;
  }
  why(tag, () => {
    const text = make('p', 'hint', place);
    text.textContent = fill(words.howVolume, counted(words.sessionCount, sum.sessions));
    return text;
  }, list);
  drawBars(place, volumes, by, words);
}

function drawBars(place, volumes, by, words) {
  const most = Math.max(...volumes.map((volume) => volume.distance_m)) / 1000;
  const { to, ticks } = scale([0, most], STEPS, 4);
  const y = (value) => HIGH - BELOW - value / to * (HIGH - BELOW - 8);
  // As wide as its place is, so that its letters are as large as others.
  const wide = Math.max(280, place.firstChild.clientWidth);
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + HIGH, role: 'img' });
  svg.setAttribute('aria-label', fill(words.barsOf, counted(words.spans[by], volumes.length),
    kilometres(most * 1000, words)));
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
    const text = by === 'week' ? monthOf(bars, index, words)
      : String(new Date(midnight(bar.from)).getUTCFullYear() + 1);
    if (!text || x - labelled < 34 || x > wide - 24) return;
    labelled = x;
    draw(svg, 'text', { x: x + room * .15, y: HIGH - 4 }, text);
  });
}

/** Every week from the first to the last; those not rowed in are as `none`. */
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

/** The month's name at the first week that ends in it; empty elsewhere. */
export function monthOf(bars, index, words) {
  const month = (bar) => new Date(midnight(bar.from) + 6 * 86400000).getUTCMonth();
  if (index > 0 && month(bars[index]) === month(bars[index - 1])) return '';
  return words.months[month(bars[index])];
}

/** `22 Nov 2026 · 2 sessions · 12.4 km · 58:10`. */
export function sayDay(volume, words) {
  return [shortDay(volume.from, true), counted(words.sessionCount, volume.sessions),
    kilometres(volume.distance_m, words), figures.elapsed(volume.time_s)].join(' \u00b7 ');
}
