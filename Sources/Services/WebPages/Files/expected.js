// What somebody's results let expect: k with predictions, critical power, and the power curve.
import { draw } from './chart.js';
import * as figures from './figures.js';
import { eventName } from './event.js';
import { why } from './reason.js';
import { explain, fact, heading, hint, lacking } from './training.js';
import { make } from './view.js';
import { fill } from './words.js';

/** Seconds at which a power curve is read. */
const MARKS = [10, 30, 60, 240, 600, 1200, 1800, 3600];

/** Draws what the results on a machine come to. */
export function drawExpected(place, machine, words) {
  heading(place, words.expected, null, '', words);
  const { pauls_law: law, critical_power: critical, power_curve: curve } = machine;
  const list = make('dl', 'sums', place);
  if (!law.missing) {
    fact(list, words.k, figures.decimal(law.k_s_per_500m, 1, words.decimal), words.kUnit,
      words.kindsOfFigure[law.kind], law, law.own_missing ? words.howUsualK : words.howK, words);
  }
  if (!critical.missing) {
    fact(list, words.criticalPower, figures.whole(critical.critical_power_w), words.units.power, '',
      critical, words.howCritical, words);
    const reserve = figures.decimal(critical.w_prime_j / 1000, 1, words.decimal);
    fact(list, words.reserve, reserve, 'kJ', '', critical, words.howCritical, words);
  }
  if (!list.children.length) list.remove();
  if (machine.predictions.length) {
    drawPredictions(place, machine.predictions, machine.machine, words);
  }
  if (!curve.missing) drawCurve(place, curve, words);
  for (const [name, lack] of [['k', law.own_missing || law.missing],
    ['critical', critical.missing], ['curve', curve.missing]]) {
    if (lack) hint(place, lacking(name, lack, words));
  }
}

function drawPredictions(place, predictions, machine, words) {
  const paceName = machine === 'bike' ? words.pace + ' ' + words.units.bikePace : words.pace;
  const table = make('table', 'bests', place);
  make('caption', 'spoken', table).textContent = words.expected;
  const head = make('tr', '', make('thead', '', table));
  for (const text of [words.event, words.expectedResult, paceName]) {
    const cell = make('th', '', head);
    cell.scope = 'col';
    cell.textContent = text;
  }
  const body = make('tbody', '', table);
  for (const { event, event_time_s, figure } of predictions) {
    const row = make('tr', '', body);
    const name = make('th', 'event', row);
    name.scope = 'row';
    name.textContent = eventName(event);
    const button = make('button', 'figure', make('td', 'effort', row));
    button.type = 'button';
    const text = event_time_s ? figures.withUnit(figures.metres(Math.floor(figure.distance_m)), 'm')
      : figures.elapsed(figure.time_s);
    button.textContent = '\u2248\u00a0' + text;
    button.setAttribute('aria-label',
      [eventName(event), text, words.kindsOfFigure[figure.kind]].join(', '));
    make('td', '', row).textContent = figures.pace(figure.pace_s_per_500m, words.decimal, machine);
    why(button, () => {
      const cell = make('tr', 'why', body);
      const inner = make('td', '', cell);
      inner.colSpan = 3;
      explain(inner, 'span', figure, words.howPrediction, words);
      return cell;
    }, row);
  }
}

/** Watts over time, both by their logarithms, as far as there are results. */
function drawCurve(place, curve, words) {
  const watts = (seconds) => curve.terms.reduce(
    (sum, { power_w, time_s }) => sum + power_w / (1 + seconds / time_s), 0);
  const { from_s: from, to_s: to } = curve;
  const head = heading(place, words.powerCurve, curve,
    fill(words.howCurve, figures.decimal(curve.r_squared, 2, words.decimal)), words);
  head.className += ' of-curve';
  const [wide, high, left] = [Math.max(280, place.firstChild.clientWidth), 150, 44];
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + high, role: 'img' });
  const [most, least] = [Math.log(watts(from)) + .06, Math.log(watts(to)) - .12];
  const x = (seconds) => left + Math.log(seconds / from) / Math.log(to / from) * (wide - left - 14);
  const y = (power) => 6 + (most - Math.log(power)) / (most - least) * (high - 28);
  const marks = MARKS.filter((seconds) => seconds >= from && seconds <= to);
  svg.setAttribute('aria-label', [words.powerCurve].concat(marks.map((seconds) =>
    figures.elapsed(seconds) + ' ' + figures.whole(watts(seconds)) + ' W')).join(', '));
  let above = -99;
  for (const seconds of marks) {
    const [across, up] = [x(seconds), y(watts(seconds))];
    draw(svg, 'line', { class: 'grid', x1: across, x2: across, y1: up, y2: high - 20 });
    if (across - above < 46) continue;
    above = across;
    draw(svg, 'text', { x: across, y: high - 4, 'text-anchor': 'middle' }, seconds < 60
      ? seconds + '\u202fs' : figures.duration(seconds));
    const isLast = across > wide - 36;
    draw(svg, 'text', { x: isLast ? wide : across + 4, y: up - 6,
      'text-anchor': isLast ? 'end' : 'start' }, figures.whole(watts(seconds)));
  }
  const points = Array.from({ length: 61 }, (_, index) => {
    const seconds = from * Math.pow(to / from, index / 60);
    return x(seconds).toFixed(1) + ',' + y(watts(seconds)).toFixed(1);
  });
  draw(svg, 'polyline', { class: 'power-curve', points: points.join(' ') });
  draw(svg, 'text', { x: 0, y: 14 }, words.watts);
}
