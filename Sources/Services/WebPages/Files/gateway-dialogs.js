// The dialogs for commands to a gateway.
import { get, getSession, getSessionRecords, sessionPath } from './api-client.js';
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { timeOfDay } from './club-time.js';
import { isAthleteId, shortDayOf } from './page.js';
import { interpolate } from './strings.js';

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

function choice(parent, label, options) {
  const place = add('label', 'field', parent);
  add('span', '', place, label);
  const select = add('select', '', place);
  for (const [value, text] of options) add('option', '', select, text).value = value;
  return select;
}

/** Chooses the records to send again: those of a session, or a range of one stream. */
function openReplay(strings, shown, send) {
  let [session, stream, from, to] = [];
  openForm(strings.gatewayCommands.replay, strings, strings.sendAgain, (form) => {
    add('p', 'hint', form, strings.replayHint);
    session = choice(form, strings.session, [['', strings.aRange]]);
    const range = add('div', 'range', form);
    stream = choice(range, strings.stream, streamsOf(shown, strings));
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
