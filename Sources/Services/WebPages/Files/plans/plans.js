// The plans page: weeks, adherence, import and export, and the group.
import { answerError, get, post, RequestSeries } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import { line, midnight, mondayOf } from '../common/format.js';
import { loadAthletes } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, queryParam, shortDay, strings as shared, titlePage } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { addDisclosure, make } from '../common/view.js';
import { openGroup, openImport, openRemoval } from './dialogs.js';
import { nextReveal } from './shown-from.js';
import { drawWeeks, WEEKS, weeksOf } from './weeks.js';

const WEEK = 7 * 86400000;
const strings = stringsOfPage(shared, 'plansPage');

let id = queryParam('id');
let plans = [];
/** The current plan, its adherence, and the first Monday shown. */
let [plan, adherence, first] = [null, null, 0];
/** Only the newest plan counts. */
const requests = new RequestSeries();
/** The timer for the next workout that is still hidden. */
let reveal = 0;
/** Only coaches can import plans. */
let isCoach = false;

initPage(strings.plans);
// Athletes cannot change plans or set monitors.
const user = makeHeader('/plans', (name, guest) => {
  if (guest.role === 'athlete') byId('page').classList.add('reading');
});
byId('title').textContent = strings.plans;
const pageStatus = new PageStatus(load, strings.pageStatus);
/** The `PlanSender`, once a workout was to be set. */
let planSender = null;

async function load() {
  if (!plan) pageStatus.show('loading');
  // Guests may not see names.
  const names = user.then(({ role }) => role && loadAthletes());
  const [answer, { role }] = await Promise.all([get('/api/v1/plans'), user, names]);
  if (answer.status !== 200) {
    if (!plan) pageStatus.show(statusOf(answer));
    return;
  }
  plans = answer.content.plans;
  if (!id && plans.length) id = plans[0].id;
  drawChoice();
  isCoach = isAtLeast(role, 'coach');
  await show();
}

/** Shows the selected plan. */
async function show() {
  const signal = requests.next();
  clearTimeout(reveal);
  byId('first').hidden = plans.length > 0 || !isCoach;
  newLink.hidden = !plans.length || !isCoach;
  // A plan with a source is read from another service.
  editLink.hidden = newLink.hidden || !plans.some((one) => one.id === id && !one.source);
  if (!plans.length || !plans.some((one) => one.id === id)) {
    plan = null;
    byId('plan').hidden = true;
    if (plans.length) pageStatus.show('noPlan');
    else pageStatus.show('noPlans', isCoach ? '' : strings.ownPlans);
    return;
  }
  const root = '/api/v1/plans/' + encodeURIComponent(id);
  const answers = await Promise.all([get(root, signal), get(root + '/adherence', signal)]);
  if (signal.aborted) return;
  const refused = answers.find((answer) => answer.status !== 200);
  if (refused) {
    if (!plan) pageStatus.show(statusOf(refused));
    return;
  }
  const isSame = plan !== null && plan.id === id;
  [plan, adherence] = answers.map((answer) => answer.content);
  if (!isSame) first = begin();
  pageStatus.show('');
  byId('plan').hidden = false;
  drawHead();
  draw();
  const wait = nextReveal(plan.workouts, Date.now());
  if (wait !== null) reveal = setTimeout(load, wait);
}

/** The first week to show: last week, within the plan. */
function begin() {
  const now = mondayOf(midnight(adherence.today)) - WEEK;
  if (!plan.from) return now;
  const [from, to] = [mondayOf(midnight(plan.from)), mondayOf(midnight(plan.to))];
  return Math.max(from, Math.min(now, to - (WEEKS - 1) * WEEK));
}

function drawHead() {
  const { group } = plan;
  const people = group.athletes.length ? pluralize(strings.athleteCount, group.athletes.length)
    : strings.noGroup;
  const days = plan.from ? [interpolate(strings.span, shortDay(plan.from, true),
    shortDay(plan.to, true))] : [];
  byId('about').textContent = [line(plan.title, 80)].concat(days,
    pluralize(strings.workoutCount, plan.workouts.length), line(group.name || '', 80), people)
    .filter(Boolean).join(' \u00b7 ');
  const name = line(plan.title, 80);
  titlePage(name);
  drawEditLink();
  for (const [link, format] of files) {
    link.href = '/api/v1/plans/' + encodeURIComponent(plan.id) + '/export?format=' + format;
  }
}

