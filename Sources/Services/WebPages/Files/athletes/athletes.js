// The athletes of the club: search, groups, and the dialogs to add and change them.
import { answerError, get, post, sessionPath } from '../common/api-client.js';
import { openAthletePicker } from '../common/athlete-picker.js';
import { button, field } from '../common/dialog.js';
import * as format from '../common/format.js';
import { openInvitation } from '../common/invitation.js';
import { labelOf, loadAthletes, matches, nameOf, sortedByName } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, dayOf, initPage, pageAddress, shortDayOf, strings } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, pluralize } from '../common/strings.js';
import { addDisclosure, make, tableBody } from '../common/view.js';
import { distance, time } from '../session/format.js';
import { explainBest, MACHINES, sessionAddress } from './bests.js';
import { openAthlete, openGroupRemoval, openRosterImport } from './dialogs.js';
import { openMerge, showMerges } from './merges.js';

initPage(strings.athletes);
const me = makeHeader('/athletes');
byId('title').textContent = strings.athletes;

let athletes = [];
let groups = [];
/** The selected group: its id, `archived`, or empty for all athletes. */
let selected = '';
const pageStatus = new PageStatus(load);

async function load() {
  if (!athletes.length) pageStatus.show('loading');
  const { role } = await me;
  const isCoach = isAtLeast(role, 'coach');
  const [answer, others] = await Promise.all([loadAthletes(), isCoach ? get('/api/v1/groups') : null]);
  if (answer.status !== 200) {
    pageStatus.show(statusOf(answer));
    return;
  }
  athletes = sortedByName(answer.athletes);
  groups = others && others.status === 200 ? others.content.groups : [];
  pageStatus.show(athletes.length ? '' : 'noAthletes');
  byId('doing').hidden = !isCoach;
  byId('search').hidden = !athletes.length;
  drawGroups();
  draw(isCoach);
  if (!isCoach) return;
  loadUnassigned();
  showMerges(strings, byId('merges'), load);
  if (byId('records').hidden) showRecords(byId('records'));
}

// ---- Sessions without an athlete

/** Most sessions that are listed; the page Sessions shows all. */
const UNASSIGNED = 20;

async function loadUnassigned() {
  const place = byId('unassigned');
  const answer = await get('/api/v1/sessions?unassigned=true&limit=' + UNASSIGNED);
  const sessions = (answer.status === 200 && answer.content.sessions) || [];
  place.textContent = '';
  place.hidden = !sessions.length;
  make('h2', '', place).textContent = strings.sessionsOfNobody;
  const list = make('ul', 'unassigned', place);
  list.setAttribute('role', 'list');
  for (const session of sessions) drawUnassigned(make('li', '', list), session);
  if (!answer.content.next) return;
  const more = make('a', 'file', place);
  more.href = pageAddress('/sessions?unassigned=true');
  more.textContent = strings.moreSessions;
}

function drawUnassigned(place, session) {
  const link = make('a', '', place);
  link.href = sessionAddress(session);
  link.textContent = [format.ergName(session.erg, strings.erg),
    session.started_ms ? dayOf(session.started_ms) + ', ' + format.timeOfDay(session.started_ms) : strings.undated,
    distance(session.distance_m, strings), time(session.result_time_s, strings)].filter(Boolean).join(' \u00b7 ');
  button(place, strings.assignAthlete, () => openAthletePicker(strings, link.textContent, '', async (id) => {
    const answer = await post(sessionPath(session.gw, session.session_id) + '/athlete', { athlete_id: id });
    if (answer.status === 200) load();
    return answerError(answer, strings);
  }));
}

// ---- Search and groups

const search = field(byId('search'), strings.searchAthlete, {
  type: 'search', maxlength: 60, spellcheck: 'false', placeholder: strings.searchAthlete });
byId('search').addEventListener('submit', (event) => event.preventDefault());
search.addEventListener('input', async () => draw(isAtLeast((await me).role, 'coach')));

button(byId('doing'), strings.importAthletes, () => openRosterImport(strings, load));
const exported = make('a', 'file', byId('doing'));
exported.textContent = strings.exportAthletes;
exported.href = '/api/v1/roster';
exported.setAttribute('download', '');
const users = make('a', 'file', byId('doing'));
users.textContent = strings.usersTitle;
users.href = pageAddress('/users');
button(byId('doing'), strings.addAthlete, () => openAthlete(strings, null, groups, load), 'main');

function drawGroups() {
  const place = byId('groups');
  place.textContent = '';
  const isArchived = athletes.some((athlete) => athlete.archived);
  place.hidden = !groups.length && !isArchived;
  const choices = [['', strings.all, isIn('')]]
    .concat(groups.map((group) => [group.group_id, group.name, isIn(group.group_id)]));
  if (isArchived) choices.push([ARCHIVED, strings.archivedAthletes, isIn(ARCHIVED)]);
  if (!choices.some(([id]) => id === selected)) selected = '';
  for (const [id, name, test] of choices) {
    const chip = button(place, name + ' ' + athletes.filter(test).length, () => {
      selected = id;
      drawGroups();
      draw(true);
    }, 'chip');
    chip.dir = 'auto';
    chip.setAttribute('aria-pressed', id === selected ? 'true' : 'false');
  }
  const group = groups.filter((one) => one.group_id === selected)[0];
  if (group) button(place, strings.removeGroup, () => openGroupRemoval(strings, group, load), 'quiet');
}

