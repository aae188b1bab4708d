// The dialogs with which a coach changes a regatta. Loaded on first use.
import { answerError, get, post } from '../common/api-client.js';
import { add, addForm, addSwitches, button, field, fileText, openDialog, selectField } from '../common/dialog.js';
import { dayText, decimal, elapsed, ergName } from '../common/format.js';
import { athletesByName, choiceLabel, loadAthletes } from '../common/names.js';
import { interpolate } from '../common/strings.js';
import { heatText } from './texts.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {(content: object) => Promise<string>} Act */

/**
 * Opens the settings of a regatta, or of a new one; `done(content)` gets the stored regatta.
 * @type {(strings: Strings, regatta: ?object, done: (content: object) => void) => Promise<void>}
 */
export async function openSettings(strings, regatta, done) {
  const { status, content } = await get('/api/v1/gateways');
  const gateways = status === 200 ? content.gateways : [];
  const ergs = gateways.flatMap(({ gw, ergs: list }) => list.map(({ erg }) => [gw + '/' + erg,
    gateways.length > 1 ? gw + ' ' + ergName(erg, strings.erg) : ergName(erg, strings.erg)]));
  const used = regatta ? regatta.ergs.map(({ gw, erg }) => gw + '/' + erg) : ergs.map(([key]) => key);
  openDialog(regatta ? strings.regattaSettings : strings.newRegatta, (body, close) => {
    const fields = addForm(body, strings, strings.settings.save, close, async () => {
      // Known lanes keep their order.
      const chosen = ergs.map(([key]) => key).filter((key) => switches.get(key).checked);
      const order = used.filter((key) => chosen.indexOf(key) >= 0)
        .concat(chosen.filter((key) => used.indexOf(key) < 0));
      const request = { name: name.value.trim(), place: place.value.trim(), day: day.value,
        ergs: order.map((key) => ({ gw: key.split('/')[0], erg: key.split('/')[1] })) };
      const answer = await post(regatta ? '/api/v1/regattas/' + regatta.regatta_id : '/api/v1/regattas',
        regatta ? Object.assign({ do: 'edit' }, request) : request);
      if (answer.status === 200) done(answer.content);
      return answerError(answer, strings);
    });
    const name = field(fields, strings.regattaName, { maxlength: 60, required: '' });
    const place = field(fields, strings.place, { maxlength: 60 });
    const day = field(fields, strings.day, { type: 'date', required: '' });
    name.value = regatta ? regatta.name : '';
    place.value = regatta ? regatta.place : '';
    day.value = regatta ? regatta.day : dayText(Date.now());
    const switches = addSwitches(fields, strings.lanes, ergs, used);
  });
}

/**
 * The piece of an event from `2000` (metres) or `4:00` (minutes and seconds); null for another text.
 * @type {(text: string) => ?object}
 */
export function pieceOf(text) {
  const match = /^\s*(\d{1,5})(?::([0-5]\d))?\s*$/.exec(text);
  if (!match) return null;
  return match[2] ? { duration_s: 60 * Number(match[1]) + Number(match[2]) } : { distance_m: Number(match[1]) };
}

/**
 * Opens the settings of an event, or of a new one.
 * @type {(strings: Strings, event: ?object, act: Act) => void}
 */
