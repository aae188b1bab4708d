// Requests to the logbook's HTTP interface. Errors are returned as texts for the user.
import { englishOnly, interpolate } from './strings.js';

/** @typedef {import('./strings.js').Strings} Strings */

/** Longest wait for an answer: milliseconds. */
const TIMEOUT = 10000;

/**
 * A series of requests of which only the newest counts, because the user has chosen something else or the page
 * loads again. Answers to earlier ones are ignored: their signal is aborted.
 */
export class RequestSeries {
  constructor() { this.controller = new AbortController(); }

  /**
   * Ends the requests before.
   * @returns {AbortSignal} for the next requests
   */
  next() {
    this.controller.abort();
    this.controller = new AbortController();
    return this.controller.signal;
  }
}

/**
 * @typedef {{ status: number, content: any }} Answer The JSON of an answer; status 0 and `{}` without an answer.
 */

/**
 * Posts `content` as JSON.
 * @param {string} path
 * @param {object} content
 * @returns {Promise<Answer>}
 */
export function post(path, content) {
  return request(path, {
    method: 'POST', credentials: 'same-origin', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
  });
}

/**
 * Deletes what is at `path`.
 * @param {string} path
 * @returns {Promise<Answer>}
 */
export function remove(path) {
  return request(path, { method: 'DELETE', credentials: 'same-origin' });
}

/**
 * Gets `path`.
 * @param {string} path
 * @param {AbortSignal} [signal] ends the request
 * @returns {Promise<Answer>}
 */
export function get(path, signal) {
  return request(path, { credentials: 'same-origin' }, signal);
}

/**
 * Reads the records of a list page by page, up to about `most`.
 * @param {string} path
 * @param {number} most
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ status: number, records: object[] }>} with the last status
 */
export async function getRecords(path, most, signal) {
  let [records, cursor] = [[], ''];
  do {
    const { status, content } = await get(path + '?limit=1000' + (cursor && '&cursor=' + cursor), signal);
    if (status !== 200) return { status, records };
    records = records.concat(content.records);
    cursor = content.next || '';
  } while (cursor && records.length < most);
  return { status: 200, records };
}

async function request(path, options, signal) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, TIMEOUT);
  if (signal) signal.addEventListener('abort', abort);
  try {
    if (signal && signal.aborted) abort();
    const answer = await fetch(path, Object.assign({ signal: controller.signal }, options));
    // A long list may take longer than its first byte.
    clearTimeout(timer);
    return { status: answer.status, content: await answer.json() };
  } catch (error) {
    return { status: 0, content: {} };
  } finally {
    clearTimeout(timer);
    if (signal) signal.removeEventListener('abort', abort);
  }
}

/** A unique request id. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return 'page-' + Array.from(bytes, (byte) => ('0' + byte.toString(16)).slice(-2)).join('');
}

/**
 * A command for ergs or gateways, with a new request id.
 * @type {(verb: string, ergs: { gw: string, slug?: string }[], fields: object) => object}
 */
export function newCommand(verb, ergs, fields) {
  return { request_id: newId(), verb, to: ergs.map(({ gw, slug }) => ({ gw, erg: slug })), fields };
}

/**
 * Sends a command. Returns `{ id, error, detail, status, content }`; `error` is empty on success. Without
 * an answer, it retries once with the same id, so that the command is carried out only once.
 * @type {(command: object, strings: Strings) => Promise<{ id: string, error: string, detail: string,
 *   status: number, content: any }>}
 */
export async function sendCommand(command, strings) {
  let answer = await post('/api/v1/commands', command);
  if (answer.status === 0) answer = await post('/api/v1/commands', command);
  if (answer.status === 401) location.reload();
  const { status, content } = answer;
  if (status === 202) return { id: command.request_id, error: '', status, content };
  return { id: command.request_id, error: requestError(content, strings), detail: content.detail, status };
}

/** @type {(verb: string, ergs: object[], fields: object, strings: Strings) => Promise<object>} */
export const runCommand = (verb, ergs, fields, strings) => sendCommand(newCommand(verb, ergs, fields), strings);

