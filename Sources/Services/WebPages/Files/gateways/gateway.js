// The content of a gateway's card: state, problems, metrics, ergs and records. Made of one element of
// /api/v1/gateways. Needs no DOM.
import * as format from '../common/format.js';
import { dayText, timeOfDay } from '../common/format.js';
import { certificateEnd, isCount, LONGEST_SENTENCE, problemText } from '../common/gateway-problems.js';
import { interpolate, parkedReason, pluralize } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/**
 * The states of a gateway, worst first.
 * @type {string[]}
 */
export const STATES = ['failed', 'offline', 'silent', 'degraded', 'unknown', 'lost', 'owed', 'ok'];

const isShare = (value) => isCount(value) && value <= 100;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value) => (Array.isArray(value) ? value : []);

/**
 * One gateway as shown; `now` is the server's time. Without a broker connection the present state is
 * unknown, so no action is suggested.
 * @type {(report: object, now: number, strings: Strings, hasBroker?: boolean, shares?: ?object[]) => object}
 */
export function gateway(report, now, strings, hasBroker = true, shares = null) {
  const isOrphan = list(shares).length > 0
    && !list(shares).some((one) => list(one.gateways).indexOf(report.gw) >= 0);
  const health = isObject(report.health) ? report.health : {};
  const state = stateOf(report, health, isOrphan);
  const version = format.line(report.version, 32);
  const isHere = report.presence === 'online';
  const age = (moment) => (isCount(moment)
    ? format.age((now - moment) / 1000, strings.ages) : strings.someTime);
  return {
    key: report.gw, name: format.line(report.gw, 32), state, word: strings.gatewayStates[state],
    version: version ? interpolate(strings.version, version) : '',
    lastSeen: isCount(report.heard_ms)
      ? interpolate(strings.lastSeen, interpolate(strings.ago, age(report.heard_ms)))
      : strings.neverSeen,
    problems: presenceProblems(report, health, strings, age, hasBroker, isOrphan),
    // Health of a gateway that is offline describes the past.
    past: !isHere && health.status
      ? interpolate(strings.lastReport, interpolate(strings.ago, age(report.health_ms))) : '',
    reasons: reportedProblems(health, strings), figures: figuresOf(health, strings),
    ergs: list(report.ergs).filter((one) => isObject(one) && format.line(one.erg, 32))
      .map((one) => erg(one, now, strings, isHere, hasLowBattery(health, one.erg))).sort(byPlace),
    records: records(report, strings),
  };
}

function stateOf(report, health, isOrphan) {
  if (report.presence === 'online' && health.status === 'failed') return 'failed';
  if (report.presence === 'offline') return 'offline';
  if (report.presence === 'silent') return 'silent';
  if (report.presence !== 'online') return 'unknown';
  if (health.status === 'degraded' || isOrphan) return 'degraded';
  if (report.gone > 0 || report.refused > 0 || report.declared > 0) return 'lost';
  return report.owed > 0 ? 'owed' : 'ok';
}

/** Problems that the logbook sees, each with a remedy: `{ what, remedy }`. */
function presenceProblems(report, health, strings, age, hasBroker, isOrphan) {
  const found = [];
  const put = (name, ...filled) => found.push({
    what: interpolate(strings.presenceProblems[name][0], ...filled),
    remedy: strings.presenceProblems[name][1] });
  const isHere = report.presence === 'online';
  if (report.presence === 'offline') put('offline');
  else if (report.presence === 'silent') put('silent', age(report.health_ms));
  else if (!isHere && hasBroker) put('unknown');
  if (isOrphan) put('orphan');
  if (report.owed > 0) {
    found.push({ what: grouped(strings.pendingRecords, report.owed),
      remedy: strings.pendingRemedy[isHere ? 0 : 1] });
  }
  const lost = (report.gone || 0) + (report.declared || 0);
  if (lost > 0) found.push({ what: grouped(strings.lostRecords, lost), remedy: strings.lostRemedy });
  const rejected = list(report.refusals).filter(isObject)
    .reduce((sum, one) => sum + (Number(one.count) || 0), 0);
  if (rejected > 0) {
    found.push({ what: grouped(strings.rejectedMessages, rejected), remedy: strings.rejectedRemedy });
  }
  return found;
}

