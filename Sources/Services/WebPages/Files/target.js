// What somebody was asked for, and how they keep to it. No page and no clock in here.
import * as figures from './figures.js';
import { fill } from './words.js';

/**
 * The figures that a target may ask for, the weightiest first. `least` is how wide a scale's margin
 * is at least, and `isReversed` where less is more: a pace.
 */
const FIGURES = [
  { name: 'pace', field: 'pace_s_per_500m', least: 3, isReversed: true, tells: 'effort' },
  { name: 'power', field: 'power_w', least: 15, tells: 'effort' },
  { name: 'rate', field: 'stroke_rate_spm', least: 2, tells: 'rate' },
  { name: 'heart', field: 'heart_rate_bpm', least: 6, tells: 'heart' },
];

const isNumber = (value) => typeof value === 'number' && isFinite(value);

/** `pace_s_per_500m` is `target_pace_min_s_per_500m` and `pace_vs_target` in the contract. */
function read(live, figure) {
  const [, word, unit] = /^(\w+?)_(s_per_500m|w|spm|bpm)$/.exec(figure.field);
  const [min, max] = ['min', 'max'].map((end) => live['target_' + word + '_' + end + '_' + unit]);
  if (!isNumber(min) && !isNumber(max)) return null;
  return { figure, min, max, value: live[figure.field], verdict: live[word + '_vs_target'] };
}

/** Every band that this live message has. */
export function bands(live) {
  return FIGURES.map((figure) => read(live, figure)).filter(Boolean);
}

/** How `1:50.0` to `1:55.0` is written; one end may be open. */
function ends({ figure, min, max }, words, join) {
  const write = figure.name === 'pace'
    ? (value) => figures.pace(value, words.decimal).replace(/[.,]0$/, '') : figures.whole;
  const unit = figure.name === 'pace' ? '' : words.units[figure.name];
  const both = isNumber(min) && isNumber(max);
  const text = both ? fill(join, write(min), write(max))
    : isNumber(min) ? fill(figure.isReversed ? words.atMostFast : words.atLeast, write(min))
      : fill(figure.isReversed ? words.atLeastFast : words.atMost, write(max));
  return unit ? figures.withUnit(text, unit) : text;
}

/** `1:50 to 1:55`: what the weightiest band asks for; empty without a target. */
export function asked(live, words, join = words.fromTo) {
  const [first] = bands(live);
  return first ? ends(first, words, join) : '';
}

/** What a verdict is called, and the look that goes with it. */
function called(band, words) {
  if (band.verdict === 'in') return { look: 'in', word: words.inBand };
  const isLess = band.verdict === 'below';
  return { look: isLess ? 'easy' : 'hard', word: words.off[band.figure.tells][isLess ? 0 : 1] };
}

/**
 * How somebody keeps to the target: `{ look, word }`, of the weightiest figure that is off it, or
 * in; null without a target, or before the first figure.
 */
export function verdict(live) {
  const judged = bands(live).filter((band) => ['below', 'in', 'above'].indexOf(band.verdict) >= 0);
  return judged.filter((band) => band.verdict !== 'in')[0] || judged[0] || null;
}

/** As a tile has it. */
export function light(live, words) {
  const found = verdict(live);
  return found && called(found, words);
}

/** `2.1 s too hard`: how far off it is, in words. */
function distance(band, words) {
  const { word, look } = called(band, words);
  if (look === 'in' || !isNumber(band.value)) return word;
  const isUnder = isNumber(band.min) && band.value < band.min;
  const limit = isUnder ? band.min : band.max;
  if (!isNumber(limit)) return word;
  const off = Math.abs(band.value - limit);
  const text = band.figure.name === 'pace' ? figures.decimal(off, 1, words.decimal)
    : figures.whole(off);
  const unit = band.figure.name === 'pace' ? 's' : words.units[band.figure.name];
  return fill(words.offBy, figures.withUnit(text, unit), word);
}

/**
 * The band as a small scale: `from` and `to` of the band and the `needle`, each from 0 to 1, more
 * effort to the right; `words` says it. null without a target.
 */
export function scale(live, words) {
  const band = verdict(live) || bands(live)[0];
  if (!band) return null;
  const sign = band.figure.isReversed ? -1 : 1;
  const [low, high] = [band.min, band.max].map((end) => (isNumber(end) ? end * sign : null))
    .sort((a, b) => (a === null || b === null ? 0 : a - b));
  // Of a band that is open at one end, the open end is the side of more, or of less.
  const isOpenAbove = sign > 0 ? !isNumber(band.max) : !isNumber(band.min);
  const known = low === null ? high : low;
  const margin = Math.max(low !== null && high !== null ? high - low : 0, band.figure.least);
  const [first, last] = low !== null && high !== null ? [low - margin, high + margin]
    : isOpenAbove ? [known - margin, known + 2 * margin] : [known - 2 * margin, known + margin];
  const at = (value) => Math.min(1, Math.max(0, (value - first) / (last - first)));
  return {
    from: low !== null && high !== null ? at(low) : isOpenAbove ? at(known) : 0,
    to: low !== null && high !== null ? at(high) : isOpenAbove ? 1 : at(known),
    needle: isNumber(band.value) ? at(band.value * sign) : null,
    look: band.verdict ? called(band, words).look : '', name: words.names[band.figure.name],
    words: band.verdict ? distance(band, words) : '', asked: ends(band, words, words.range),
  };
}
