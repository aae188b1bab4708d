// What is ranked, and how a result of it is written. No page in here.
import * as figures from './figures.js';

/** What is ranked, in the order of the table. */
export const EVENTS = ['100m', '500m', '1000m', '2000m', '5000m', '6000m', '10000m', '21097m',
  '42195m', '1min', '4min', '30min', '60min'];

/** `2000 m`, `30 min`. */
export function eventName(event) {
  const [, number, unit] = /^(\d+)([a-z]+)$/.exec(figures.line(event, 16)) || ['', '', ''];
  return number ? figures.withUnit(unit === 'm' ? figures.metres(Number(number)) : number, unit) : '';
}

/** What somebody came to: a time over a distance, metres in a time. */
export function resultOf(best, figure, words) {
  return best.event_time_s ? figures.withUnit(figures.metres(figure.distance_m), 'm')
    : figures.tenths(figure.time_s, words.decimal);
}
