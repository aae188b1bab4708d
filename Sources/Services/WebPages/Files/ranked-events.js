// The ranked events, and how their results are written. Needs no DOM.
import * as format from './format.js';

/** The ranked events in the order of the table. */
export const EVENTS = ['100m', '500m', '1000m', '2000m', '5000m', '6000m', '10000m', '21097m',
  '42195m', '1min', '4min', '30min', '60min'];

/** `2000 m`, `30 min`. */
export function eventName(event) {
  const [, number, unit] = /^(\d+)([a-z]+)$/.exec(format.line(event, 16)) || ['', '', ''];
  return number ? format.withUnit(unit === 'm' ? format.metres(Number(number)) : number, unit) : '';
}

/** A result: the time for a distance, or the metres in a time. */
export function resultOf(best, figure, strings) {
  return best.event_time_s ? format.withUnit(format.metres(figure.distance_m), 'm')
    : format.tenths(figure.time_s, strings.decimal);
}
