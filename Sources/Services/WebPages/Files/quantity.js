// A figure with its unit, and its name for who listens.
import * as figures from './figures.js';

/** One of `words.units` with its name. */
export function quantity(name, value, words) {
  return { label: words.names[name], value, unit: value === figures.DASH ? '' : words.units[name] };
}

/** Without a belt there is no heart rate, and no place is kept for one. */
export function heart(value, words) {
  return value > 0 ? quantity('heart', figures.whole(value), words) : null;
}

/** Whole metres that are behind somebody. */
export function distance(metres, words) {
  const value = figures.metres(typeof metres === 'number' ? Math.floor(metres) : undefined);
  return {
    label: words.names.distance, value, unit: value === figures.DASH ? '' : words.units.metres };
}
