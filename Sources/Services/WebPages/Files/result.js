// What is shown of a summary.
import * as figures from './figures.js';
import { heart, quantity } from './quantity.js';

/** What a piece is judged by: time of a distance, distance of a time, pace of intervals. */
export function resultShown(result, words, machine) {
  const distance = figures.withUnit(figures.metres(result.distance_m), words.units.metres);
  const time = figures.tenths(result.result_time_s, words.decimal);
  // The machine that the result names; without one, that which stands there.
  const on = result.machine_type ? figures.machineOf(result.machine_type) : machine;
  const pace = figures.pace(result.avg_pace_s_per_500m, words.decimal, on);
  const paceText = figures.withUnit(pace, figures.paceUnit(on, words.units));
  const kind = result.session_type;
  const row = [
    quantity('rate', figures.effort(result.avg_stroke_rate_spm), words),
    quantity('power', figures.effort(result.avg_power_w), words),
    heart(result.avg_heart_rate_bpm, words)];
  const shown = {
    word: result.complete === false && kind !== 'just_row' ? words.early : words.finished, row,
    verified: typeof result.verified_against_pm5 === 'boolean' ? result.verified_against_pm5 : null,
  };
  if (kind === 'intervals') {
    return Object.assign(shown, {
      label: words.names.average, big: pace, unit: averageUnit(on, words),
      lines: [distance + ' \u00b7 ' + time] });
  }
  if (kind === 'time' || kind === 'just_row') {
    return Object.assign(shown, {
      label: words.names.distance, big: figures.metres(result.distance_m),
      unit: words.units.metres,
      lines: [time + ' \u00b7 ' + paceText] });
  }
  return Object.assign(shown, {
    label: words.names.time, big: time, lines: [distance + ' \u00b7 ' + paceText] });
}

/** `average`, with the unit where that is not the usual one. */
export function averageUnit(machine, words) {
  return machine === 'bike' ? words.average + ' ' + words.units.bikePace : words.average;
}

export function resultLine(result, words) {
  const distance = figures.withUnit(figures.metres(result.distance_m), words.units.metres);
  return distance + ' \u00b7 ' + figures.tenths(result.result_time_s, words.decimal);
}
