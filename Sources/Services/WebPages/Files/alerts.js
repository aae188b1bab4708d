// The alerts that fire now, and their texts. No page in here; `now` is given.
import * as figures from './figures.js';
import { fill } from './words.js';

/** Seconds of an id: the first ten letters of a ULID are Unix milliseconds. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function momentOf(id) {
  const letters = Array.from(id.slice(0, 10));
  return letters.reduce((sum, letter) => sum * 32 + LETTERS.indexOf(letter), 0);
}

const isId = (id) => typeof id === 'string' && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id);

/** All that fires in a room, the newest first: what nobody has seen is ahead of what somebody has. */
export function firing(room) {
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
    const told = room.alerts.get(id) || {};
    found.push({
      id, gw, slug, key: key || gw, rule: figures.line(rules[index], 32), at: momentOf(id),
      isSeen: Boolean((alerts.acknowledged_ms || {})[id]),
      by: figures.line((alerts.acknowledged_by || {})[id], 64),
      severity: told.severity || alerts.severity, value: told.value, threshold: told.threshold,
      machine: figures.machineOf(info.machine_type),
    });
  });
}

/** `no stroke for 9 s`: the rule with its figures, as far as they are known. */
export function saying(alert, words) {
  const [plain, low, high = low] = words.alerts[alert.rule]
    || [alert.rule.replace(/_/g, ' '), ''];
  const [value, threshold] = [alert.value, alert.threshold].map((figure) => write(alert, figure,
    words));
  const exact = alert.value > alert.threshold ? high : low;
  // A figure that is shown as its own limit explains nothing.
  const isPlain = !exact || !value || (exact.split('{}').length > 2 && value === threshold);
  return isPlain ? plain : fill(exact, value, threshold.replace(/[.,]0$/, ''));
}

function write({ rule, machine }, value, words) {
  if (typeof value !== 'number') return '';
  if (rule === 'off_pace') return figures.pace(value, words.decimal, machine);
  if (['stopped', 'link_lost', 'backlog', 'disk'].indexOf(rule) >= 0) {
    return figures.age(value, words.ages);
  }
  return figures.whole(value);
}

/** `Erg 5 · Tomás`, or the gateway. */
export function whose(alert, words, name = '') {
  if (!alert.slug) return figures.line(alert.gw, 32);
  const place = figures.place(alert.slug);
  const erg = /^\d+$/.test(place) ? fill(words.erg, place) : place;
  return name ? erg + ' \u00b7 ' + name : erg;
}
