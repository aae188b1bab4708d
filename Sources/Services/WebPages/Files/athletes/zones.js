// Zones by power or heart rate: their limits, the time in each, and the dialog for heart rates.
import { post, requestError } from '../common/api-client.js';
import { draw } from '../common/chart.js';
import { add, addRefusal, button, closeDialog, field, openDialog } from '../common/dialog.js';
import * as format from '../common/format.js';
import { shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make, tableBody } from '../common/view.js';
import { heading, hint, missingText, paceOf } from './training.js';
import { monthOf, weeksOf } from './volume.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const [HIGH, ABOVE, BELOW] = [126, 18, 20];

/** Seconds in each zone over all `times`, and seconds without a value. */
function sumOf(times) {
  const sum = { unknown: 0 };
  for (const time of times) {
    sum.unknown += time.unknown_s;
    for (const { zone, time_s } of time.zones) sum[zone] = (sum[zone] || 0) + time_s;
  }
  return sum;
}

/**
 * Draws zones with the time in them; `times` are ordered spans, or one session.
 * @type {(place: HTMLElement, title: string, zones: object, times: object[], by: string, strings: Strings) => void}
 */
export function drawZones(place, title, zones, times, by, strings) {
  if (zones.missing) {
    heading(place, title, null, '', strings);
    hint(place, missingText('zones', zones.missing, strings));
    return;
  }
  const isHeart = zones.power_w === undefined;
  heading(place, title, zones, isHeart
    ? interpolate(strings.howHeartZones, zones.resting_bpm, zones.maximal_bpm, shortDayOf(zones.at_ms, true))
    : interpolate(strings.howZones, format.whole(zones.power_w)), strings);
  const sum = sumOf(times);
  drawTable(make('table', 'zones', place), zones, sum, title, isHeart, strings);
  if (sum.unknown >= 60) {
    hint(place, interpolate(isHeart ? strings.unknownHeart : strings.unknownPower,
      format.elapsed(sum.unknown)));
  }
  if (times.length > 1 && by === 'week') drawWeeks(place, times, strings);
}

function drawTable(table, zones, sum, title, isHeart, strings) {
  const limits = isHeart ? [strings.units.heart] : [strings.watts, strings.pace];
  const body = tableBody(table, title, [strings.zone, ...limits, strings.time, strings.share]);
  const all = zones.bounds.reduce((seconds, { zone }) => seconds + (sum[zone] || 0), 0);
  for (const { zone, from_w, to_w, from_bpm, to_bpm } of zones.bounds) {
    const row = make('tr', '', body);
    const name = make('th', 'event', row);
    name.scope = 'row';
    make('i', 'z-' + format.line(zone, 8), name);
    make('span', '', name).textContent = strings.zoneNames[zone] || zone;
    const [from, to] = isHeart ? [from_bpm, to_bpm] : [from_w, to_w];
    make('td', isHeart ? '' : 'wide', row).textContent = range(from, to && to - 1, '< ' + to, '\u2265 ');
    if (!isHeart) {
      make('td', '', row).textContent = range(paceOf(from, strings), paceOf(to, strings),
        '> ' + paceOf(to, strings), '\u2264 ');
    }
    make('td', 'strong', row).textContent = sum[zone] ? format.elapsed(sum[zone]) : format.DASH;
    drawShare(make('td', 'share', row), zone, all ? (sum[zone] || 0) / all : 0);
  }
  if (!isHeart) table.rows[0].children[1].className = 'wide';
}

/** `156–184`; the first zone uses `before`, `< 156`; the last one a `mark`, `≥ 298`. */
function range(from, to, before, mark) {
  if (from && to) return from + '\u2013' + to;
  return from ? mark + from : before;
}

function drawShare(cell, zone, share) {
  if (!share) return;
  const bar = make('i', 'z-' + format.line(zone, 8), cell);
  bar.style.width = (share * 60).toFixed(1) + '%';
  const percent = Math.round(share * 100);
  make('span', '', cell).textContent = (percent || '<\u202f1') + '\u202f%';
}

/** A bar per week with the time in each zone. */
function drawWeeks(place, times, strings) {
  const bars = weeksOf(times, { zones: [] });
  const total = (bar) => bar.zones.reduce((seconds, { time_s }) => seconds + time_s, 0);
  const most = Math.max(1, ...bars.map(total));
  const wide = Math.max(280, place.firstChild.clientWidth);
  const y = HIGH - BELOW;
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + HIGH, role: 'img' });
  svg.setAttribute('aria-label', interpolate(strings.weeksInZones, format.elapsed(most)));
  draw(svg, 'line', { class: 'grid', x1: 0, x2: wide, y1: ABOVE, y2: ABOVE });
  draw(svg, 'text', { x: wide, y: ABOVE - 6, 'text-anchor': 'end' },
    interpolate(strings.maximum, format.elapsed(most)));
  const room = wide / Math.max(bars.length, 6);
  let labelled = -99;
  bars.forEach((bar, index) => {
    const x = index * room + room * .15;
    let top = y;
    for (const { zone, time_s } of bar.zones) {
      const height = time_s / most * (y - ABOVE);
      top -= height;
      if (height > 0) {
        const look = 'z-' + format.line(zone, 8);
        draw(svg, 'rect', { class: look, x, width: room * .7, y: top, height });
      }
    }
    const text = monthOf(bars, index, strings);
    if (!text || x - labelled < 34 || x > wide - 24) return;
    labelled = x;
    draw(svg, 'text', { x, y: HIGH - 4 }, text);
  });
}

/**
 * Draws the zones. Entered rates are posted to `path`; then `saved` is called.
 * @type {(place: HTMLElement, zones: object, times: object[], by: string, path: string, saved: () => void, strings: Strings) => void}
 */
export function drawHeart(place, zones, times, by, path, saved, strings) {
  drawZones(place, strings.heartZones, zones, times, by, strings);
  const title = interpolate(strings.enterHeartLimits, strings.units.heart);
  button(place, title + '\u2026', () => openDialog(title, (body, close) => {
    const form = add('form', '', body);
    const row = add('div', 'inputs', form);
    const [resting, maximal] = [[strings.heartAtRest, zones.resting_bpm],
      [strings.heartMaximum, zones.maximal_bpm]].map(([label, value = '']) =>
      field(row, label, { inputmode: 'numeric', maxlength: 3, value }));
    const refusal = addRefusal(form);
    const buttons = add('div', 'buttons', form);
    button(buttons, strings.cancel, close);
    add('button', 'main', buttons, strings.save);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const { status, content } = await post(path, resting.value || maximal.value
        ? { resting_bpm: Number(resting.value), maximal_bpm: Number(maximal.value) } : {});
      if (status === 401) location.reload();
      refusal.textContent = status === 200 ? '' : requestError(content, strings);
      if (status !== 200) return;
      closeDialog();
      saved();
    });
  }));
}