/** Patterns of the server's English text about a field, with the key in `strings.fieldErrors`. */
const FIELD_ERRORS = [
  [/(?:pace|offset)_min\w*\sis\sabove/, 'paceOrder'], [/_min\w*\sis\sabove/, 'smallFirst'],
  [/^intervals.*\sis\smissing/, 'noInterval'],
  [/^(?:distance_m|duration_s|calories_kcal)\sis\smissing/, 'noLength'],
  [/(?:\s(\w+),\s)?must\sbe\s(-?\d+)\sto\s(\d+)$/, 'outOfRange'],
  [/()use\sa\s(?:whole\s)?number\sfrom\s(\d+)\sto\s(\d+)/, 'outOfRange'],
  [/()use\sat\smost\s(\d+)$/, 'tooLong'], [/the\sname\sis\sempty/, 'noName'],
  [/must\sbe\sa\s(?:whole\s)?number/, 'notNumber']];

/**
 * Returns why the logbook rejected a request: by its code, or by what `detail` reports about a field.
 * Otherwise English pages show the server's sentence; other languages show a general text.
 * @type {(problem: { code?: string, detail?: string }, strings: Strings) => string}
 */
export function requestError({ code, detail }, strings) {
  if (!code && !detail) return strings.noAnswer;
  if (strings.requestErrors[code]) return strings.requestErrors[code];
  for (const [pattern, key] of FIELD_ERRORS) {
    const [found, unit, from, to] = pattern.exec(detail || '') || [];
    if (found) return interpolate(strings.fieldErrors[key], from, unit ? to + ' ' + unit : to);
  }
  return englishOnly(detail, strings) || strings.requestErrors.other;
}

/**
 * The error text of an answer; empty on success.
 * @type {(answer: Answer, strings: Strings) => string}
 */
export const answerError = ({ status, content }, strings) =>
  (status === 200 ? '' : requestError(content, strings));

/** Codes whose exact cause is only in the gateway's English message. */
const DETAILED = ['bad_value', 'missing_field', 'unknown_field', 'bad_configuration', 'failed'];

/**
 * Returns why a gateway did not carry out a command. Unknown codes show the gateway's own message.
 * @type {(part: { code: string, message: string }, strings: Strings) => string}
 */
export function commandError({ code, message }, strings) {
  const text = strings.commandErrors[code];
  if (!text) return message || code;
  const detail = DETAILED.indexOf(code) >= 0 ? englishOnly(message, strings) : '';
  return detail ? text + ': ' + detail : text;
}

/** Most strokes and curves that are loaded: more than a marathon has. */
const MOST = 12000;

/** @type {(gw: string, id: string) => string} */
export const sessionPath = (gw, id) =>
  '/api/v1/sessions/' + encodeURIComponent(gw) + '/' + encodeURIComponent(id);

/**
 * All records of a session of one kind.
 * @param {string} root the path of the session
 * @param {string} kind `strokes`, `forces`, `splits` or `gaps`
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ status: number, records: object[] }>}
 */
export const getSessionRecords = (root, kind, signal) => getRecords(root + '/' + kind, MOST, signal);

/**
 * The summary with the received part in the place of a result that was not received.
 * @type {(summary: object) => object}
 */
export function withReceivedPart(summary) {
  return summary.result_time_s !== undefined || summary.received_time_s === undefined ? summary
    : Object.assign({}, summary, {
      result_time_s: summary.received_time_s, distance_m: summary.received_distance_m });
}

/**
 * @param {string} root the path of the session
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ status: number, content: any, detail: ?object }>} `detail` has all splits and gaps; null
 *   on failure
 */
export async function getSession(root, signal) {
  const answer = await get(root, signal);
  if (answer.status !== 200) return Object.assign(answer, { detail: null });
  const { session, summary, manifest, splits, gaps, corrections } = answer.content;
  const detail = {
    session, corrections, summary: withReceivedPart(summary || {}), manifest, splits: splits.records, gaps: gaps.records };
  for (const name of ['splits', 'gaps']) {
    if (answer.content[name].next) detail[name] = (await getSessionRecords(root, name, signal)).records;
  }
  return Object.assign(answer, { detail });
}
