// Sends commands from a gateway's card, and words the answers.
import { commandError, newCommand, sendCommand } from './api-client.js';
import * as format from './format.js';
import { figuresOf, reportedProblems } from './gateway.js';
import { interpolate, pluralize } from './strings.js';

/** Pause between two polls, and longest wait for an answer: milliseconds. */
const PAUSE = 1500;
const PATIENCE = 660000;

/**
 * Sends a command and calls `show(answer)` until it is finished. `steps` are the fields of consecutive
 * commands. Returns an error text if it could not be sent.
 */
export async function runGatewayCommand(gw, verb, steps, strings, show) {
  const request = { gw, verb, steps, count: 0, name: strings.gatewayCommands[verb] };
  const first = newCommand(verb, [request], steps[0]);
  show(Object.assign({ kind: 'open', text: strings.waitingForGateway }, request));
  const answer = await sendCommand(first, strings);
  if (!answer.error) runSteps(request, first, answer, strings, show);
  else show(Object.assign({ kind: 'gone', text: answer.error }, request));
  return answer.error;
}

/** Waits for the result of each step, then starts the next. */
async function runSteps(request, first, answer, strings, show) {
  let part = await waitForAnswer(first, answer, strings);
  request.count = countOf(part);
  for (const fields of request.steps.slice(1)) {
    if (part.status !== 'ok') break;
    part = await waitForAnswer(newCommand(request.verb, [request], fields), {}, strings);
    request.count += countOf(part);
  }
  show(commandAnswer(request, part, strings));
}

const countOf = (part) => (part.reply || {}).count || 0;

/**
 * Polls for the final result. Repeating the same command returns its result and does not carry it out
 * again.
 */
async function waitForAnswer(command, answer, strings) {
  const began = performance.now();
  let found = answer;
  for (;;) {
    const part = found.content ? found.content.ergs[0] : {};
    if (part.status === 'ok' || part.status === 'error') return part;
    if (found.status >= 400 && found.status < 429) return { code: '', message: found.error };
    if (performance.now() - began > PATIENCE) return { code: 'no_reply' };
    if (found.status !== undefined) await new Promise((go) => setTimeout(go, PAUSE));
    found = await sendCommand(command, strings);
  }
}

/** A result as the card shows it; `kind` is `verified`, `open` or `gone`, the look of a session state. */
export function commandAnswer(request, part, strings) {
  if (part.status !== 'ok') return Object.assign({ kind: 'gone' }, failure(part, strings), request);
  const found = answers[request.verb](part.reply || {}, strings, request, part);
  return Object.assign({ kind: 'verified' }, found, request);
}

/** The numbers that the gateway no longer has: its message ends with a list like `1 to 5, 9 to 9`. */
function missingNumbers(message) {
  const [, list] = /:\s([\d,to\s]+)$/.exec(format.sentence(message, 800)) || ['', ''];
  return list.replace(/(\d+)\sto\s(\d+)/g, (range, from, to) => (from === to ? from : from + '–' + to));
}

/** The texts of successful answers, by verb. */
const answers = {
  ping: (reply, strings) => ({ text: interpolate(strings.answers.ping, format.line(reply.version, 32),
    format.age(reply.uptime_s || 0, strings.ages)) }),
  diag: (reply, strings) => ({ kind: reply.health === 'ok' ? 'verified' : 'open',
    text: strings.gatewayStates[reply.health] || strings.gatewayStates.unknown,
    reasons: reportedProblems(reply, strings), figures: figuresOf(reply, strings) }),
  announce: (reply, strings) => ({ text: strings.answers.announce }),
  reload(reply, strings) {
    const changed = ['applied', 'need_restart'].filter((name) => (reply[name] || []).length)
      .map((name) => interpolate(strings.answers[name], format.sentence(reply[name].join(', '), 800)));
    return { text: changed.join('; ') || strings.answers.reload };
  },
  replay(reply, strings, request, part) {
    const gone = request.steps.length > 1 ? '' : missingNumbers(part.message);
    return { text: pluralize(strings.answers.replay, request.count),
      remedy: gone && interpolate(strings.answers.missing, gone) };
  },
  forget: (reply, strings) => ({ text: pluralize(strings.answers.forget, reply.erased || 0),
    remedy: reply.unreadable ? strings.answers.unreadable : '' }),
};

/** Why a command failed, and the remedy. */
function failure({ code, message }, strings) {
  if (strings.refusals[code]) return { text: strings.refusals[code][0], remedy: strings.refusals[code][1] };
  if (strings.commandErrors[code]) {
    const isAway = code === 'gateway_away' || code === 'no_reply';
    return { text: commandError({ code, message }, strings),
      remedy: isAway ? strings.presenceProblems.offline[1] : strings.runDoctor };
  }
  const [{ what, remedy, isForeign }] = reportedProblems({ reasons: [message || code || '?'] }, strings);
  return { text: what, remedy, isForeign };
}
