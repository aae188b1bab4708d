// What a gateway is asked by hand, and what it made of that, as its card shows it.
import { give, order } from './asking.js';
import * as figures from './figures.js';
import { figuresOf, reasonsOf } from './gateway.js';
import { counted, fill } from './words.js';

/** Between two looks at what became of it, and when nobody answers any more: milliseconds. */
const PAUSE = 1500;
const PATIENCE = 660000;

/**
 * Asks a gateway, and has `show(answer)` told what is known of it until it is over; several `steps`, each
 * the fields of the verb, go one after the other. Returns why it was not sent, or nothing.
 */
export async function ask(gw, verb, steps, words, show) {
  const asked = { gw, verb, steps, count: 0, name: words.asks[verb] };
  const first = order(verb, [asked], steps[0]);
  show(Object.assign({ kind: 'open', text: words.waitingFor }, asked));
  const answer = await give(first, words);
  if (!answer.error) follow(asked, first, answer, words, show);
  else show(Object.assign({ kind: 'gone', text: answer.error }, asked));
  return answer.error;
}

/** Looks what became of each step, and begins the next. */
async function follow(asked, first, answer, words, show) {
  let part = await end(first, answer, words);
  asked.count = countOf(part);
  for (const fields of asked.steps.slice(1)) {
    if (part.status !== 'ok') break;
    part = await end(order(asked.verb, [asked], fields), {}, words);
    asked.count += countOf(part);
  }
  show(answerOf(asked, part, words));
}

const countOf = (part) => (part.reply || {}).count || 0;

/** What the gateway said in the end: the same command again tells it, and is not carried out again. */
async function end(command, answer, words) {
  const began = performance.now();
  let found = answer;
  for (;;) {
    const part = found.content ? found.content.ergs[0] : {};
    if (part.status === 'ok' || part.status === 'error') return part;
    if (found.status >= 400 && found.status < 429) return { code: '', message: found.error };
    if (performance.now() - began > PATIENCE) return { code: 'no_reply' };
    if (found.status !== undefined) await new Promise((go) => setTimeout(go, PAUSE));
    found = await give(command, words);
  }
}

/** An answer as the card shows it; `kind` is `verified`, `open` or `gone`, as of a session's state. */
export function answerOf(asked, part, words) {
  if (part.status !== 'ok') return Object.assign({ kind: 'gone' }, failure(part, words), asked);
  const found = said[asked.verb](part.reply || {}, words, asked, part);
  return Object.assign({ kind: 'verified' }, found, asked);
}

/** Answers in words, by verb. */
const said = {
  ping: (reply, words) => ({ text: fill(words.answers.ping, figures.line(reply.version, 32),
    figures.age(reply.uptime_s || 0, words.ages)) }),
  diag: (reply, words) => ({ kind: reply.health === 'ok' ? 'verified' : 'open', text: words.states[reply.health] || words.states.unknown,
    reasons: reasonsOf(reply, words), figures: figuresOf(reply, words) }),
  announce: (reply, words) => ({ text: words.answers.announce }),
  reload(reply, words) {
    const changed = ['applied', 'need_restart'].filter((name) => (reply[name] || []).length)
      .map((name) => fill(words.answers[name], figures.sentence(reply[name].join(', '), 800)));
    return { text: changed.join('; ') || words.answers.reload };
  },
  replay(reply, words, asked, part) {
    // What it had no more it says itself.
    const [, gone] = asked.steps.length > 1 ? [] : figures.sentence(part.message, 800).split('; ');
    return { text: counted(words.answers.replay, asked.count), remedy: gone, isTheirs: true };
  },
  forget: (reply, words) => ({ text: counted(words.answers.forget, reply.erased || 0),
    remedy: reply.unreadable ? words.answers.unreadable : '' }),
};

/** Why it was not done, and what mends it: in our words, or in the gateway's. */
function failure({ code, message }, words) {
  if (words.refusals[code]) return { text: words.refusals[code][0], remedy: words.refusals[code][1] };
  const text = words.outcome[code];
  if (text) {
    return { text, remedy: code === 'gateway_away' || code === 'no_reply' ? words.problems.offline[1]
      : words.askDoctor };
  }
  const [{ what, remedy, isTheirs }] = reasonsOf({ reasons: [message || code || '?'] }, words);
  return { text: what, remedy, isTheirs };
}
