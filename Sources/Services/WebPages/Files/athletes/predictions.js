// Predictions from results: pace loss, predicted results, critical power, and the power curve.
import { draw } from '../common/chart.js';
import * as format from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { addDisclosure, make, tableBody } from '../common/view.js';
import { explain, fact, heading, hint, missingText } from './training.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Seconds at which the power curve is labelled. */
const MARKS = [10, 30, 60, 240, 600, 1200, 1800, 3600];

/**
 * Draws the predictions for a machine.
 * @type {(place: HTMLElement, machine: object, strings: Strings) => void}
 */
export function drawPredictions(place, machine, strings) {
  heading(place, strings.predictions, null, '', strings);
  const { pauls_law: law, critical_power: critical, power_curve: curve } = machine;
  const list = make('dl', 'sums', place);
  if (!law.missing) {
    const loss = law.k_s_per_500m * format.paceFactor(machine.machine);
    fact(list, strings.paceLoss, format.decimal(loss, 1, strings.decimal),
      's' + format.paceUnit(machine.machine, strings.units),
      strings.valueKinds[law.kind], law,
      law.own_missing ? strings.howUsualPaceLoss : strings.howPaceLoss, strings);
  }
  if (!critical.missing) {
    fact(list, strings.criticalPower, format.whole(critical.critical_power_w), strings.units.power, '',
      critical, strings.howCritical, strings);
    const reserve = format.decimal(critical.w_prime_j / 1000, 1, strings.decimal);
    fact(list, strings.reserve, reserve, 'kJ', '', critical, strings.howCritical, strings);
  }
  if (!list.children.length) list.remove();
  if (machine.predictions.length) {
    drawPredictionTable(place, machine.predictions, machine.machine, strings);
  }
  if (!curve.missing) drawCurve(place, curve, strings);
  for (const [name, lack] of [['k', law.own_missing || law.missing],
    ['critical', critical.missing], ['curve', curve.missing]]) {
    if (lack) hint(place, missingText(name, lack, strings));
  }
}

function drawPredictionTable(place, predictions, machine, strings) {
  const paceName = machine === 'bike' ? strings.pace + ' ' + strings.units.bikePace : strings.pace;
  const table = make('table', 'bests', place);
  const body = tableBody(table, strings.predictions,
    [strings.event, strings.predicted, paceName]);
  for (const { event, event_time_s, figure } of predictions) {
    const row = make('tr', '', body);
    const name = make('th', 'event', row);
    name.scope = 'row';
    name.textContent = format.eventName(event);
    const button = make('button', 'figure', make('td', 'effort', row));
    button.type = 'button';
    const text = event_time_s ? format.withUnit(format.metres(Math.floor(figure.distance_m)), 'm')
      : format.elapsed(figure.time_s);
    button.textContent = '\u2248\u00a0' + text;
    button.setAttribute('aria-label',
      [format.eventName(event), text, strings.valueKinds[figure.kind]].join(', '));
    make('td', '', row).textContent = format.pace(figure.pace_s_per_500m, strings.decimal, machine);
    addDisclosure(button, () => {
      const cell = make('tr', 'why', body);
      const inner = make('td', '', cell);
      inner.colSpan = 3;
      explain(inner, 'span', figure, strings.howPrediction, strings);
      return cell;
    }, row);
  }
}

/** Draws watts over time on logarithmic axes, within the range of the results. */
function drawCurve(place, curve, strings) {
  const watts = (seconds) => curve.terms.reduce(
    (sum, { power_w, time_s }) => sum + power_w / (1 + seconds / time_s), 0);
  const { from_s: from, to_s: to } = curve;
  const head = heading(place, strings.powerCurve, curve,
    interpolate(strings.howCurve, format.decimal(curve.r_squared, 2, strings.decimal)), strings);
  head.className += ' of-curve';
  const [wide, high, left] = [Math.max(280, place.firstChild.clientWidth), 150, 44];
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + high, role: 'img' });
  const [most, least] = [Math.log(watts(from)) + .06, Math.log(watts(to)) - .12];
  const x = (seconds) => left + Math.log(seconds / from) / Math.log(to / from) * (wide - left - 14);
  const y = (power) => 6 + (most - Math.log(power)) / (most - least) * (high - 28);
  const marks = MARKS.filter((seconds) => seconds >= from && seconds <= to);
  svg.setAttribute('aria-label', [strings.powerCurve].concat(marks.map((seconds) =>
    format.elapsed(seconds) + ' ' + format.whole(watts(seconds)) + ' W')).join(', '));
  let above = -99;
  for (const seconds of marks) {
    const [across, up] = [x(seconds), y(watts(seconds))];
    draw(svg, 'line', { class: 'grid', x1: across, x2: across, y1: up, y2: high - 20 });
    if (across - above < 46) continue;
    above = across;
    draw(svg, 'text', { x: across, y: high - 4, 'text-anchor': 'middle' }, seconds < 60
      ? seconds + '\u202fs' : format.duration(seconds));
    const isLast = across > wide - 36;
    draw(svg, 'text', { x: isLast ? wide : across + 4, y: up - 6,
      'text-anchor': isLast ? 'end' : 'start' }, format.whole(watts(seconds)));
  }
  const points = Array.from({ length: 61 }, (_, index) => {
    const seconds = from * Math.pow(to / from, index / 60);
    return x(seconds).toFixed(1) + ',' + y(watts(seconds)).toFixed(1);
  });
  draw(svg, 'polyline', { class: 'power-curve', points: points.join(' ') });
  draw(svg, 'text', { x: 0, y: 14 }, strings.watts);
}
