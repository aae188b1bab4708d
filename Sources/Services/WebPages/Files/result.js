// Values with their units and names, and how a summary is shown.
import * as format from './format.js';

/** A value with a unit of `strings.units`. */
export function quantity(name, value, strings) {
  return { label: strings.names[name], value, unit: value === format.DASH ? '' : strings.units[name] };
}

/** Null without a heart rate belt. */
export function heart(value, strings) {
  return value > 0 ? quantity('heart', format.whole(value), strings) : null;
}

/** The distance in whole metres. */
export function distance(metres, strings) {
  const value = format.metres(typeof metres === 'number' ? Math.floor(metres) : undefined);
  return {
    label: strings.names.distance, value, unit: value === format.DASH ? '' : strings.units.metres };
}

/** The main value: time for a distance, distance for a time, average pace for intervals. */
export function resultShown(result, strings, machine) {
  const distance = format.withUnit(format.metres(result.distance_m), strings.units.metres);
  const time = format.tenths(result.result_time_s, strings.decimal);
  // The machine in the result, or the current one of the erg.
  const on = result.machine_type ? format.machineOf(result.machine_type) : machine;
  const pace = format.pace(result.avg_pace_s_per_500m, strings.decimal, on);
  const paceText = format.withUnit(pace, format.paceUnit(on, strings.units));
  const kind = result.session_type;
  const row = [
    quantity('rate', format.positiveWhole(result.avg_stroke_rate_spm), strings),
    quantity('power', format.positiveWhole(result.avg_power_w), strings),
    heart(result.avg_heart_rate_bpm, strings)];
  const shown = {
    word: result.partial_result === true ? strings.partialResult
      : result.complete === false && kind !== 'just_row' ? strings.stoppedEarly : strings.finished, row,
    verified: typeof result.verified_against_pm5 === 'boolean' ? result.verified_against_pm5 : null,
  };
  if (kind === 'intervals') {
    return Object.assign(shown, {
      label: strings.names.average, big: pace, unit: averageUnit(on, strings),
      lines: [distance + ' \u00b7 ' + time] });
  }
  if (kind === 'time' || kind === 'just_row') {
    return Object.assign(shown, {
      label: strings.names.distance, big: format.metres(result.distance_m),
      unit: strings.units.metres,
      lines: [time + ' \u00b7 ' + paceText] });
  }
  return Object.assign(shown, {
    label: strings.names.time, big: time, lines: [distance + ' \u00b7 ' + paceText] });
}

/** `average`, with the unit for a BikeErg. */
export function averageUnit(machine, strings) {
  return machine === 'bike' ? strings.average + ' ' + strings.units.bikePace : strings.average;
}

export function resultLine(result, strings) {
  const distance = format.withUnit(format.metres(result.distance_m), strings.units.metres);
  return distance + ' \u00b7 ' + format.tenths(result.result_time_s, strings.decimal);
}
