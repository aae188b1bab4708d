// Words the problems that a gateway reports, by code and with the values of its health.
import * as format from './format.js';
import { dayText } from './format.js';
import { englishOnly, interpolate } from './strings.js';

/** @typedef {import('./strings.js').Strings} Strings */

/** Longest sentence of a gateway that is shown: characters. */
export const LONGEST_SENTENCE = 2000;

/** The last day of the year 9999 in Unix milliseconds. */
const LATEST = 253402300799999;

/** Codes whose exact cause is only in the gateway's English text. */
const DETAILED = ['bluetooth', 'no_adapter', 'adapter', 'link', 'broker', 'certificate', 'ring', 'load'];

/** @type {(value: any) => boolean} */
export const isCount = (value) => typeof value === 'number' && value >= 0
  && value <= Number.MAX_SAFE_INTEGER;

/**
 * When the first certificate expires, in Unix milliseconds; null if unknown.
 * @type {(health: object) => ?number}
 */
export function certificateEnd(health) {
  const ends = [health.broker_certificate_end_ms, health.own_certificate_end_ms]
    .filter((end) => isCount(end) && end <= LATEST);
  return ends.length ? Math.min(...ends) : null;
}

/** The values of the text, by code; empty if the health does not report them. */
const VALUES = {
  link: ({ erg }, health, strings) => (erg ? [format.ergName(erg, strings.erg)] : []),
  battery: ({ erg }, health, strings) => (erg ? [format.ergName(erg, strings.erg)] : []),
  certificate(problem, health) {
    const end = certificateEnd(health);
    return end === null ? [] : [dayText(end)];
  },
  topic_refused: (problem, health) => (Array.isArray(health.left_out) && health.left_out.length
    ? [format.sentence(health.left_out.join(', '), 200)] : []),
  backlog: (problem, health, strings) => ageOf(health.backlog_age_s, strings),
  disk: (problem, health, strings) => ageOf(health.disk_behind_s, strings),
  records_lost: (problem, health) => (health.ring_dropped_total > 0
    ? [format.metres(health.ring_dropped_total)] : []),
};

const ageOf = (seconds, strings) => (isCount(seconds) && seconds > 0
  ? [format.age(seconds, strings.ages)] : []);

/**
 * Returns `{ what, remedy, detail }`. `detail` is the gateway's English text, on English pages only.
 * Unknown codes show the gateway's text and remedy, with `isForeign`.
 * @type {(problem: object, health: object, strings: Strings) => { what: string, remedy: string }}
 */
export function problemText(problem, health, strings) {
  const own = strings.gatewayProblems[problem.code];
  const text = format.sentence(problem.text, LONGEST_SENTENCE);
  const foreignRemedy = format.sentence(problem.remedy, LONGEST_SENTENCE);
  if (!own) return { what: text, remedy: foreignRemedy, isForeign: true };
  const values = VALUES[problem.code] ? VALUES[problem.code](problem, health, strings) : [];
  const detail = DETAILED.indexOf(problem.code) >= 0
    ? englishOnly([text, foreignRemedy].filter(Boolean).join('; '), strings) : '';
  return { what: values.length && own[1] ? interpolate(own[1], ...values) : own[0], remedy: own[2], detail };
}
