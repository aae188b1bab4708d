// The texts of a race: title, lanes, and results. Needs no DOM or clock.
import * as format from '../common/format.js';
import { knownName } from '../common/names.js';
import { interpolate } from '../common/strings.js';
import { boatSpeed } from './course.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../wall/tile.js').Tile} Tile */

const metres = (value, strings) =>
  format.withUnit(format.metres(Math.round(value)), strings.units.metres);

/**
 * The distance or duration: `2000 m`.
 * @type {(race: object, strings: Strings) => string}
 */
export function pieceOf(race, strings) {
  return race.distance_m ? metres(race.distance_m, strings) : format.duration(race.duration_s);
}

/** @type {(lane: object) => boolean} */
export const isOver = (lane) => lane.standing === 'finished';
/** @type {(lane: object) => boolean} */
export const isOut = (lane) =>
  ['did_not_finish', 'did_not_start', 'disqualified', 'scratched'].indexOf(lane.standing) >= 0;

/**
 * The athlete's name, as the gateway publishes it or as coaches know it; else the erg.
 * @type {(lane: object, tile: ?Tile, strings: Strings) => string}
 */
export function laneName(lane, tile, strings) {
  const name = format.line(lane.athlete_name, 80) || knownName(lane.athlete_id);
  if (lane.team_name) return format.line(lane.team_name, 80) + ': ' + name;
  if (name) return name;
  return tile && tile.place.indexOf(' ') > 0 ? tile.name : format.ergName(lane.erg, strings.erg);
}

/**
 * A short name for a lane of a team: the initials of the member, and the team. Empty for others.
 * @type {(lane: object) => string}
 */
export function briefName(lane) {
  if (!lane.team_name) return '';
  const team = format.line(lane.team_name, 80);
  return format.line(lane.athlete_name, 80).split(' ').map((word) => Array.from(word)[0]).join('') + ' \u00b7 ' + team;
}

/**
 * The lane's status in place of values; empty while rowing.
 * @type {(lane: object, raceStrings: Strings) => string}
 */
export function laneStatus(lane, raceStrings) {
  if (lane.standing === 'did_not_start') return raceStrings.didNotStart;
  if (lane.standing === 'did_not_finish') return raceStrings.didNotFinish;
  if (lane.standing === 'disqualified') return raceStrings.disqualified;
  if (lane.standing === 'scratched') return raceStrings.scratched;
  return lane.standing === 'waiting' ? raceStrings.waiting : lane.standing === 'armed' ? raceStrings.armed : '';
}

/**
 * The false start of a lane; empty without one.
 * @type {(lane: object, raceStrings: Strings, strings: Strings) => string}
 */
export function earlyText(lane, raceStrings, strings) {
  if (typeof lane.early_s === 'number') {
    return interpolate(raceStrings.early, format.decimal(Math.max(0.01, lane.early_s), 2, strings.decimal));
  }
  if (!lane.false_starts) return '';
  return lane.false_starts === 1 ? raceStrings.falseStart
    : interpolate(raceStrings.falseStarts, lane.false_starts);
}

/**
 * The result: time for a distance, distance for a time.
 * @type {(race: object, result: object, strings: Strings) => string}
 */
export function resultText(race, result, strings) {
  return race.distance_m ? format.tenths(result.result_time_s, strings.decimal)
    : format.withUnit(format.metres(result.distance_m), strings.units.metres);
}

/**
 * The gap to the winner; empty for the winner.
 * @type {(race: object, result: object, first: object, strings: Strings) => string}
 */
export function gapToFirst(race, result, first, strings) {
  if (!first || first === result) return '';
  if (race.distance_m) {
    return differenceText(result.result_time_s, first.result_time_s, 1, 's', strings);
  }
  // Metres are shown rounded down.
  return differenceText(first.distance_m, result.distance_m, 0, strings.units.metres, strings, Math.floor);
}

/** The difference of two values as shown; one more digit if they look equal. */
function differenceText(more, less, places, unit, strings, round = Number) {
  if (!(more > less)) return '';
  const shown = format.shownDifference(round(more), round(less), places);
  return '+' + format.withUnit(shown > 0 ? format.decimal(shown, places, strings.decimal)
    : format.decimal(more - less, places + 1, strings.decimal), unit);
}

/**
 * The boats of a race in the order of the results: its lanes; in a race of teams, each team and then its ergs. A boat has
 * a key, a name, a lane of its machine, and `isMember` for an erg of a team.
 */
function boatsOf(race, tiles, strings) {
  const lanes = race.lanes.slice().sort((a, b) => a.rank - b.rank);
  const laneBoat = (lane) => Object.assign({}, lane, { lane, key: laneKey(lane),
    name: laneName(lane, tiles.get(laneKey(lane)), strings) });
  if (!race.teams) return lanes.map(laneBoat);
  return [].concat(...race.teams.map((team) => {
    const ergs = lanes.filter((lane) => lane.entry_id === team.entry_id);
    const members = ergs.map((lane) => Object.assign(laneBoat(lane), { place: 0, isMember: true,
      name: format.line(lane.athlete_name, 80) }));
    return [Object.assign({}, team, { lane: ergs[0], key: 'team/' + team.entry_id, name: format.line(team.name, 80) })]
      .concat(members);
  }));
}

