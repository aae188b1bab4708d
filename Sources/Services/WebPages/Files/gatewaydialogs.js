// The dialogs that ask a gateway for something.
import { get } from './asking.js';
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { timeOfDay } from './clubtime.js';
import { isAthlete, shortDayOf } from './page.js';
import { askSession, recordsOf, rootOf } from './rowed.js';
import { fill } from './words.js';

/** Sessions that can be chosen, the newest. */
const SESSIONS = 30;

/** What is asked without more ado. */
const PLAIN = ['ping', 'diag', 'announce', 'reload'];

/** The streams of an erg, and of the gateway itself. */
const OF_ERG = ['stroke', 'force', 'split', 'summary', 'session', 'gap', 'manifest', 'rollup', 'alert'];
const OF_GATEWAY = ['event', 'alert', 'room_rollup', 'crew_rollup'];

/** What the gateway of a card can be asked; `doing(verb, steps)` asks it, and comes to a refusal or none. */
export function openAsking(words, shown, anchor, doing) {
  openDialog(fill(words.askIt, shown.name), (body, close) => {
    body.classList.add('menu');
    const put = (verb, action, kind) => button(body, words.asks[verb] + (kind ? '\u2026' : ''), () => {
      close();
      action();
    }, kind);
    for (const verb of PLAIN) put(verb, () => doing(verb, [{}]));
    put('replay', () => openReplay(words, shown, doing), 'more');
    put('forget', () => openForget(words, shown, doing), 'danger');
  }, anchor);
}

/** A form in a dialog; `go()` comes to a refusal, or to none. */
function openForm(title, words, does, fillIn, go) {
  openDialog(title, (body, close) => {
    const form = add('form', '', body);
    fillIn(form);
    const refusal = addRefusal(form);
    const buttons = add('div', 'buttons', form);
    button(buttons, words.cancel, close);
    const submit = add('button', 'main', buttons, does);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      submit.disabled = true;
      refusal.textContent = await go();
      submit.disabled = false;
      // It may have made room for another dialog.
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

/** Which records are sent again: those of a session, or a range of one stream. */
function openReplay(words, shown, doing) {
  let [session, stream, from, to] = [];
  openForm(words.asks.replay, words, words.sendAgain, (form) => {
    add('p', 'hint', form, words.replayWhy);
    session = choice(form, words.session, [['', words.aRange]]);
    const range = add('div', 'range', form);
    stream = choice(range, words.stream, streamsOf(shown, words));
    from = field(range, words.fromNumber, { inputmode: 'numeric', maxlength: 15 });
    to = field(range, words.toNumber, { inputmode: 'numeric', maxlength: 15 });
    session.addEventListener('change', () => { range.hidden = Boolean(session.value); });
    listSessions(session, shown, words);
  }, async () => {
    if (session.value) {
      const steps = await stepsOf(shown.key, session.value);
      return steps.length ? doing('replay', steps) : words.noAnswer;
    }
    const [erg, kind] = stream.value.split(' ');
    return doing('replay', [Object.assign(erg ? { erg } : {},
      { kind, from_seq: Number(from.value), to_seq: Number(to.value) })]);
  });
}

function streamsOf(shown, words) {
  const of = (slug, name, kinds) => kinds.map((kind) => [slug + ' ' + kind, name + ', ' + kind]);
  return [].concat(...shown.ergs.map(({ slug }) => of(slug, slug, OF_ERG)),
    of('', shown.name, OF_GATEWAY));
}

async function listSessions(select, shown, words) {
  const { content } = await get('/api/v1/sessions?limit=' + SESSIONS + '&gw=' + shown.key);
  for (const one of content.sessions || []) {
    const when = one.started_ms === undefined ? words.undated
      : shortDayOf(one.started_ms) + ' ' + timeOfDay(one.started_ms);
    add('option', '', select, [when, one.erg, one.athlete_id].filter(Boolean).join(' \u00b7 '))
      .value = one.session_id;
  }
}

/** Where the records of a session stand in their streams, as far as the logbook knows. */
async function stepsOf(gw, id) {
  const root = rootOf(gw, id);
  const { detail } = await askSession(root);
  if (!detail) return [];
  const { session: { erg }, manifest, summary, splits, gaps } = detail;
  const forces = (await recordsOf(root, 'forces')).records;
  const strokes = manifest && manifest.stroke_last_seq
    ? [{ seq: manifest.stroke_first_seq }, { seq: manifest.stroke_last_seq }]
    : (await recordsOf(root, 'strokes')).records;
  const one = (record) => (record && record.seq ? [record] : []);
  return [['stroke', strokes], ['force', forces], ['split', splits], ['gap', gaps],
    ['summary', one(summary)], ['manifest', one(manifest)]]
    .filter(([, records]) => records.length).map(([kind, records]) => (
      { erg, kind, from_seq: records[0].seq, to_seq: records[records.length - 1].seq }));
}

/** Who is forgotten and, before it is done, what is lost. */
function openForget(words, shown, doing) {
  let input = null;
  openForm(words.asks.forget, words, words.asks.forget + '\u2026', (form) => {
    input = field(form, words.athleteId, { maxlength: 64, autocapitalize: 'none', spellcheck: 'false' });
  }, () => {
    const id = input.value.trim();
    if (!isAthlete(id)) return words.idWhy;
    confirmForget(words, shown, doing, id);
    return '';
  });
}

function confirmForget(words, shown, doing, id) {
  openDialog(words.asks.forget, (body, close) => {
    add('p', 'warning', body, fill(words.forgets, shown.name, id));
    add('p', '', body, words.forgetKeeps);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, words.cancel, close).setAttribute('data-first', '');
    const go = button(buttons, words.eraseNow, async () => {
      go.disabled = true;
      refusal.textContent = await doing('forget', [{ athlete_id: id }]);
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main danger');
  });
}
