// What crews come to now. No page in here; `now` is given.
import * as figures from './figures.js';
import { fill } from './words.js';

/** A crew of which nothing came for so long rows no longer: milliseconds; it is told each second. */
const GONE_AFTER = 5000;

/** The crews that row, by gateway and name. */
export function rowingCrews(room, now) {
  return Array.from(room.crews.values())
    .filter((crew) => crew.live && now - crew.live.heard <= GONE_AFTER
      && crew.live.payload.pace_s_per_500m > 0)
    .sort((a, b) => (a.gw + '/' + a.name).localeCompare(b.gw + '/' + b.name, 'en'));
}

/** How alike they row: the mean over its ergs, 0 to 1; null where it is told of none. */
export function likeness(live, field) {
  const values = Object.values(live[field] || {}).filter((value) => typeof value === 'number');
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** `1:53.2 · 24 spm · 94 % alike`. */
export function crewSaying({ live }, words) {
  const { payload } = live;
  const alike = likeness(payload, 'erg_force_similarity_ratio');
  return [
    figures.pace(payload.pace_s_per_500m, words.decimal),
    payload.avg_stroke_rate_spm > 0
      ? figures.withUnit(figures.whole(payload.avg_stroke_rate_spm), words.units.rate) : '',
    alike === null ? '' : fill(words.alike, Math.round(alike * 100)),
  ].filter(Boolean).join(' \u00b7 ');
}

/** The same, short: `1:53.2 · 94 %`. */
export function crewFigure({ live }, words) {
  const alike = likeness(live.payload, 'erg_force_similarity_ratio');
  const pace = figures.pace(live.payload.pace_s_per_500m, words.decimal);
  return alike === null ? pace : pace + ' \u00b7 ' + fill(words.alikeShort, Math.round(alike * 100));
}

/** The crews that were heard of, rowing or not: `{ gw, name, members }`. */
export function knownCrews(room) {
  return Array.from(room.crews.values()).filter((crew) => crew.live)
    .map(({ gw, name, live }) => ({ gw, name, members: live.payload.members || [] }));
}
