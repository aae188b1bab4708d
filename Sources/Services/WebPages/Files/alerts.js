// The firing alerts and their texts. Needs no DOM; `now` is an argument.
import * as format from './format.js';
import { interpolate } from './strings.js';

/** Crockford's base 32. The first ten letters of a ULID are Unix milliseconds. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function momentOf(id) {
  const letters = Array.from(id.slice(0, 10));
  return letters.reduce((sum, letter) => sum * 32 + LETTERS.indexOf(letter), 0);
}

const isId = (id) => typeof id === 'string' && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id);

/** Returns all firing alerts of a room: unacknowledged ones first, then the newest first. */
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

/** `no stroke for 9 s`: the text of the rule, with its values if they are known. */
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

/** `Erg 5 · Tomás`, or the name of the gateway. */
export function alertPlace(alert, strings, name = '') {
  if (!alert.slug) return format.line(alert.gw, 32);
  const erg = format.ergName(alert.slug, strings.erg);
  return name ? erg + ' \u00b7 ' + name : erg;
}
