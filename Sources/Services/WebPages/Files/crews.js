// The values of crews. Needs no DOM; `now` is an argument.
import * as format from './format.js';
import { interpolate } from './strings.js';

/**
 * A crew without a message for this long is no longer rowing: milliseconds. Gateways publish each second.
 */
const GONE_AFTER = 5000;

/** The crews that are rowing, sorted by gateway and name. */
export function rowingCrews(room, now) {
  return Array.from(room.crews.values())
    .filter((crew) => crew.live && now - crew.live.receivedAt <= GONE_AFTER
      && crew.live.payload.pace_s_per_500m > 0)
    .sort((a, b) => (a.gw + '/' + a.name).localeCompare(b.gw + '/' + b.name, 'en'));
}

/** How similar the rowers are: the mean over the ergs, 0 to 1; null if unknown. */
export function crewSimilarity(live, field) {
  const values = Object.values(live[field] || {}).filter((value) => typeof value === 'number');
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** `1:53.2 · 24 spm · 94 % match`. */
export function crewText({ live }, strings) {
  const { payload } = live;
  const alike = crewSimilarity(payload, 'erg_force_similarity_ratio');
  return [
    format.pace(payload.pace_s_per_500m, strings.decimal),
    payload.avg_stroke_rate_spm > 0
      ? format.withUnit(format.whole(payload.avg_stroke_rate_spm), strings.units.rate) : '',
    alike === null ? '' : interpolate(strings.similarity, Math.round(alike * 100)),
  ].filter(Boolean).join(' \u00b7 ');
}

/** The short form: `1:53.2 · 94 %`. */
export function crewValue({ live }, strings) {
  const alike = crewSimilarity(live.payload, 'erg_force_similarity_ratio');
  const pace = format.pace(live.payload.pace_s_per_500m, strings.decimal);
  return alike === null ? pace : pace + ' \u00b7 '
    + interpolate(strings.similarityShort, Math.round(alike * 100));
}

/** All known crews, rowing or not: `{ gw, name, members }`. */
export function knownCrews(room) {
  return Array.from(room.crews.values()).filter((crew) => crew.live)
    .map(({ gw, name, live }) => ({ gw, name, members: live.payload.members || [] }));
}
