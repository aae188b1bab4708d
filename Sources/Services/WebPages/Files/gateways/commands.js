// The dialogs for commands to a gateway.
import {
  commandError, get, getSession, getSessionRecords, newCommand, sendCommand, sessionPath
} from '../common/api-client.js';
import { add, addRefusal, button, field, openDialog, selectField } from '../common/dialog.js';
import * as format from '../common/format.js';
import { timeOfDay } from '../common/format.js';
import { isAthleteId, shortDayOf } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { figuresOf, reportedProblems } from './gateway.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Most sessions to choose from, newest first. */
const SESSIONS = 30;

/** Commands without parameters. */
const PLAIN = ['ping', 'diag', 'announce', 'reload'];

/** The streams of an erg, and of the gateway itself. */
const OF_ERG = ['stroke', 'force', 'split', 'summary', 'session', 'gap', 'manifest', 'rollup', 'alert'];
const OF_GATEWAY = ['event', 'alert', 'room_rollup', 'crew_rollup'];

/**
 * Opens the menu of a gateway's card; `send(verb, steps)` sends a command and returns an error text or an
 * empty one.
 * @type {(strings: Strings, shown: object, anchor: Element, send: Function) => void}
 */
export function openDiagnosis(strings, shown, anchor, send) {
  openDialog(interpolate(strings.diagnose, shown.name), (body, close) => {
    body.classList.add('menu');
    const put = (verb, action, kind) => {
      const text = strings.gatewayCommands[verb] + (kind ? '\u2026' : '');
      button(body, text, () => {
        close();
        action();
      }, kind);
    };
    for (const verb of PLAIN) put(verb, () => send(verb, [{}]));
    put('replay', () => openReplay(strings, shown, send), 'more');
    put('forget', () => openForget(strings, shown, send), 'danger');
  }, anchor);
}

/** A form in a dialog; `go()` returns an error text or an empty one. */
function openForm(title, strings, does, fillIn, go) {
  openDialog(title, (body, close) => {
    const form = add('form', '', body);
    fillIn(form);
    const refusal = addRefusal(form);
    const buttons = add('div', 'buttons', form);
    button(buttons, strings.cancel, close);
    const submit = add('button', 'main', buttons, does);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      submit.disabled = true;
      refusal.textContent = await go();
      submit.disabled = false;
      // `go` may have opened another dialog in its place.
      if (!refusal.textContent && form.isConnected) close();
    });
  });
}

/** Chooses the records to send again: those of a session, or a range of one stream. */
function openReplay(strings, shown, send) {
  let [session, stream, from, to] = [];
  openForm(strings.gatewayCommands.replay, strings, strings.sendAgain, (form) => {
    add('p', 'hint', form, strings.replayHint);
    session = selectField(form, strings.session, [['', strings.aRange]]);
    const range = add('div', 'range', form);
    stream = selectField(range, strings.stream, streamsOf(shown, strings));
    from = field(range, strings.fromNumber, { inputmode: 'numeric', maxlength: 15 });
    to = field(range, strings.toNumber, { inputmode: 'numeric', maxlength: 15 });
    session.addEventListener('change', () => { range.hidden = Boolean(session.value); });
    listSessions(session, shown, strings);
  }, async () => {
    if (session.value) {
      const steps = await stepsOf(shown.key, session.value);
      return steps.length ? send('replay', steps) : strings.missingFailed;
    }
    const [erg, kind] = stream.value.split(' ');
    return send('replay', [Object.assign(erg ? { erg } : {},
      { kind, from_seq: Number(from.value), to_seq: Number(to.value) })]);
  });
}

function streamsOf(shown, strings) {
  const of = (slug, name, kinds) => kinds.map((kind) => [slug + ' ' + kind, name + ', ' + kind]);
  return [].concat(...shown.ergs.map(({ slug }) => of(slug, slug, OF_ERG)),
    of('', shown.name, OF_GATEWAY));
}

async function listSessions(select, shown, strings) {
  const { content } = await get('/api/v1/sessions?limit=' + SESSIONS + '&gw=' + shown.key);
  for (const one of content.sessions || []) {
    const when = one.started_ms === undefined ? strings.undated
      : shortDayOf(one.started_ms) + ' ' + timeOfDay(one.started_ms);
    add('option', '', select, [when, one.erg, one.athlete_id].filter(Boolean).join(' \u00b7 '))
      .value = one.session_id;
  }
}

/** The ranges of a session's records in their streams, as far as the logbook knows them. */
async function stepsOf(gw, id) {
  const root = sessionPath(gw, id);
  const { detail } = await getSession(root);
  if (!detail) return [];
  const { session: { erg }, manifest, summary, splits, gaps } = detail;
  const forces = (await getSessionRecords(root, 'forces')).records;
  const strokes = manifest && manifest.stroke_last_seq
    ? [{ seq: manifest.stroke_first_seq }, { seq: manifest.stroke_last_seq }]
    : (await getSessionRecords(root, 'strokes')).records;
  const one = (record) => (record && record.seq ? [record] : []);
  return [['stroke', strokes], ['force', forces], ['split', splits], ['gap', gaps],
    ['summary', one(summary)], ['manifest', one(manifest)]]
    .filter(([, records]) => records.length).map(([kind, records]) => (
      { erg, kind, from_seq: records[0].seq, to_seq: records[records.length - 1].seq }));
}

/** Chooses the athlete to erase, then asks for confirmation. */
function openForget(strings, shown, send) {
  let input = null;
  openForm(strings.gatewayCommands.forget, strings, strings.gatewayCommands.forget + '\u2026', (form) => {
    input = field(form, strings.athleteId, { maxlength: 64, autocapitalize: 'none', spellcheck: 'false' });
  }, () => {
    const id = input.value.trim();
    if (!isAthleteId(id)) return strings.athleteIdHint;
    confirmForget(strings, shown, send, id);
    return '';
  });
}

function confirmForget(strings, shown, send, id) {
  openDialog(strings.gatewayCommands.forget, (body, close) => {
    add('p', 'warning', body, interpolate(strings.forgetWarning, shown.name, id));
    add('p', '', body, strings.forgetHint);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, strings.cancel, close).setAttribute('data-first', '');
    const go = button(buttons, strings.eraseNow, async () => {
      go.disabled = true;
      refusal.textContent = await send('forget', [{ athlete_id: id }]);
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main danger');
  });
}

// ---- Sends commands from a gateway's card, and words the answers.

/** Pause between two polls, and longest wait for an answer: milliseconds. */
const PAUSE = 1500;
const PATIENCE = 660000;

/**
 * Sends a command and calls `show(answer)` until it is finished. `steps` are the fields of consecutive
 * commands. Returns an error text if it could not be sent.
 * @type {(gw: string, verb: string, steps: object[], strings: Strings, show: (answer: object) => void) => Promise<string>}
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

/**
 * A result as the card shows it; `kind` is `verified`, `open` or `gone`, the look of a session state.
 * @type {(request: object, part: object, strings: Strings) => object}
 */
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