/** The editor begins with the week that is shown. */
function drawEditLink() {
  const week = new Date(first).toISOString().slice(0, 10);
  editLink.href = pageAddress('/plan-editor?id=' + encodeURIComponent(plan.id) + '&week=' + week);
}

function draw() {
  const last = first + WEEKS * WEEK - 86400000;
  const text = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);
  byId('span').textContent = interpolate(strings.span, shortDay(text(first), false),
    shortDay(text(last), true));
  const [from, to] = plan.from ? [midnight(plan.from), midnight(plan.to)] : [first, last];
  byId('earlier').disabled = from >= first;
  byId('later').disabled = to <= last;
  drawWeeks(byId('weeks'), weeksOf(plan.workouts, adherence.athletes, first), adherence.today, strings, set);
}

function set(shown) {
  const { planned, fields } = shown;
  const name = planned.name ? planned.name + ' \u00b7 ' + planned.workout : planned.workout;
  const { machine } = planned;
  const { athletes } = plan.group;
  const report = (text, isSent) => {
    const place = byId('message');
    place.textContent = text;
    if (!isSent) return;
    const link = make('a', 'after', place);
    link.href = pageAddress('/coach');
    link.textContent = strings.coach;
  };
  if (!planSender) planSender = import('./plan-sender.js').then(({ PlanSender }) => new PlanSender(strings));
  planSender.then((sender) => sender.set({ name: line(name, 120), fields, machine }, athletes, report), () => {
    planSender = null;
    report(strings.noAnswer, false);
  });
}

// MARK: Controls

const field = make('label', 'field', byId('choice'));
field.hidden = true;
make('span', '', field).textContent = strings.plan;
const select = make('select', '', field);
select.addEventListener('change', () => choose(select.value));

const linkTo = (place, name, text, path) => {
  const link = make('a', name, place);
  link.textContent = text;
  link.href = pageAddress(path);
  return link;
};
const editLink = linkTo(byId('choice'), 'file edit', strings.edit, '/plan-editor');
const newLink = linkTo(byId('choice'), 'file edit', strings.newPlan, '/plan-editor');
editLink.hidden = newLink.hidden = true;

function drawChoice() {
  field.hidden = !plans.length;
  select.textContent = '';
  for (const one of plans) {
    const option = make('option', '', select);
    option.value = one.id;
    option.textContent = line(one.title, 80);
  }
  select.value = id;
}

function choose(chosen) {
  id = chosen;
  byId('message').textContent = '';
  history.replaceState(null, '', pageAddress('/plans' + (id ? '?id=' + encodeURIComponent(id) : '')));
  show();
}

/** Reloads after a change; selects `chosen`, or the first plan. */
function changed(chosen) {
  id = chosen;
  history.replaceState(null, '', pageAddress('/plans' + (id ? '?id=' + encodeURIComponent(id) : '')));
  load();
}

const importing = () => openImport(strings, plans, plan ? plan.id : '', changed);
const doing = byId('doing');
button(doing, strings.importFile, importing);
button(doing, strings.group, () => openGroup(strings, plan, async (group) => {
  const answer = await post('/api/v1/plans/' + plan.id + '/set', { group });
  if (answer.status === 200) changed(plan.id);
  return answerError(answer, strings);
}));
const files = [['csv', strings.asTable, strings.saveTable],
  ['ics', strings.asCalendar, strings.saveCalendar]]
  .map(([format, text, label]) => {
    const link = make('a', 'file', doing);
    link.textContent = text;
    link.setAttribute('aria-label', label);
    link.setAttribute('download', '');
    return [link, format];
  });
button(doing, strings.remove, () => openRemoval(strings, plan, changed), 'quiet');
linkTo(byId('first'), 'file', strings.newPlan, '/plan-editor');
button(byId('first'), strings.importFile, importing);
const how = make('button', 'quiet', byId('how'));
how.type = 'button';
how.textContent = strings.howDone[0];
addDisclosure(how, () => {
  const text = make('p', 'hint', byId('how'));
  text.textContent = strings.howDone[1];
  return text;
});
for (const [name, step] of [['earlier', -WEEKS], ['later', WEEKS]]) {
  byId(name).textContent = strings[name];
  byId(name).addEventListener('click', () => {
    first += step * WEEK;
    draw();
    drawEditLink();
  });
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && plan && document.activeElement === document.body) load();
});
load();
