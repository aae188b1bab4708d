// The table of a session's splits or intervals.
import * as figures from './figures.js';
import { halves } from './series.js';
import * as standing from './standing.js';
import { asked } from './target.js';
import { make } from './view.js';
import { fill } from './words.js';

/** The target of all splits, `1:50–1:55`; empty where they differ, or had none. */
export function commonTarget(splits, words, machine) {
  const all = splits.map((split) => asked(split, words, words.range, machine));
  return all.every((one) => one === all[0]) ? all[0] || '' : '';
}

/** `Pace`, with the unit where that is not the usual one. */
export function paceName(machine, words) {
  return machine === 'bike' ? words.pace + ' ' + words.units.bikePace : words.pace;
}

/** Writes the table into `place`, which is hidden where there is no split. */
export function drawSplits(place, { splits, summary }, words) {
  const { decimal } = words;
  const machine = figures.machineOf(summary.machine_type);
  place.textContent = '';
  place.hidden = !splits.length;
  make('h2', '', place).textContent = words.splits;
  const common = commonTarget(splits, words, machine);
  const columns = [
    [words.number, (split) => figures.whole(split.split), 'number'],
    [words.distance, (split) => figures.metres(split.distance_m)],
    [words.time, (split) => standing.time(split.duration_s, words)],
    [paceName(machine, words), (split) => figures.pace(split.avg_pace_s_per_500m, decimal, machine), 'strong'],
    [words.watts, (split) => figures.effort(split.avg_power_w), 'wide'],
    [words.rate, (split) => figures.effort(split.avg_stroke_rate_spm)],
    [words.heart, (split) => figures.effort(split.avg_heart_rate_bpm)],
    [words.drag, (split) => figures.effort(split.avg_drag_factor), 'wide'],
    [words.targetWord, (split) => (common ? '' : asked(split, words, words.range, machine))
      || figures.DASH, 'wide'],
    [words.restWord, (split) => (split.rest_s > 0 ? figures.elapsed(split.rest_s) : figures.DASH)],
  ].filter(([, write]) => splits.some((split) => write(split) !== figures.DASH));
  const table = make('table', '', place);
  table.setAttribute('aria-label', words.splits);
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
  const gain = summary.session_type === 'intervals' ? null : halves(splits);
  if (gain !== null) make('p', 'hint', place).textContent = gained(gain, words);
}

/** By how much the second half was faster or slower. */
function gained(gain, words) {
  if (Math.abs(gain) < 0.05) return words.evenHalves;
  return fill(gain > 0 ? words.secondFaster : words.secondSlower,
    figures.decimal(Math.abs(gain), 1, words.decimal));
}