/**
 * The lines of the result list, the winner first; `isBrief` if there is little room.
 * @type {(race: object, tiles: Map<string, Tile>, strings: Strings, raceStrings: Strings, isBrief?: boolean) => object[]}
 */
export function resultLines(race, tiles, strings, raceStrings, isBrief) {
  const boats = boatsOf(race, tiles, strings);
  const first = boats.length && isOver(boats[0]) ? boats[0].result : null;
  return boats.map((lane) => {
    const result = lane.result || {};
    const machine = result.machine_type ? format.machineOf(result.machine_type)
      : (tiles.get(laneKey(lane.lane)) || {}).machine;
    const done = isOver(lane);
    const stopped = lane.standing === 'did_not_finish' && result.distance_m > 0
      ? ' \u00b7 ' + format.withUnit(format.metres(result.distance_m), strings.units.metres) : '';
    return {
      key: lane.key, standing: lane.standing, place: lane.place ? String(lane.place) : '', name: lane.name,
      big: done ? resultText(race, result, strings) : laneStatus(lane, raceStrings) + stopped, isText: !done,
      pace: done ? format.pace(result.avg_pace_s_per_500m, strings.decimal, machine) : '',
      paceUnit: format.paceUnit(machine, strings.units),
      rate: done ? format.positiveWhole(result.avg_stroke_rate_spm) : '',
      power: done ? format.positiveWhole(result.avg_power_w) : '',
      behind: done && !lane.isMember ? gapToFirst(race, result, first, strings) : '', isMember: Boolean(lane.isMember),
      mark: !done ? '' : result.verified_against_pm5 === true ? 'yes'
        : result.verified_against_pm5 === false ? 'no' : '', isBrief: Boolean(isBrief),
      early: isBrief && lane.false_starts ? raceStrings.falseStart : earlyText(lane, raceStrings, strings),
    };
  });
}

/** @type {(lane: object) => string} */
export const laneKey = (lane) => lane.gw + '/' + lane.erg;

/**
 * The line about the pace boat; empty without one.
 * @type {(race: object, ahead: number, boatMetres: number, strings: Strings, raceStrings: Strings) => string}
 */
export function paceBoatText(race, ahead, boatMetres, strings, raceStrings) {
  const speed = boatSpeed(race);
  if (!speed) return '';
  const goal = race.distance_m ? format.tenths(race.distance_m / speed, strings.decimal)
    : metres(race.duration_s * speed, strings);
  const name = format.line(race.pace_name, 60) || raceStrings.boat;
  const head = (name === raceStrings.boat ? name : raceStrings.boat + ': ' + name) + ' ' + goal;
  if (boatMetres === null || ahead === null) return head;
  const gap = Math.round(ahead - boatMetres);
  const where = gap > 0 ? interpolate(raceStrings.boatBehind, metres(gap, strings))
    : gap < 0 ? interpolate(raceStrings.boatAhead, metres(-gap, strings)) : raceStrings.boatLevel;
  return head + ', ' + where;
}

/**
 * The false starts with their times; empty for none.
 * @type {(race: object, strings: Strings, raceStrings: Strings) => string}
 */
export function falseStartTexts(race, strings, raceStrings) {
  if (race.phase === 'over') return '';
  return race.lanes.filter((lane) => typeof lane.early_s === 'number')
    .map((lane) => laneName(lane, null, strings) + ': ' + earlyText(lane, raceStrings, strings)).join(', ');
}

/**
 * The text next to the title.
 * @type {(race: object, ahead: number, left: number, strings: Strings, raceStrings: Strings) => string}
 */
export function subtitle(race, ahead, left, strings, raceStrings) {
  const entered = race.lanes.filter((lane) => lane.standing !== 'scratched');
  const name = format.line(race.name, 60);
  let now = '';
  if (race.phase === 'ready') {
    const armed = entered.filter((lane) => lane.standing === 'armed').length;
    now = interpolate(raceStrings.ready, armed, entered.length);
  } else if (race.phase === 'countdown') {
    now = falseStartTexts(race, strings, raceStrings) || raceStrings.called;
  } else if (race.phase === 'over') {
    now = race.distance_m ? raceStrings.monitorTimes : raceStrings.monitorMetres;
  } else {
    const done = entered.filter((lane) => isOver(lane)).length;
    now = done ? interpolate(raceStrings.finishedCount, done, entered.length)
      : race.distance_m
        ? interpolate(raceStrings.leaderToGo, metres(Math.max(0, race.distance_m - ahead), strings))
        : interpolate(raceStrings.timeLeft, format.remaining(Math.max(0, left)));
  }
  return [name, now].filter(Boolean).join(' \u00b7 ');
}
