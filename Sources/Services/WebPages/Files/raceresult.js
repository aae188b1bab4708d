// What a race says: its head, its lanes before and in the race, and the list of its results. No page
// and no clock in here.
import * as figures from './figures.js';
import { boatSpeed } from './raceboat.js';
import { fill } from './words.js';

const metres = (value, words) =>
  figures.withUnit(figures.metres(Math.round(value)), words.units.metres);

/** The piece, `2000 m`. */
export function pieceOf(race, words) {
  return race.distance_m ? metres(race.distance_m, words) : figures.duration(race.duration_s);
}

export const isOver = (lane) => lane.standing === 'finished';
export const isOut = (lane) =>
  ['did_not_finish', 'did_not_start', 'scratched'].indexOf(lane.standing) >= 0;

/** A name that can be read: who sits there, or which erg it is. */
export function nameOf(lane, tile, words) {
  const name = figures.line(lane.athlete_name, 80);
  if (name) return name;
  const place = figures.place(lane.erg);
  const own = /^\d+$/.test(place) ? fill(words.erg, place) : place;
  return tile && tile.place.indexOf(' ') > 0 ? tile.name : own;
}

/** What stands in place of figures; empty where figures do. */
export function standingWord(lane, said) {
  if (lane.standing === 'did_not_start') return said.didNotStart;
  if (lane.standing === 'did_not_finish') return said.didNotFinish;
  if (lane.standing === 'scratched') return said.scratched;
  return lane.standing === 'waiting' ? said.waiting : lane.standing === 'armed' ? said.armed : '';
}

/** What is held against who moved early; empty for the rest. */
export function earlyWord(lane, said, words) {
  if (typeof lane.early_s === 'number') {
    return fill(said.early, figures.decimal(Math.max(0.01, lane.early_s), 2, words.decimal));
  }
  if (!lane.false_starts) return '';
  return lane.false_starts === 1 ? said.falseStart : fill(said.falseStarts, lane.false_starts);
}

/** The result as it is judged: time over a distance, distance in a time. */
export function bigOf(race, result, words) {
  return race.distance_m ? figures.tenths(result.result_time_s, words.decimal)
    : metres(result.distance_m, words);
}

/** How far behind the first one a result is; empty of the first. */
export function behindOf(race, result, first, words) {
  if (!first || first === result) return '';
  if (race.distance_m) {
    return later(result.result_time_s, first.result_time_s, 1, 's', words);
  }
  return later(first.distance_m, result.distance_m, 0, words.units.metres, words);
}

/** How much more one is than the other, as both are shown; of two that look alike one place more. */
function later(more, less, places, unit, words) {
  if (!(more > less)) return '';
  const shown = figures.shownDifference(more, less, places);
  return '+' + figures.withUnit(shown > 0 ? figures.decimal(shown, places, words.decimal)
    : figures.decimal(more - less, places + 1, words.decimal), unit);
}

/** The lines of the result list, the first on top; `isBrief` where there is little room. */
export function resultLines(race, tiles, words, said, isBrief) {
  const lanes = race.lanes.slice().sort((a, b) => a.rank - b.rank);
  const first = lanes.length && isOver(lanes[0]) ? lanes[0].result : null;
  return lanes.map((lane) => {
    const result = lane.result || {};
    const done = isOver(lane);
    const stopped = lane.standing === 'did_not_finish' && result.distance_m > 0
      ? ' \u00b7 ' + metres(Math.floor(result.distance_m), words) : '';
    return {
      key: lane.gw + '/' + lane.erg, standing: lane.standing,
      place: lane.place ? String(lane.place) : '', name: nameOf(lane, tiles.get(keyOf(lane)), words),
      big: done ? bigOf(race, result, words) : standingWord(lane, said) + stopped, isText: !done,
      pace: done ? figures.pace(result.avg_pace_s_per_500m, words.decimal) : '',
      rate: done ? figures.effort(result.avg_stroke_rate_spm) : '',
      power: done ? figures.effort(result.avg_power_w) : '',
      behind: done ? behindOf(race, result, first, words) : '',
      mark: result.verified_against_pm5 === true ? 'yes'
        : result.verified_against_pm5 === false ? 'no' : '', isBrief: Boolean(isBrief),
      early: isBrief && lane.false_starts ? said.falseStart : earlyWord(lane, said, words),
    };
  });
}

export const keyOf = (lane) => lane.gw + '/' + lane.erg;

/** The line below the lanes, about the boat that nobody rows; empty without one. */
export function boatLine(race, ahead, boatMetres, words, said) {
  const speed = boatSpeed(race);
  if (!speed) return '';
  const goal = race.distance_m ? figures.tenths(race.distance_m / speed, words.decimal)
    : metres(race.duration_s * speed, words);
  const name = figures.line(race.pace_name, 60) || said.boat;
  const head = (name === said.boat ? name : said.boat + ': ' + name) + ' ' + goal;
  if (boatMetres === null || ahead === null) return head;
  const gap = Math.round(ahead - boatMetres);
  const where = gap > 0 ? fill(said.aheadBoat, metres(gap, words))
    : gap < 0 ? fill(said.boatAhead, metres(-gap, words)) : said.boatLevel;
  return head + ', ' + where;
}

/** Who moved before the signal of this start, by how much; empty where nobody did. */
export function earlyNames(race, words, said) {
  if (race.phase === 'over') return '';
  return race.lanes.filter((lane) => typeof lane.early_s === 'number')
    .map((lane) => nameOf(lane, null, words) + ': ' + earlyWord(lane, said, words)).join(', ');
}

/** Beside the title: what is said of the race as a whole. */
export function subOf(race, ahead, left, words, said) {
  const entered = race.lanes.filter((lane) => lane.standing !== 'scratched');
  const name = figures.line(race.name, 60);
  let now = '';
  if (race.phase === 'ready') {
    const armed = entered.filter((lane) => lane.standing === 'armed').length;
    now = fill(said.ready, armed, entered.length);
  } else if (race.phase === 'countdown') {
    now = earlyNames(race, words, said) || said.called;
  } else if (race.phase === 'over') {
    now = race.distance_m ? said.monitorTimes : said.monitorMetres;
  } else {
    const done = entered.filter((lane) => isOver(lane)).length;
    now = done ? fill(said.underWay, done, entered.length)
      : race.distance_m ? fill(said.started, metres(Math.max(0, race.distance_m - ahead), words))
        : fill(said.left, figures.remaining(Math.max(0, left)));
  }
  return [name, now].filter(Boolean).join(' \u00b7 ');
}
