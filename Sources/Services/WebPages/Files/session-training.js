// The training values of a session: pacing, drift, consistency, load, force, and time in zones.
import { forceFacts } from './training-load.js';
import * as format from './format.js';
import { fact, heading, hint, missingText } from './training.js';
import { make } from './view.js';
import { interpolate } from './strings.js';
import { drawZones } from './zones.js';

/** `4.8`, or with its sign: `+4.8`, `−4.8`. */
function percent(value, strings, isSigned) {
  const text = format.decimal(Math.abs(value), 1, strings.decimal);
  if (!isSigned || Number(value.toFixed(1)) === 0) return text;
  return (value < 0 ? '\u2212' : '+') + text;
}

/** Draws the values; `training` is the logbook's answer. */
export function drawSessionTraining(place, training, strings) {
  place.textContent = '';
  place.hidden = false;
  heading(place, strings.sessionTraining, null, '', strings);
  const list = make('dl', 'sums', place);
  const { heart_drift: drift, consistency, split_index: split, load, reserve_balance: reserve,
    force } = training;
  if (!split.missing) {
    const paces = split.paces_s_per_500m.map((pace) => format.pace(pace, strings.decimal));
    const note = split.even ? strings.evenHalves : interpolate(strings.firstLast, ...paces);
    fact(list, strings.splitIndex, percent(split.index_percent, strings, true), '%', note, split,
      strings.howSplit, strings);
  }
  if (!drift.missing) {
    const halves = drift.halves.map((half) => interpolate(strings.wattsAtHeart,
      format.whole(half.power_w), format.whole(half.heart_rate_bpm)));
    fact(list, strings.heartDrift, percent(drift.drift_percent, strings, true), '%',
      interpolate(strings.firstLast, ...halves), drift, strings.howDrift, strings);
  }
  if (!consistency.missing) {
    for (const [label, name] of [[strings.powerVariation, 'power_cv_percent'],
      [strings.rateVariation, 'rate_cv_percent']]) {
      fact(list, label, percent(consistency[name], strings), '%', '', consistency,
        strings.howConsistency, strings);
    }
    if (consistency.drive_sd_s !== undefined) {
      fact(list, strings.driveVariation, format.decimal(consistency.drive_sd_s, 2, strings.decimal), 's',
        '', consistency, strings.howConsistency, strings);
    }
  }
  if (!load.missing) {
    fact(list, strings.load, format.decimal(load.load, 1, strings.decimal), '', '', load,
      strings.howLoad, strings);
  }
  if (!reserve.missing) {
    fact(list, strings.leastReserve, format.decimal(reserve.least_j / 1000, 1, strings.decimal), 'kJ',
      interpolate(strings.experimentAt, format.elapsed(reserve.at_s)), reserve, strings.howReserve, strings);
  }
  if (!force.missing) forceFacts(list, force, strings);
  if (!list.children.length) list.remove();
  for (const [name, figure] of [['split', split], ['drift', drift],
    ['consistency', consistency], ['load', load], ['reserve', reserve], ['force', force]]) {
    if (figure.missing) hint(place, missingText(name, figure.missing, strings));
  }
  drawZones(make('div', 'in-zones', place), strings.timeInZones, training.zones,
    training.time_in_zone ? [training.time_in_zone] : [], 'session', strings);
  if (training.heart_zones.missing) return;
  drawZones(make('div', 'in-zones', place), strings.heartZones, training.heart_zones,
    [training.time_in_heart_zone], 'session', strings);
}
