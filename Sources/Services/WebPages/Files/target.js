// Targets, and how close the present figures are to them. No page and no clock in here.
import * as figures from './figures.js';
import { shownDifference } from './figures.js';
import { fill } from './words.js';

/**
 * The figures that a target may be for, the weightiest first. `least` is the least margin of a scale,
 * `half` half the width of the mark of a single value, `places` how a difference is shown, and
 * `isReversed` where less is more: a pace.
 */
const FIGURES = [
  { name: 'pace', field: 'pace_s_per_500m', least: 3, half: 1, places: 1, isReversed: true },
  { name: 'power', field: 'power_w', least: 15, half: 1, places: 0 },
  { name: 'rate', field: 'stroke_rate_spm', least: 2, half: 0.5, places: 0 },
  { name: 'heart', field: 'heart_rate_bpm', least: 6, half: 0.5, places: 0 },
];

const isNumber = (value) => typeof value === 'number' && isFinite(value);

/** `pace_s_per_500m` is `target_pace_min_s_per_500m` and `pace_vs_target` in the contract. */
function read(live, figure) {
  const [, word, unit] = /^(\w+?)_(s_per_500m|w|spm|bpm)$/.exec(figure.field);
  const [min, max] = ['min', 'max'].map((end) => live['target_' + word + '_' + end + '_' + unit]);
  if (!isNumber(min) && !isNumber(max)) return null;
  const band = { figure, min, max, value: live[figure.field], verdict: live[word + '_vs_target'] };
  // What is shown as the limit itself is on target.
  if (isOff(band) && distanceOf(band) === 0) band.verdict = 'in';
  return band;
}

const isOff = ({ verdict }) => verdict === 'below' || verdict === 'above';

/** How far off a figure is, as both are shown; null where that is not known. */
function distanceOf({ figure, min, max, value }, machine) {
  if (!isNumber(value)) return null;
  const limit = isNumber(min) && value < min ? min : max;
  const factor = figure.name === 'pace' ? figures.paceFactor(machine) : 1;
  return isNumber(limit)
    ? Math.abs(shownDifference(value * factor, limit * factor, figure.places)) : null;
}

/** Every band that this message has. */
export function bands(live) {
  return FIGURES.map((figure) => read(live, figure)).filter(Boolean);
}

/** How `1:50.0` to `1:55.0` is written; one end may be open, and both may be the same. */
function ends({ figure, min, max }, words, join, machine = 'rower') {
  const write = figure.name === 'pace'
    ? (value) => figures.pace(value, words.decimal, machine).replace(/[.,]0$/, '') : figures.whole;
  const unit = figure.name === 'pace' ? '' : figure.name === 'share' ? '%' : words.units[figure.name];
  const both = isNumber(min) && isNumber(max);
  const text = both && min === max ? write(min) : both ? fill(join, write(min), write(max))
    : isNumber(min) ? fill(figure.isReversed ? words.atMostFast : words.atLeast, write(min))
      : fill(figure.isReversed ? words.atLeastFast : words.atMost, write(max));
  return unit ? figures.withUnit(text, unit) : text;
}

/** `1:50 to 1:55`, or `1:45`: the weightiest band; empty without a target. */
export function asked(live, words, join = words.fromTo, machine = 'rower') {
  const [first] = bands(live);
  return first ? ends(first, words, join, machine) : '';
}

/** Every target of a command, the weightiest first: `1:45`, `22 to 24 spm`, `75 to 80 % of 2k`. */
export function askedOf(fields, words) {
  const single = fields.target_pace_s_per_500m;
  const found = bands(Object.assign(isNumber(single)
    ? { target_pace_min_s_per_500m: single, target_pace_max_s_per_500m: single } : {}, fields))
    .map((band) => ends(band, words, words.fromTo));
  const [min, max] = [fields.target_2k_power_min_pct, fields.target_2k_power_max_pct];
  if (!isNumber(min) && !isNumber(max)) return found;
  const share = { figure: { name: 'share' }, min, max };
  return found.concat(fill(words.of2k, ends(share, words, words.fromTo)));
}

/** What a verdict is called, and the look that goes with it. */
function called(band, words) {
  if (band.verdict === 'in') return { look: 'in', word: words.inBand };
  const isLess = band.verdict === 'below';
  return { look: isLess ? 'easy' : 'hard', word: words.off[band.figure.name][isLess ? 0 : 1] };
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

/** `2.1 s fast`: how far off it is, in words. */
function distance(band, words, machine) {
  const { word, look } = called(band, words);
  const off = distanceOf(band, machine);
  if (look === 'in' || off === null) return word;
  const { name, places } = band.figure;
  const text = figures.decimal(off, places, words.decimal);
  return fill(words.offBy, figures.withUnit(text, name === 'pace' ? 's' : words.units[name]),
    words.offShort[name][look === 'easy' ? 0 : 1]);
}

/**
 * The band as a small scale: `from` and `to` of the band and the `needle`, each from 0 to 1, more
 * effort to the right; `words` says it, of a pace as the machine shows it. null without a target.
 */
export function scale(live, words, machine = 'rower') {
  const band = verdict(live) || bands(live)[0];
  if (!band) return null;
  const sign = band.figure.isReversed ? -1 : 1;
  // A single value is drawn as wide as what still meets it.
  const half = band.min === band.max ? band.figure.half : 0;
  const [low, high] = [[band.min, -half], [band.max, half]]
    .map(([end, by]) => (isNumber(end) ? (end + by) * sign : null))
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
    words: band.verdict ? distance(band, words, machine) : '',
    asked: ends(band, words, words.range, machine),
  };
}