/** The problems that the gateway reports; only the gateway judges its health. */
const problemsOf = (health) => list(health.problems).filter(isObject);

/** Their codes, to mark metrics. */
const codesOf = (health) => problemsOf(health).map((problem) => problem.code);

/**
 * The problems that a gateway reports, as `problemText` returns them. An earlier version of gateways sends
 * only `reasons`: the problem and its remedy, separated by a semicolon.
 * @type {(health: object, strings: Strings) => object[]}
 */
export function reportedProblems(health, strings) {
  const problems = problemsOf(health);
  if (problems.length > 0) {
    return problems.slice(0, 20).map((problem) => problemText(problem, health, strings))
      .map((shown) => Object.assign({}, shown, { remedy: shown.remedy || strings.runDoctor }))
      .filter(({ what }) => what);
  }
  return list(health.reasons).slice(0, 20).map((reason) => format.sentence(reason, LONGEST_SENTENCE))
    .filter(Boolean).map((text) => {
      const end = text.indexOf('; ');
      return { what: end < 0 ? text : text.slice(0, end),
        remedy: end < 0 ? strings.runDoctor : text.slice(end + 2), isForeign: end >= 0 };
    });
}

/**
 * The reported metrics: name, label, text, note, and whether it is bad.
 * @type {(health: object, strings: Strings) => object[]}
 */
export function figuresOf(health, strings) {
  const found = [];
  const codes = codesOf(health);
  const has = (...wanted) => wanted.some((code) => codes.indexOf(code) >= 0);
  const put = (name, text, note = '', isBad = false) => found.push(
    { name, label: strings.metrics[name], text, note, isBad });
  if (isCount(health.adapters_up)) {
    const used = health.slots_used;
    const links = !isCount(used) ? '' : isCount(health.slots_total)
      ? interpolate(strings.linksOf, used, health.slots_total) : pluralize(strings.links, used);
    put('radios', format.whole(health.adapters_up), links,
      has('bluetooth', 'no_adapter', 'adapter'));
  }
  if (isCount(health.backlog_messages)) {
    const age = health.backlog_messages > 0 && isCount(health.backlog_age_s)
      ? interpolate(strings.oldest, format.age(health.backlog_age_s, strings.ages)) : '';
    put('backlog', format.metres(health.backlog_messages), age, has('backlog'));
  }
  if (isShare(health.ring_used_pct)) {
    const reach = isCount(health.ring_reach_s)
      ? interpolate(strings.reach, format.age(health.ring_reach_s, strings.ages)) : '';
    put('ring', format.withUnit(format.whole(health.ring_used_pct), '%'), reach,
      has('ring', 'records_lost'));
  }
  const end = certificateEnd(health);
  if (end !== null) put('certificate', interpolate(strings.until, dayText(end)));
  if (strings.clocks[health.clock]) {
    put('clock', strings.clocks[health.clock], '', has('clock'));
  }
  return found;
}

/** Whether the gateway reports low batteries for an erg's monitor. */
const hasLowBattery = (health, slug) => problemsOf(health)
  .some((problem) => problem.code === 'battery' && problem.erg === slug);

/** The state of an erg, and its battery. */
function erg(report, now, strings, isHere, isLow) {
  const state = ergState(report);
  const since = state === 'searching' && isCount(report.availability_ms)
    ? report.availability_ms : report.state_ms;
  // While the gateway is offline, the duration is unknown.
  const hasAge = isHere && strings.ergStatesFor[state] && isCount(since);
  const reason = state === 'parked' ? parkedReason(report, strings) : '';
  const percent = isShare(report.battery_pct) ? report.battery_pct : null;
  return {
    slug: format.line(report.erg, 32), place: format.place(format.line(report.erg, 32)),
    state: isHere ? state : 'past', reason, isLow,
    statusText: hasAge
      ? interpolate(strings.ergStatesFor[state], format.age((now - since) / 1000, strings.ages))
      : strings.ergStates[state],
    battery: percent === null ? '' : format.withUnit(format.whole(percent), '%'),
  };
}

