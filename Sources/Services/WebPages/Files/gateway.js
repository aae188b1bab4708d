// What is said of one gateway: how it is, what is wrong and what mends it, its figures, its ergs
// and its records. Made of one element of /api/v1/gateways. No page in here.
import { dayText, timeOfDay } from './clubtime.js';
import * as figures from './figures.js';
import { counted, fill } from './words.js';

/** How a gateway is, the worst first. */
export const STATES = ['failed', 'offline', 'silent', 'degraded', 'unknown', 'lost', 'owed', 'ok'];

/** Characters of a sentence of a gateway, which has fewer. */
const LONGEST_REASON = 2000;

/** The last day that is written with ten letters. */
const LATEST = 253402300799999;

const isCount = (value) => typeof value === 'number' && value >= 0
  && value <= Number.MAX_SAFE_INTEGER;
const isShare = (value) => isCount(value) && value <= 100;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value) => (Array.isArray(value) ? value : []);

/**
 * One gateway as the page shows it; `now` is the server's present, `words` what to say. While the
 * logbook has no broker, nothing is known of the present, and nobody is told to do anything.
 */
export function gateway(told, now, words, hasBroker = true, shares = null) {
  const isOrphan = list(shares).length > 0
    && !list(shares).some((one) => list(one.gateways).indexOf(told.gw) >= 0);
  const health = isObject(told.health) ? told.health : {};
  const state = stateOf(told, health, isOrphan);
  const version = figures.line(told.version, 32);
  const isHere = told.presence === 'online';
  const age = (moment) => (isCount(moment)
    ? figures.age((now - moment) / 1000, words.ages) : words.once);
  return {
    key: told.gw, name: figures.line(told.gw, 32), state, word: words.states[state],
    version: version ? fill(words.version, version) : '',
    heard: isCount(told.heard_ms) ? fill(words.heard, fill(words.ago, age(told.heard_ms)))
      : words.heardNever,
    problems: own(told, health, words, age, hasBroker, isOrphan),
    // What a gateway said that is away now was true then.
    past: !isHere && health.status ? fill(words.past, fill(words.ago, age(told.health_ms))) : '',
    reasons: reasonsOf(health, words), figures: figuresOf(health, words),
    ergs: list(told.ergs).filter((one) => isObject(one) && figures.line(one.erg, 32))
      .map((one) => erg(one, now, words, isHere, hasLowBattery(health, one.erg))).sort(byPlace),
    records: records(told, words),
  };
}

function stateOf(told, health, isOrphan) {
  if (told.presence === 'online' && health.status === 'failed') return 'failed';
  if (told.presence === 'offline') return 'offline';
  if (told.presence === 'silent') return 'silent';
  if (told.presence !== 'online') return 'unknown';
  if (health.status === 'degraded' || isOrphan) return 'degraded';
  if (told.gone > 0 || told.refused > 0 || told.declared > 0) return 'lost';
  return told.owed > 0 ? 'owed' : 'ok';
}

/** What the logbook sees of it, each with what mends it, or with the reason: `{ what, remedy }`. */
function own(told, health, words, age, hasBroker, isOrphan) {
  const found = [];
  const put = (name, ...filled) => found.push({
    what: fill(words.problems[name][0], ...filled), remedy: words.problems[name][1] });
  const isHere = told.presence === 'online';
  if (told.presence === 'offline') put('offline');
  else if (told.presence === 'silent') put('silent', age(told.health_ms));
  else if (!isHere && hasBroker) put('unknown');
  if (isOrphan) put('orphan');
  if (told.owed > 0) {
    found.push({ what: grouped(words.owed, told.owed), remedy: words.owedRemedy[isHere ? 0 : 1] });
  }
  const lost = (told.gone || 0) + (told.declared || 0);
  if (lost > 0) found.push({ what: grouped(words.lost, lost), remedy: words.lostRemedy });
  for (const refusal of list(told.refusals).filter(isObject).slice(0, 5)) {
    found.push({ what: grouped(words.refused, refusal.count),
      remedy: fill(words.refusedWhy, figures.line(refusal.reason, 200)) });
  }
  return found;
}