export function openEvent(strings, event, act) {
  openDialog(event ? event.name : strings.addEvent, (body, close) => {
    const fields = addForm(body, strings, strings.settings.save, close, () => {
      const piece = pieceOf(length.value);
      return piece ? act(Object.assign({ do: 'event', name: name.value.trim(), advance_places: Number(places.value),
        advance_times: Number(times.value), kind: kind.value }, kind.value === 'team' ? { team_size: Number(size.value) }
        : {}, piece, event ? { event_id: event.event_id } : {})) : strings.noLength;
    });
    const name = field(fields, strings.eventName, { maxlength: 60, required: '' });
    const length = field(fields, strings.eventLength, { maxlength: 8, required: '' });
    const kind = selectField(fields, strings.kind, Object.keys(strings.kinds).map((key) => [key, strings.kinds[key]]),
      event ? event.kind : 'individual');
    const size = field(fields, strings.teamSize, { inputmode: 'numeric', maxlength: 2 });
    size.value = event && event.team_size || 4;
    const showSize = () => { size.parentNode.hidden = kind.value !== 'team'; };
    kind.addEventListener('change', showSize);
    showSize();
    const places = field(fields, strings.placesAdvance, { inputmode: 'numeric' });
    const times = field(fields, strings.timesAdvance, { inputmode: 'numeric' });
    name.value = event ? event.name : '';
    length.value = event ? event.distance_m || elapsed(event.duration_s) : 2000;
    places.value = event ? event.advance_places : 0;
    times.value = event ? event.advance_times : 0;
    if (!event) return;
    button(body, strings.removeEvent, async () => {
      const error = await act({ do: 'remove_event', event_id: event.event_id });
      if (error) body.querySelector('.refusal').textContent = error;
      else close();
    }, 'danger');
  });
}

/**
 * Opens the import of entries: a table, pasted or from a file.
 * @type {(strings: Strings, regatta: object, act: Act) => void}
 */
export function openImport(strings, regatta, act) {
  openDialog(strings.addEntries, (body, close) => {
    add('p', 'hint', body, strings.importHint);
    const fields = addForm(body, strings, strings.addEntries, close, () => {
      const event = events.value ? { event_id: events.value } : {};
      return act(Object.assign({ do: 'import', text: text.value }, event));
    });
    const events = selectField(fields, strings.event, [['', strings.eventOfTable]].concat(
      regatta.events.map((event) => [event.event_id, event.name])),
    regatta.events.length ? regatta.events[0].event_id : '');
    const label = add('label', 'field', fields);
    add('span', '', label, strings.table);
    const text = add('textarea', '', label);
    text.rows = 8;
    text.value = 'name,club,seed\n';
    const file = field(fields, strings.file, { type: 'file', accept: '.csv,text/csv' });
    file.addEventListener('change', async () => { if (file.files[0]) text.value = await fileText(file.files[0]); });
  });
}

/**
 * Opens the choice of a draw.
 * @type {(strings: Strings, event: object, act: Act) => void}
 */
export function openDraw(strings, event, act) {
  openDialog(strings.draw, (body, close) => {
    const fields = addForm(body, strings, strings.draw, close,
      () => act({ do: 'draw', event_id: event.event_id, by: method.value }));
    const method = selectField(fields, strings.drawBy, Object.keys(strings.methods)
      .map((key) => [key, strings.methods[key]]), 'serpentine');
  });
}

/**
 * Opens the decisions about an entry: its standing in a heat, a scratch, its lane, its data.
 * @type {(strings: Strings, event: object, heat: ?object, line: object, entry: object, act: Act) => void}
 */