function ergState(report) {
  if (['asleep', 'released', 'parked'].indexOf(report.state) >= 0) return report.state;
  if (report.availability === 'online') {
    if (['rowing', 'paused', 'resting'].indexOf(report.state) >= 0) return 'streaming';
    return 'linked';
  }
  return report.availability === 'offline' ? 'searching' : 'unknown';
}

function byPlace(one, other) {
  return one.slug.localeCompare(other.slug, 'en', { numeric: true });
}

/** As `pluralize`, with digit groups. */
const grouped = ([one, many], count) => (count === 1 ? one : interpolate(many, format.metres(count)));

/** How many records are stored, and whether some are missing; null without a store. */
function records(report, strings) {
  if (!isCount(report.stored)) return null;
  const lost = (report.gone || 0) + (report.refused || 0) + (report.declared || 0);
  const missing = (report.owed || 0) + lost;
  return {
    stored: grouped(strings.storedRecords, report.stored),
    text: missing > 0 ? grouped(strings.missingRecords, missing)
      : report.stored > 0 ? strings.complete : strings.noRecord,
    kind: lost > 0 ? 'gone' : missing > 0 ? 'missing' : report.stored > 0 ? 'verified' : 'open',
  };
}

/**
 * Lines about missing records: `erg-1, strokes 7–9: requested`.
 * @type {(streams: object[], strings: Strings) => object[]}
 */
export function missingLines(streams, strings) {
  return list(streams).reduce((found, stream) => found.concat(list(stream.missing).map((range) => {
    const numbers = range.from_seq === range.to_seq ? String(range.from_seq)
      : range.from_seq + '\u2013' + range.to_seq;
    const place = [format.line(stream.erg, 32), format.line(stream.kind, 32)].filter(Boolean);
    return { place: place.join(', ') + ' ' + numbers,
      cause: strings.missingCauses[range.cause] || strings.missingCauses.other };
  })), []);
}

/**
 * Lines about logbooks that share a store, and their gateways.
 * @type {(report: object[], strings: Strings) => string[]}
 */
export function sharerLines(report, strings) {
  return list(report).filter(isObject).map((one) => {
    const place = interpolate(strings.sharer, format.whole(one.process))
      + (one.address ? ', ' + format.line(one.address, 64) : '');
    return [place, interpolate(strings.parts, list(one.parts).length),
      list(one.gateways).map((gw) => format.line(gw, 32)).join(', ') || strings.noGateway]
      .join(' \u00b7 ');
  });
}

/**
 * Lines about problems of the logbook's own store, and rejected messages.
 * @type {(report: object, strings: Strings) => string[]}
 */
export function storageLines(report, strings) {
  const store = isObject(report.store) ? report.store : {};
  const reason = (one) => strings.storeReasons[one.reason] || strings.storeReasons.other;
  const lines = list(report.refusals).filter(isObject)
    .map((one) => interpolate(strings.storeRejected, format.metres(one.count), reason(one)));
  if (store.replaced_ms) {
    lines.unshift(interpolate(strings.storeReplaced, timeOfDay(store.replaced_ms)));
  }
  if (store.state === 'failing') lines.unshift(interpolate(strings.storeFailing, reason(store)));
  return lines;
}

/**
 * Order by state, worst first, then by name.
 * @type {(one: object, other: object) => number}
 */
export function worstFirst(one, other) {
  return STATES.indexOf(one.state) - STATES.indexOf(other.state)
    || one.name.localeCompare(other.name, 'en', { numeric: true });
}

/**
 * How many gateways there are, and how many need attention.
 * @type {(shown: object[], strings: Strings) => string}
 */
export function sumOf(shown, strings) {
  const bad = shown.filter((one) => STATES.indexOf(one.state) < STATES.indexOf('unknown')).length;
  const all = pluralize(strings.gatewayCount, shown.length);
  return interpolate(strings.summary, all,
    bad > 0 ? pluralize(strings.needAttention, bad) : strings.noneNeedsAttention);
}