/** The problems that a gateway reports, of which it alone is the judge. */
const problemsOf = (health) => list(health.problems).filter(isObject);

/** The codes of these, for what is marked because of one. */
const codesOf = (health) => problemsOf(health).map((problem) => problem.code);

/**
 * What a gateway reports: the cause, and what to do about it. An earlier version has both in one
 * sentence, with a semicolon between them.
 */
export function reasonsOf(health, words) {
  const problems = problemsOf(health);
  if (problems.length > 0) {
    return problems.slice(0, 20).map((problem) => {
      const ours = words.reported[problem.code];
      const what = ours ? ours[0] : figures.sentence(problem.text, LONGEST_REASON);
      const remedy = ours ? ours[1] : figures.sentence(problem.remedy, LONGEST_REASON);
      return { what, remedy: remedy || words.askDoctor, isTheirs: !ours && Boolean(remedy) };
    }).filter(({ what }) => what);
  }
  return list(health.reasons).slice(0, 20).map((reason) => figures.sentence(reason, LONGEST_REASON))
    .filter(Boolean).map((text) => {
      const end = text.indexOf('; ');
      return { what: end < 0 ? text : text.slice(0, end),
        remedy: end < 0 ? words.askDoctor : text.slice(end + 2), isTheirs: end >= 0 };
    });
}

/** Pairs of a name and a text; those that it did not tell are left out. */
export function figuresOf(health, words) {
  const found = [];
  const codes = codesOf(health);
  const has = (...wanted) => wanted.some((code) => codes.indexOf(code) >= 0);
  const put = (name, text, note = '', isBad = false) => found.push(
    { name, label: words.figures[name], text, note, isBad });
  if (isCount(health.adapters_up)) {
    const used = health.slots_used;
    const links = !isCount(used) ? '' : isCount(health.slots_total)
      ? fill(words.linksOf, used, health.slots_total) : counted(words.links, used);
    put('radios', figures.whole(health.adapters_up), links,
      has('bluetooth', 'no_adapter', 'adapter'));
  }
  if (isCount(health.backlog_messages)) {
    const age = health.backlog_messages > 0 && isCount(health.backlog_age_s)
      ? fill(words.oldest, figures.age(health.backlog_age_s, words.ages)) : '';
    put('backlog', figures.metres(health.backlog_messages), age, has('backlog'));
  }
  if (isShare(health.ring_used_pct)) {
    const reach = isCount(health.ring_reach_s)
      ? fill(words.reach, figures.age(health.ring_reach_s, words.ages)) : '';
    put('ring', figures.withUnit(figures.whole(health.ring_used_pct), '%'), reach,
      has('ring', 'records_lost'));
  }
  const ends = [health.broker_certificate_end_ms, health.own_certificate_end_ms]
    .filter((end) => isCount(end) && end <= LATEST);
  if (ends.length > 0) {
    put('certificate', fill(words.until, dayText(Math.min(...ends))));
  }
  if (words.clocks[health.clock]) {
    put('clock', words.clocks[health.clock], '', has('clock'));
  }
  return found;
}

/** Whether the gateway reports that the batteries of an erg's monitor are low. */
const hasLowBattery = (health, slug) => problemsOf(health)
  .some((problem) => problem.code === 'battery' && problem.erg === slug);

/** What an erg does, in words, and how full its batteries are. */
function erg(told, now, words, isHere, isLow) {
  const state = ergState(told);
  const since = state === 'searching' && isCount(told.availability_ms)
    ? told.availability_ms : told.state_ms;
  // Nobody knows whether it still sleeps when its gateway is away.
  const hasAge = isHere && words.ergsSince[state] && isCount(since);
  const reason = state === 'parked' ? figures.sentence(told.reason, 240) : '';
  const percent = isShare(told.battery_pct) ? told.battery_pct : null;
  return {
    slug: figures.line(told.erg, 32), place: figures.place(figures.line(told.erg, 32)),
    state: isHere ? state : 'past', reason, isLow,
    say: hasAge ? fill(words.ergsSince[state], figures.age((now - since) / 1000, words.ages))
      : words.ergs[state],
    battery: percent === null ? '' : figures.withUnit(figures.whole(percent), '%'),
  };
}

