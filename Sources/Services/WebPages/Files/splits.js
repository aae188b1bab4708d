// The table of a session's splits or intervals.
import * as format from './format.js';
import { halfDifference } from './series.js';
import * as sessionFormat from './session-format.js';
import { targetText } from './target.js';
import { make } from './view.js';
import { interpolate } from './strings.js';

/** The target of all splits: `1:50–1:55`; empty if they differ or have none. */
export function commonTarget(splits, strings, machine) {
  const all = splits.map((split) => targetText(split, strings, strings.range, machine));
  return all.every((one) => one === all[0]) ? all[0] || '' : '';
}

/** `Pace`, with the unit for a BikeErg. */
export function paceLabel(machine, strings) {
  return machine === 'bike' ? strings.pace + ' ' + strings.units.bikePace : strings.pace;
}

/** Draws the table into `place`; hidden without splits. */
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
    [paceLabel(machine, strings),
      (split) => format.pace(split.avg_pace_s_per_500m, decimal, machine), 'strong'],
    [strings.watts, (split) => format.positiveWhole(split.avg_power_w), 'wide'],
    [strings.rate, (split) => format.positiveWhole(split.avg_stroke_rate_spm)],
    [strings.heart, (split) => format.positiveWhole(split.avg_heart_rate_bpm)],
    [strings.drag, (split) => format.positiveWhole(split.avg_drag_factor), 'wide'],
    [strings.targetLabel, (split) => (common ? '' : targetText(split, strings, strings.range, machine))
      || format.DASH, 'wide'],
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
  if (gain !== null) make('p', 'hint', place).textContent = gained(gain, strings);
}

/** How much faster or slower the second half was. */
function gained(gain, strings) {
  if (Math.abs(gain) < 0.05) return strings.evenHalves;
  return interpolate(gain > 0 ? strings.secondFaster : strings.secondSlower,
    format.decimal(Math.abs(gain), 1, strings.decimal));
}
