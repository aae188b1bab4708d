// The notes below the tiles: alerts, new bests and crews. Needs no DOM; `now` is an argument.
import { alertGroups, alertPlace, alertText, firingAlerts, groupTitle } from '../common/alerts.js';
import * as format from '../common/format.js';
import { line, place } from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { machineOf } from './tile.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('./tile.js').View} View */

// ---- The values of crews.

/**
 * A crew without a message for this long is no longer rowing: milliseconds. Gateways publish each second.
 */
const GONE_AFTER = 5000;

/**
 * The crews that are rowing, sorted by gateway and name.
 * @type {(room: Room, now: number) => object[]}
 */
export function rowingCrews(room, now) {
  return Array.from(room.crews.values())
    .filter((crew) => crew.live && now - crew.live.receivedAt <= GONE_AFTER
      && crew.live.payload.pace_s_per_500m > 0)
    .sort((a, b) => (a.gw + '/' + a.name).localeCompare(b.gw + '/' + b.name, 'en'));
}

/**
 * How similar the rowers are: the mean over the ergs, 0 to 1; null if unknown.
 * @type {(live: object, field: string) => ?number}
 */
export function crewSimilarity(live, field) {
  const values = Object.values(live[field] || {}).filter((value) => typeof value === 'number');
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** The pace of a crew; for 1000 m, with its unit, if all its ergs are BikeErgs. */
function crewPace({ gw, live: { payload } }, room, strings) {
  const machines = (payload.members || []).map((slug) => room.ergs.get(gw + '/' + slug)).filter(Boolean).map(machineOf);
  const isBike = machines.length > 0 && machines.every((machine) => machine === 'bike');
  const pace = format.pace(payload.pace_s_per_500m, strings.decimal, isBike ? 'bike' : 'rower');
  return isBike ? format.withUnit(pace, strings.units.bikePace) : pace;
}

/**
 * `1:53.2 · 24 spm · 94 % match`.
 * @type {(crew: object, room: Room, strings: Strings) => string}
 */
export function crewText(crew, room, strings) {
  const { payload } = crew.live;
  const alike = crewSimilarity(payload, 'erg_force_similarity_ratio');
  return [
    crewPace(crew, room, strings),
    payload.avg_stroke_rate_spm > 0
      ? format.withUnit(format.whole(payload.avg_stroke_rate_spm), strings.units.rate) : '',
    alike === null ? '' : interpolate(strings.similarity, Math.round(alike * 100)),
  ].filter(Boolean).join(' \u00b7 ');
}

/**
 * The short form: `1:53.2 · 94 %`.
 * @type {(crew: object, room: Room, strings: Strings) => string}
 */
export function crewValue(crew, room, strings) {
  const alike = crewSimilarity(crew.live.payload, 'erg_force_similarity_ratio');
  const pace = crewPace(crew, room, strings);
  return alike === null ? pace : pace + ' \u00b7 '
    + interpolate(strings.similarityShort, Math.round(alike * 100));
}

/**
 * All known crews, rowing or not: `{ gw, name, members }`.
 * @type {(room: Room) => { gw: string, name: string, members: object[] }[]}
 */
export function knownCrews(room) {
  return Array.from(room.crews.values()).filter((crew) => crew.live)
    .map(({ gw, name, live }) => ({ gw, name, members: live.payload.members || [] }));
}

// ---- The line below the tiles: alerts, new bests and crews.

/** Most groups of alerts shown; the coach's page lists all of them. */
const ALERTS = 3;

/**
 * Returns notes with `kind`, `id` and `text`: groups of unacknowledged alerts, newest first, then `best` and the
 * rowing crews.
 * @type {(room: Room, view: View, best?: string) => { kind: string, id: string, text: string }[]}
 */
export function notifications(room, view, best = '') {
  const { strings, now } = view;
  const open = alertGroups(firingAlerts(room, now).filter((alert) => !alert.isSeen));
  const notes = open.slice(0, ALERTS).map((group) => {
    const [alert] = group.alerts;
    return {
      kind: alert.severity === 'critical' ? 'critical' : 'alert', id: group.id,
      text: group.alerts.length > 1 ? groupTitle(group, strings)
        : alertPlace(alert, strings) + ': ' + alertText(alert, strings) };
  });
  const others = open.slice(ALERTS).reduce((sum, group) => sum + group.alerts.length, 0);
  if (others > 0) notes.push({ kind: 'more', id: 'more', text: interpolate(strings.moreAlerts, others) });
  if (best) notes.push({ kind: 'best', id: 'best', text: best });
  for (const crew of rowingCrews(room, now)) {
    notes.push({ kind: 'crew', id: crew.gw + '/' + crew.name,
      text: line(place(crew.name), 32) + ' \u00b7 ' + crewText(crew, room, strings) });
  }
  return notes;
}