function ergState(told) {
  if (['asleep', 'released', 'parked'].indexOf(told.state) >= 0) return told.state;
  if (told.availability === 'online') {
    if (['rowing', 'paused', 'resting'].indexOf(told.state) >= 0) return 'streaming';
    return 'linked';
  }
  return told.availability === 'offline' ? 'searching' : 'unheard';
}

function byPlace(one, other) {
  return one.slug.localeCompare(other.slug, 'en', { numeric: true });
}

/** As `counted`, with large numbers in groups. */
const grouped = ([one, many], count) => (count === 1 ? one : fill(many, figures.metres(count)));

/** How many records are here, and whether all; null where this logbook keeps none. */
function records(told, words) {
  if (!isCount(told.stored)) return null;
  const lost = (told.gone || 0) + (told.refused || 0) + (told.declared || 0);
  const missing = (told.owed || 0) + lost;
  return {
    stored: grouped(words.stored, told.stored),
    text: missing > 0 ? grouped(words.missing, missing)
      : told.stored > 0 ? words.complete : words.noRecord,
    kind: lost > 0 ? 'gone' : missing > 0 ? 'missing' : told.stored > 0 ? 'verified' : 'open',
  };
}

/** Lines about what streams lack: `erg-1, strokes 7–9: asked for`. */
export function missingLines(streams, words) {
  return list(streams).reduce((found, stream) => found.concat(list(stream.missing).map((range) => {
    const numbers = range.from_seq === range.to_seq ? String(range.from_seq)
      : range.from_seq + '\u2013' + range.to_seq;
    const place = [figures.line(stream.erg, 32), figures.line(stream.kind, 32)].filter(Boolean);
    return { place: place.join(', ') + ' ' + numbers,
      cause: words.causes[range.cause] || words.causes.other };
  })), []);
}

/** Lines about who keeps the records of which gateways, where logbooks share a store. */
export function sharers(told, words) {
  return list(told).filter(isObject).map((one) => {
    const place = fill(words.sharer, figures.whole(one.process))
      + (one.address ? ', ' + figures.line(one.address, 64) : '');
    return [place, fill(words.parts, list(one.parts).length),
      list(one.gateways).map((gw) => figures.line(gw, 32)).join(', ') || words.noGateway]
      .join(' \u00b7 ');
  });
}

/** What is wrong with the logbook's own store, and what it refused: a line each. */
export function storageLines(told, words) {
  const store = isObject(told.store) ? told.store : {};
  const reason = (one) => words.storeReasons[one.reason] || words.storeReasons.other;
  const lines = list(told.refusals).filter(isObject)
    .map((one) => fill(words.storeRefused, figures.metres(one.count), reason(one)));
  if (store.replaced_ms) {
    lines.unshift(fill(words.storeReplaced, timeOfDay(store.replaced_ms)));
  }
  if (store.state === 'failing') lines.unshift(fill(words.storeFailing, reason(store)));
  return lines;
}

/** The worst first, of the same by name. */
export function worstFirst(one, other) {
  return STATES.indexOf(one.state) - STATES.indexOf(other.state)
    || one.name.localeCompare(other.name, 'en', { numeric: true });
}

/** How many need somebody. */
export function sumOf(shown, words) {
  const bad = shown.filter((one) => STATES.indexOf(one.state) < STATES.indexOf('unknown')).length;
  const all = counted(words.count, shown.length);
  return fill(words.sum, all, bad > 0 ? counted(words.needs, bad) : words.well);
}
