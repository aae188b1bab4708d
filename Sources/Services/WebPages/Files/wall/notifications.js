// The firing alerts and their texts. Needs no DOM; `now` is an argument.
import * as format from '../common/format.js';
import { line, place } from '../common/format.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('./tile.js').View} View */

/** Crockford's base 32. The first ten letters of a ULID are Unix milliseconds. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function momentOf(id) {
  const letters = Array.from(id.slice(0, 10));
  return letters.reduce((sum, letter) => sum * 32 + LETTERS.indexOf(letter), 0);
}

const isId = (id) => typeof id === 'string' && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id);

/**
 * Returns all firing alerts of a room: unacknowledged ones first, then the newest first.
 * @type {(room: Room) => object[]}
 */
export function firingAlerts(room) {
  const found = [];
  for (const gateway of room.gateways.values()) collect(found, gateway, '', room);
  for (const erg of room.ergs.values()) collect(found, erg, erg.slug, room);
  return found.sort((a, b) => Number(a.isSeen) - Number(b.isSeen) || b.at - a.at);
}

function collect(found, { gw, messages, key }, slug, room) {
  const alerts = messages.alerts ? messages.alerts.payload : {};
  const [ids, rules] = [alerts.alert_ids || [], alerts.rules || []];
  const info = messages.info ? messages.info.payload : {};
  ids.forEach((id, index) => {
    if (!isId(id)) return;
    const record = room.alerts.get(id) || {};
    found.push({
      id, gw, slug, key: key || gw, rule: format.line(rules[index], 32), at: momentOf(id),
      isSeen: Boolean((alerts.acknowledged_ms || {})[id]),
      by: format.line((alerts.acknowledged_by || {})[id], 64),
      severity: record.severity || alerts.severity, value: record.value, threshold: record.threshold,
      machine: format.machineOf(info.machine_type),
    });
  });
}

/**
 * `no stroke for 9 s`: the text of the rule, with its values if they are known.
 * @type {(alert: object, strings: Strings) => string}
 */
export function alertText(alert, strings) {
  const [plain, low, high = low] = strings.alerts[alert.rule]
    || [alert.rule.replace(/_/g, ' '), ''];
  const [value, threshold] = [alert.value, alert.threshold].map((figure) => write(alert, figure,
    strings));
  const exact = alert.value > alert.threshold ? high : low;
  // A value that looks the same as its limit explains nothing.
  const isPlain = !exact || !value || (exact.split('{}').length > 2 && value === threshold);
  return isPlain ? plain : interpolate(exact, value, threshold.replace(/[.,]0$/, ''));
}

function write({ rule, machine }, value, strings) {
  if (typeof value !== 'number') return '';
  if (rule === 'off_pace') return format.pace(value, strings.decimal, machine);
  if (['stopped', 'link_lost', 'backlog', 'disk'].indexOf(rule) >= 0) {
    return format.age(value, strings.ages);
  }
  return format.whole(value);
}

/**
 * `Erg 5 · Tomás`, or the name of the gateway.
 * @type {(alert: object, strings: Strings, name?: string) => string}
 */
export function alertPlace(alert, strings, name = '') {
  if (!alert.slug) return format.line(alert.gw, 32);
  const erg = format.ergName(alert.slug, strings.erg);
  return name ? erg + ' \u00b7 ' + name : erg;
}

// ---- The values of crews. Needs no DOM; `now` is an argument.

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

/**
 * `1:53.2 · 24 spm · 94 % match`.
 * @type {(crew: object, strings: Strings) => string}
 */
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

/**
 * The short form: `1:53.2 · 94 %`.
 * @type {(crew: object, strings: Strings) => string}
 */
export function crewValue({ live }, strings) {
  const alike = crewSimilarity(live.payload, 'erg_force_similarity_ratio');
  const pace = format.pace(live.payload.pace_s_per_500m, strings.decimal);
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

/** Most alerts shown; the coach's page lists all of them. */
const ALERTS = 3;

/**
 * Returns notes with `kind`, `id` and `text`: unacknowledged alerts, newest first, then `best` and the
 * rowing crews.
 * @type {(room: Room, view: View, best?: string) => { kind: string, id: string, text: string }[]}
 */
export function notifications(room, view, best = '') {
  const { strings, now } = view;
  const open = firingAlerts(room).filter((alert) => !alert.isSeen);
  const notes = open.slice(0, ALERTS).map((alert) => ({
    kind: alert.severity === 'critical' ? 'critical' : 'alert', id: alert.id,
    text: alertPlace(alert, strings) + ': ' + alertText(alert, strings) }));
  if (open.length > ALERTS) {
    notes.push({ kind: 'more', id: 'more', text: interpolate(strings.moreAlerts, open.length - ALERTS) });
  }
  if (best) notes.push({ kind: 'best', id: 'best', text: best });
  for (const crew of rowingCrews(room, now)) {
    notes.push({ kind: 'crew', id: crew.gw + '/' + crew.name,
      text: line(place(crew.name), 32) + ' \u00b7 ' + crewText(crew, strings) });
  }
  return notes;
}
