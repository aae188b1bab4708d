// The firing alerts, groups of them, and their texts. Needs no DOM; `now` is an argument.
import * as format from './format.js';
import { interpolate } from './strings.js';

/** @typedef {import('./strings.js').Strings} Strings */
/** @typedef {import('./room.js').Room} Room */

/**
 * An alert. `value` is the live value while it is beyond the limit, else the one that fired; `limit` the broken limit, and
 * `isAbove` whether the value that fired was above it.
 * @typedef {{ id: string, gw: string, slug: string, key: string, rule: string, at: number, isSeen: boolean,
 *   by: string, severity: string, value?: number, limit?: number, isAbove: boolean, machine: string }} Alert
 */

/** Crockford's base 32. The first ten letters of a ULID are Unix milliseconds. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The field of `live` with the value of a rule. */
const LIVE_FIELDS = {
  off_pace: 'pace_s_per_500m', rate_out_of_band: 'stroke_rate_spm', heart_rate_high: 'heart_rate_bpm',
};

/** A live value older than this is not shown: milliseconds. */
const FRESH = 3000;

function momentOf(id) {
  const letters = Array.from(id.slice(0, 10));
  return letters.reduce((sum, letter) => sum * 32 + LETTERS.indexOf(letter), 0);
}

const isId = (id) => typeof id === 'string' && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id);

/**
 * Returns all firing alerts of a room: unacknowledged ones first, then the newest first.
 * @type {(room: Room, now: number) => Alert[]}
 */
export function firingAlerts(room, now) {
  const found = [];
  for (const gateway of room.gateways.values()) collect(found, gateway, '', room, now);
  for (const erg of room.ergs.values()) collect(found, erg, erg.slug, room, now);
  return found.sort((a, b) => Number(a.isSeen) - Number(b.isSeen) || b.at - a.at);
}

function collect(found, { gw, messages, key }, slug, room, now) {
  const alerts = messages.alerts ? messages.alerts.payload : {};
  const [ids, rules] = [alerts.alert_ids || [], alerts.rules || []];
  const info = messages.info ? messages.info.payload : {};
  const live = messages.live && now - messages.live.receivedAt <= FRESH ? messages.live.payload : {};
  ids.forEach((id, index) => {
    if (!isId(id)) return;
    const record = room.alerts.get(id) || {};
    const isAbove = record.value > record.threshold;
    const current = live[LIVE_FIELDS[rules[index]]];
    // A value that is back within the limit would contradict the alert, which ends a little later.
    const isBeyond = isAbove ? current > record.threshold : current < record.threshold;
    found.push({
      id, gw, slug, key: key || gw, rule: format.line(rules[index], 32), at: momentOf(id),
      isSeen: Boolean((alerts.acknowledged_ms || {})[id]),
      by: format.line((alerts.acknowledged_by || {})[id], 64),
      severity: record.severity || alerts.severity,
      value: isBeyond ? current : record.value, limit: record.threshold, isAbove,
      machine: format.machineOf(info.machine_type),
    });
  });
}

/**
 * Alerts of the same rule at several ergs are one group, so that a room that drifts is one row. The group has the
 * place of its newest alert; its alerts are sorted by how far the value is from the limit.
 * @type {(alerts: Alert[]) => { id: string, rule: string, alerts: Alert[] }[]}
 */
export function alertGroups(alerts) {
  const groups = new Map();
  for (const alert of alerts) {
    const id = alert.slug ? [alert.rule, alert.severity, alert.isSeen].join() : alert.id;
    if (!groups.has(id)) groups.set(id, { id, rule: alert.rule, alerts: [] });
    groups.get(id).alerts.push(alert);
  }
  for (const group of groups.values()) group.alerts.sort((a, b) => distance(b) - distance(a));
  return Array.from(groups.values());
}

/** How far the value is from the limit, as a share of the limit; 0 if unknown. */
function distance({ value, limit }) {
  return typeof value === 'number' && limit > 0 ? Math.abs(value - limit) / limit : 0;
}

/**
 * `4 off pace`: the title of a group of several alerts.
 * @type {(group: { rule: string, alerts: Alert[] }, strings: Strings) => string}
 */
export function groupTitle({ rule, alerts }, strings) {
  const own = strings.alertGroups[rule];
  if (own) return interpolate(own, alerts.length);
  return interpolate(strings.alertGroup, alerts.length, plainText(rule, strings)[0]);
}

function plainText(rule, strings) {
  return strings.alerts[rule] || [rule.replace(/_/g, ' '), ''];
}

/**
 * `no stroke for 9 s`: the text of the rule, with its values if they are known.
 * @type {(alert: Alert, strings: Strings) => string}
 */
export function alertText(alert, strings) {
  const [plain, low, high = low] = plainText(alert.rule, strings);
  const [value, limit] = [alert.value, alert.limit].map((figure) => write(alert, figure, strings));
  const exact = alert.isAbove ? high : low;
  // A value that looks the same as its limit explains nothing, and neither does one without its limit.
  const isPlain = !exact || !value || (exact.split('{}').length > 2 && (!limit || value === limit));
  return isPlain ? plain : interpolate(exact, value, limit.replace(/[.,]0$/, ''));
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
 * @type {(alert: Alert, strings: Strings, name?: string) => string}
 */
export function alertPlace(alert, strings, name = '') {
  if (!alert.slug) return format.line(alert.gw, 32);
  const erg = format.ergName(alert.slug, strings.erg);
  return name ? erg + ' \u00b7 ' + name : erg;
}
