// The texts of a regatta. Needs no DOM.
import * as format from '../common/format.js';
import { interpolate, pluralize } from '../common/strings.js';
import { resultText } from '../race/result.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/**
 * The distance or duration: `2000 m`.
 * @type {(event: object, strings: Strings) => string}
 */
export const pieceText = (event, strings) => (event.distance_m
  ? format.withUnit(format.metres(event.distance_m), strings.units.metres) : format.duration(event.duration_s));

/**
 * The name of a heat: `Heat 2`, `Final`.
 * @type {(heat: object, strings: Strings) => string}
 */
export const heatText = (heat, strings) => (heat.final ? strings.final : interpolate(strings.heat, heat.number));

/**
 * Who advances to the final; empty without a final.
 * @type {(event: object, strings: Strings) => string}
 */
export function progressionText({ advance_places: places, advance_times: times }, strings) {
  const first = places ? pluralize(strings.places, places) : '';
  const others = times ? pluralize(strings.times, times) : '';
  const who = first && others ? interpolate(strings.placesAndTimes, first, others) : first || others;
  return who && interpolate(strings.toFinal, who);
}

/**
 * The kind of an event; empty for an individual one.
 * @type {(event: object, strings: Strings) => string}
 */
export const kindText = (event, strings) => (event.kind === 'team' ? interpolate(strings.teamOf, event.team_size)
  : event.kind === 'relay' ? strings.relayEvent : '');

/**
 * The members of an entry: those of a team with their results once its race is set up.
 * @type {(event: object, line: object, entry: object, strings: Strings) => string}
 */
export function membersText(event, line, entry, strings) {
  if (!line.members) return (entry.members || []).map((member) => member.name).join(', ');
  return line.members.map((member) => [member.name || strings.erased, lineText(event, member, strings)].filter(Boolean).join(' '))
    .join(', ');
}

/**
 * The ergs of a lane, for teams; empty for lanes with one erg.
 * @type {(event: object, lane: number, strings: Strings) => string}
 */
export const ergsOfLane = ({ team_size: size }, lane, strings) => (size && lane
  ? interpolate(strings.ergsOfLane, (lane - 1) * size + 1, lane * size) : '');

/**
 * The result of a line, or its standing.
 * @type {(event: object, line: object, strings: Strings) => string}
 */
export function lineText(event, line, strings) {
  if (line.standing === 'finished') return resultText(event, line.result, strings);
  return strings.standings[line.standing] || '';
}
