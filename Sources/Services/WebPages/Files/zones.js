// Zones, by power or by heart rate: where they lie, and how long somebody rowed in each.
import { draw } from './chart.js';
import * as figures from './figures.js';
import { shortDayOf } from './page.js';
import { heading, hint, lacking, paceOf } from './training.js';
import { make } from './view.js';
import { monthOf, weeksOf } from './volume.js';
import { fill } from './words.js';

const [HIGH, ABOVE, BELOW] = [126, 18, 20];

/** Seconds in each zone over all of the `times`, and those of which nobody knows. */
function sumOf(times) {
  const sum = { unknown: 0 };
  for (const time of times) {
    sum.unknown += time.unknown_s;
    for (const { zone, time_s } of time.zones) sum[zone] = (sum[zone] || 0) + time_s;
  }
  return sum;
}

/** Draws zones with the time in them; `times` are of spans in order, or one of a session. */
export function drawZones(place, title, zones, times, by, words) {
  if (zones.missing) {
    heading(place, title, null, '', words);
    hint(place, lacking('zones', zones.missing, words));
    return;
  }
  const isHeart = zones.power_w === undefined;
  heading(place, title, zones, isHeart
    ? fill(words.howHeartZones, zones.resting_bpm, zones.maximal_bpm, shortDayOf(zones.at_ms, true))
    : fill(words.howZones, figures.whole(zones.power_w)), words);
  const sum = sumOf(times);
  drawTable(make('table', 'zones', place), zones, sum, title, isHeart, words);
  if (sum.unknown >= 60) {
    hint(place, fill(isHeart ? words.unknownHeart : words.unknownPower,
      figures.elapsed(sum.unknown)));
  }
  if (times.length > 1 && by === 'week') drawWeeks(place, times, words);
}

function drawTable(table, zones, sum, title, isHeart, words) {
  make('caption', 'spoken', table).textContent = title;
  const head = make('tr', '', make('thead', '', table));
  for (const text of [words.zone, ...(isHeart ? [words.units.heart] : [words.watts, words.pace]),
    words.time, words.share]) {
    const cell = make('th', '', head);
    cell.scope = 'col';
    cell.textContent = text;
  }
  const body = make('tbody', '', table);
  const all = zones.bounds.reduce((seconds, { zone }) => seconds + (sum[zone] || 0), 0);
  for (const { zone, from_w, to_w, from_bpm, to_bpm } of zones.bounds) {
    const row = make('tr', '', body);
    const name = make('th', 'event', row);
    name.scope = 'row';
    make('i', 'z-' + figures.line(zone, 8), name);
    make('span', '', name).textContent = words.zoneNames[zone] || zone;
    const [from, to] = isHeart ? [from_bpm, to_bpm] : [from_w, to_w];
    make('td', isHeart ? '' : 'wide', row).textContent = range(from, to && to - 1, '< ' + to, '\u2265 ');
    if (!isHeart) {
      make('td', '', row).textContent = range(paceOf(from, words), paceOf(to, words),
        '> ' + paceOf(to, words), '\u2264 ');
    }
    make('td', 'strong', row).textContent = sum[zone] ? figures.elapsed(sum[zone]) : figures.DASH;
    drawShare(make('td', 'share', row), zone, all ? (sum[zone] || 0) / all : 0);
  }
  if (!isHeart) head.children[1].className = 'wide';
}

/** `156–184`; of the first zone `before` it, `< 156`; of the last with a `mark`, `≥ 298`. */
function range(from, to, before, mark) {
  if (from && to) return from + '\u2013' + to;
  return from ? mark + from : before;
}

function drawShare(cell, zone, share) {
  if (!share) return;
  const bar = make('i', 'z-' + figures.line(zone, 8), cell);
  bar.style.width = (share * 60).toFixed(1) + '%';
  const percent = Math.round(share * 100);
  make('span', '', cell).textContent = (percent || '<\u202f1') + '\u202f%';
}

/** A bar for each week from the first to the last, of the time in each zone. */
function drawWeeks(place, times, words) {
  const bars = weeksOf(times, { zones: [] });
  const total = (bar) => bar.zones.reduce((seconds, { time_s }) => seconds + time_s, 0);
  const most = Math.max(1, ...bars.map(total));
  const wide = Math.max(280, place.firstChild.clientWidth);
  const y = HIGH - BELOW;
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + HIGH, role: 'img' });
  svg.setAttribute('aria-label', fill(words.weeksInZones, figures.elapsed(most)));
  draw(svg, 'line', { class: 'grid', x1: 0, x2: wide, y1: ABOVE, y2: ABOVE });
  draw(svg, 'text', { x: wide, y: ABOVE - 6, 'text-anchor': 'end' },
    fill(words.maximum, figures.elapsed(most)));
  const room = wide / Math.max(bars.length, 6);
  let labelled = -99;
  bars.forEach((bar, index) => {
    const x = index * room + room * .15;
    let top = y;
    for (const { zone, time_s } of bar.zones) {
      const height = time_s / most * (y - ABOVE);
      top -= height;
      if (height > 0) {
        const look = 'z-' + figures.line(zone, 8);
        draw(svg, 'rect', { class: look, x, width: room * .7, y: top, height });
      }
    }
    const text = monthOf(bars, index, words);
    if (!text || x - labelled < 34 || x > wide - 24) return;
    labelled = x;
    draw(svg, 'text', { x, y: HIGH - 4 }, text);
  });
}