export function openEntry(strings, event, heat, line, entry, act) {
  const id = { event_id: event.event_id, entry_id: entry.entry_id };
  openDialog(entry.name, (body, close) => {
    const options = [['', strings.asMeasured], ['scratched', strings.standings.scratched]].concat(heat
      ? ['did_not_start', 'did_not_finish', 'disqualified'].map((key) => [key, strings.standings[key]]) : []);
    const fields = addForm(body, strings, strings.settings.save, close, () => save());
    const was = options.some(([key]) => key === line.standing) ? line.standing : '';
    const standing = selectField(fields, strings.status, options, was);
    const reason = field(fields, strings.reason, { maxlength: 120 });
    reason.value = line.reason || '';
    const open = event.heats.filter((one) => one.state === 'drawn');
    const canMove = open.length && (!heat || heat.state === 'drawn');
    const target = canMove ? selectField(fields, strings.inHeat, [['', strings.notDrawn]].concat(
      open.map((one) => [one.heat_id, heatText(one, strings)])), heat ? heat.heat_id : '') : null;
    const lane = canMove ? field(fields, strings.lane, { inputmode: 'numeric' }) : null;
    if (lane) lane.value = line.lane || '';
    const name = field(fields, strings.entryName, { maxlength: 80, required: '' });
    const athlete = selectField(fields, strings.athlete, [['', strings.noProfile]], '');
    loadAthletes().then(() => {
      for (const one of athletesByName()) add('option', '', athlete, choiceLabel(one)).value = one.athlete_id;
      athlete.value = entry.athlete_id || '';
    });
    const hasMembers = event.kind !== 'individual';
    athlete.parentNode.hidden = hasMembers;
    const label = hasMembers ? add('label', 'field', fields) : null;
    if (label) add('span', '', label, strings.members);
    const members = label ? add('textarea', '', label) : null;
    const memberNames = (entry.members || []).map((member) => member.name).join('\n');
    if (members) members.rows = 4;
    if (members) members.value = memberNames;
    const club = field(fields, strings.clubName, { maxlength: 80 });
    const seed = field(fields, strings.seedTime, { maxlength: 10 });
    name.value = entry.name;
    club.value = entry.club;
    seed.value = entry.seed_s ? seedText(entry.seed_s) : '';

    async function save() {
      const steps = [];
      // Before the athletes are loaded, the choice is empty.
      const who = athlete.options.length > 1 ? athlete.value : entry.athlete_id || '';
      if (name.value !== entry.name || club.value !== entry.club || who !== (entry.athlete_id || '')
        || seed.value !== (entry.seed_s ? seedText(entry.seed_s) : '') || members && members.value !== memberNames) {
        steps.push(Object.assign({ do: 'entry', name: name.value.trim(), club: club.value.trim(),
          seed: seed.value.trim() }, id, who ? { athlete_id: who } : {},
        members ? { members: membersOf(members.value, entry.members || []) } : {}));
      }
      const why = reason.value.trim();
      if (standing.value !== was || why !== (line.reason || '')) {
        if (standing.value === 'scratched') steps.push(Object.assign({ do: 'scratch', reason: why }, id));
        else if (was === 'scratched') steps.push(Object.assign({ do: 'unscratch' }, id));
        if (heat && standing.value !== 'scratched') {
          steps.push(Object.assign({ do: 'mark', heat_id: heat.heat_id, reason: why }, id,
            standing.value ? { standing: standing.value } : {}));
        }
      }
      if (target && (target.value !== (heat ? heat.heat_id : '') || Number(lane.value) !== (line.lane || 0))) {
        const isSame = heat && target.value !== heat.heat_id && Number(lane.value) === line.lane;
        steps.push(Object.assign({ do: 'move' }, id, target.value ? { heat_id: target.value } : {},
          target.value && lane.value && !isSame ? { lane: Number(lane.value) } : {}));
      }
      for (const step of steps) {
        const error = await act(step);
        if (error) return error;
      }
      return '';
    }
  });
}

/**
 * The members from lines of text; known ones keep their athlete.
 * @type {(text: string, known: object[]) => object[]}
 */
export function membersOf(text, known) {
  return text.split('\n').map((line) => line.trim()).filter(Boolean)
    .map((name) => known.find((member) => member.name === name) || { name });
}

/**
 * `6:45.30` for 405.3 seconds.
 * @type {(seconds: number) => string}
 */
export function seedText(seconds) {
  const rest = decimal(seconds % 60, 2, '.');
  return Math.floor(seconds / 60) + ':' + (seconds % 60 < 10 ? '0' : '') + rest;
}

/**
 * Asks for the reason why a heat is rowed again.
 * @type {(strings: Strings, id: object, act: Act) => void}
 */
export function openAgain(strings, id, act) {
  openDialog(strings.rowAgain, (body, close) => {
    add('p', 'hint', body, interpolate(strings.againHint));
    const fields = addForm(body, strings, strings.rowAgain, close,
      () => act(Object.assign({ do: 'again', reason: reason.value.trim() }, id)));
    const reason = field(fields, strings.reason, { maxlength: 120 });
  });
}
