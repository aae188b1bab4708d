// What a session's strokes say for training: drift, consistency, halves, and the time in zones.
import { forceFacts } from './effort.js';
import * as figures from './figures.js';
import { fact, heading, hint, lacking } from './training.js';
import { make } from './view.js';
import { fill } from './words.js';
import { drawZones } from './zones.js';

/** `4.8`, and with its sign `+4.8` or `−4.8`. */
function percent(value, words, isSigned) {
  const text = figures.decimal(Math.abs(value), 1, words.decimal);
  if (!isSigned || Number(value.toFixed(1)) === 0) return text;
  return (value < 0 ? '\u2212' : '+') + text;
}

/** Draws a session's figures; `told` is what the logbook says of it. */
export function drawSteadiness(place, told, words) {
  place.textContent = '';
  place.hidden = false;
  heading(place, words.forTraining, null, '', words);
  const list = make('dl', 'sums', place);
  const { heart_drift: drift, consistency, split_index: split, load, reserve_balance: reserve,
    force } = told;
  if (!split.missing) {
    const paces = split.paces_s_per_500m.map((pace) => figures.pace(pace, words.decimal));
    const note = split.even ? words.evenHalves : fill(words.firstLast, ...paces);
    fact(list, words.splitIndex, percent(split.index_percent, words, true), '%', note, split,
      words.howSplit, words);
  }
  if (!drift.missing) {
    const halves = drift.halves.map((half) => fill(words.wattsAtHeart,
      figures.whole(half.power_w), figures.whole(half.heart_rate_bpm)));
    fact(list, words.heartDrift, percent(drift.drift_percent, words, true), '%',
      fill(words.firstLast, ...halves), drift, words.howDrift, words);
  }
  if (!consistency.missing) {
    for (const [label, name] of [[words.wattsVary, 'power_cv_percent'],
      [words.rateVaries, 'rate_cv_percent']]) {
      fact(list, label, percent(consistency[name], words), '%', '', consistency,
        words.howConsistency, words);
    }
    if (consistency.drive_sd_s !== undefined) {
      fact(list, words.driveVaries, figures.decimal(consistency.drive_sd_s, 2, words.decimal), 's',
        '', consistency, words.howConsistency, words);
    }
  }
  if (!load.missing) {
    fact(list, words.load, figures.decimal(load.load, 1, words.decimal), '', '', load,
      words.howLoad, words);
  }
  if (!reserve.missing) {
    fact(list, words.leastReserve, figures.decimal(reserve.least_j / 1000, 1, words.decimal), 'kJ',
      fill(words.experimentAt, figures.elapsed(reserve.at_s)), reserve, words.howReserve, words);
  }
  if (!force.missing) forceFacts(list, force, words);
  if (!list.children.length) list.remove();
  for (const [name, figure] of [['split', split], ['drift', drift],
    ['consistency', consistency], ['load', load], ['reserve', reserve], ['force', force]]) {
    if (figure.missing) hint(place, lacking(name, figure.missing, words));
  }
  drawZones(make('div', 'in-zones', place), words.timeInZones, told.zones,
    told.time_in_zone ? [told.time_in_zone] : [], 'session', words);
  if (told.heart_zones.missing) return;
  drawZones(make('div', 'in-zones', place), words.heartZones, told.heart_zones,
    [told.time_in_heart_zone], 'session', words);
}