/** A slug has no capital letters, so this is no group. */
const ARCHIVED = 'Archived';

/** Whether an athlete belongs to a selection. */
const isIn = (id) => (athlete) => (id === ARCHIVED ? athlete.archived
  : !athlete.archived && (!id || (athlete.groups || []).indexOf(id) >= 0));

// ---- The list

function draw(isCoach) {
  const list = byId('people');
  list.textContent = '';
  const found = athletes.filter((athlete) => isIn(selected)(athlete) && matches(athlete, search.value));
  list.hidden = !found.length;
  byId('found').textContent = athletes.length && !found.length ? strings.noAthleteFound : '';
  for (const athlete of found) drawAthlete(make('li', 'entry', list), athlete, isCoach);
}

function drawAthlete(entry, athlete, isCoach) {
  const link = make('a', 'person', entry);
  link.href = pageAddress('/athlete?id=' + encodeURIComponent(athlete.athlete_id));
  const name = make('span', 'athlete', link);
  name.textContent = labelOf(athlete);
  name.dir = 'auto';
  const own = groups.filter((group) => (athlete.groups || []).indexOf(group.group_id) >= 0);
  make('span', 'groups', link).textContent = own.map((group) => group.name).join(', ');
  make('span', 'count', link).textContent = athlete.sessions
    ? pluralize(strings.sessionCount, athlete.sessions) : '';
  make('span', 'last', link).textContent = athlete.last_ms > 0
    ? strings.lastOn.replace('{}', dayOf(athlete.last_ms)) : '';
  if (!isCoach) return;
  const others = () => athletes.filter((one) => one !== athlete);
  const merge = athletes.length > 1 ? () => openMerge(strings, athlete, others(), load) : null;
  const edit = button(entry, strings.edit, () => openAthlete(strings, athlete, groups, load, merge), 'quiet');
  edit.setAttribute('aria-label', interpolate(strings.editNamed, labelOf(athlete)));
  const invite = button(entry, strings.invite, async () => {
    const answer = await post('/api/v1/athletes/' + encodeURIComponent(athlete.athlete_id) + '/invitation', {});
    byId('found').textContent = answerError(answer, strings);
    if (answer.status === 200) openInvitation(strings, answer.content);
  }, 'quiet');
  invite.setAttribute('aria-label', interpolate(strings.inviteNamed, labelOf(athlete)));
}

load();

// ---- The club records: the fastest athlete of each ranked event.

/**
 * Loads the records and draws them, with a choice of season.
 * @type {(place: HTMLElement) => Promise<void>}
 */
export async function showRecords(place) {
  const answer = await get('/api/v1/records');
  if (answer.status !== 200 || !(answer.content.records || []).length) return;
  const all = answer.content.records;
  place.hidden = false;
  const head = make('div', 'bar-of', place);
  make('h2', '', head).textContent = strings.clubRecords;
  const field = make('label', 'field', head);
  make('span', 'spoken', field).textContent = strings.season;
  const select = make('select', '', field);
  const seasons = Array.from(new Set(all.map(({ season }) => season).filter(Boolean)));
  for (const value of ['all'].concat(seasons)) {
    const option = make('option', '', select);
    option.value = String(value);
    option.textContent = value === 'all' ? strings.allTime : interpolate(strings.seasonOf, value);
  }
  const tables = make('div', '', place);
  const show = () => drawRecords(tables, all.filter(({ season }) =>
    (select.value === 'all' ? season === undefined : String(season) === select.value)));
  select.addEventListener('change', show);
  show();
  make('p', 'hint', place).textContent = strings.recordsHint;
}

function drawRecords(place, records) {
  place.textContent = '';
  for (const machine of MACHINES) {
    const of = records.filter((record) => record.machine === machine);
    if (of.length) drawTable(make('table', 'bests records', place), machine, of);
  }
}

function drawTable(table, machine, records) {
  const body = tableBody(table, strings.machines[machine],
    [strings.event, strings.ranked, strings.athlete, strings.date], machine === 'rower');
  for (const event of format.EVENTS) {
    const record = records.find((one) => one.event === event);
    if (record) drawRecord(make('tr', '', body), record);
  }
}

function drawRecord(row, record) {
  const { ranked } = record;
  const name = make('th', 'event', row);
  name.scope = 'row';
  name.textContent = format.eventName(record.event);
  const button = make('button', 'figure ever', make('td', 'ranked', row));
  button.type = 'button';
  const text = format.resultOf(record, ranked, strings);
  button.textContent = text;
  button.setAttribute('aria-label',
    [format.eventName(record.event), text, strings.valueKinds[ranked.kind]].join(', '));
  addDisclosure(button, () => explainBest(
    make('tr', 'why', row.parentNode), record, ranked, false, strings, 4), row);
  const link = make('a', 'when', make('td', '', row));
  link.href = pageAddress('/athlete?id=' + encodeURIComponent(record.athlete_id));
  link.textContent = nameOf(record.athlete_id);
  link.dir = 'auto';
  const day = make('a', 'when', make('td', '', row));
  day.href = sessionAddress(ranked.inputs[0]);
  day.textContent = shortDayOf(ranked.at_ms, true);
}
