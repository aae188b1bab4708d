// The plan editor: a coach makes and changes a plan week by week. All changes are stored together.
import { describe } from '../coach/workouts.js';
import { answerError, get, post, requestError } from '../common/api-client.js';
import { button, field } from '../common/dialog.js';
import { dayText, line, midnight } from '../common/format.js';
import { foldedText } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, queryParam, strings as shared, titlePage } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { make } from '../common/view.js';
import { MOST_BYTES, openGroup, slugOf } from '../plans/dialogs.js';
import { untilText } from '../plans/shown-from.js';
import { openCopy, openTemplates, openWorkout } from './dialogs.js';
import {
  changeCount, changesBetween, copyTo, dayAfter, exceeded, freeId, LIMITS, merge, mondayOf, requestsOf, without, withPart,
  withWeeks, withWorkout, workoutsOf,
} from './draft.js';
import { fullDay, PlanGrid, weekName } from './grid.js';

/** Weeks shown at a time; on small screens one. */
const WEEKS = 4;
const smallScreen = matchMedia('(max-width: 899px)');
/** Changes that can be undone. */
const MOST_UNDONE = 50;
/** How often changes are merged with those of others. */
const MOST_ATTEMPTS = 4;

const strings = stringsOfPage(shared, 'plansPage');

/** The plan as it is stored; `changed_ms` is 0 for a new one. */
let base = { title: '', group: { name: '', athletes: [] }, workouts: [], changed_ms: 0 };
/** The plan with the changes that are not stored yet. */
let draft = base;
/** The drafts before each change, the last one at the end. */
let undoable = [];
/** What another coach has changed, too. */
let conflicts = [];
let id = queryParam('id');
/** The heads of all plans. */
let plans = [];
/** The first Monday shown. */
let first = '';
let isSaving = false;

initPage(strings.planEditor);
const user = makeHeader('/plans');
const pageStatus = new PageStatus(load, strings.pageStatus);
const today = () => dayText(Date.now());
const weeksShown = () => (smallScreen.matches ? 1 : WEEKS);

async function load() {
  pageStatus.show('loading');
  const { role } = await user;
  if (role && !isAtLeast(role, 'coach')) {
    pageStatus.show('notAllowed');
    return;
  }
  const answers = await Promise.all([get('/api/v1/plans'), id ? get(planPath()) : null]);
  const [refused] = answers.filter((answer) => answer && answer.status !== 200);
  if (refused) {
    pageStatus.show(refused.content.code === 'unknown_plan' ? 'noPlan' : statusOf(refused));
    return;
  }
  [{ content: { plans } }] = answers;
  if (id) base = answers[1].content;
  draft = base;
  first = mondayOf(startDay());
  pageStatus.show('');
  byId('editor').hidden = byId('back').hidden = false;
  title.value = draft.title;
  draw();
  if (!id) title.focus();
}

const planPath = (more = '') => '/api/v1/plans/' + encodeURIComponent(id) + more;

/** A day of the first week to show: the requested one, or the current one within the plan. */
function startDay() {
  const requested = queryParam('week');
  if (/^\d{4}-\d\d-\d\d$/.test(requested) && !isNaN(midnight(requested))) return requested;
  const now = today();
  if (!base.from) return now;
  return now < base.from ? base.from : now > base.to ? base.to : now;
}

// ---- Drawing

function draw() {
  const { group } = draft;
  byId('title').textContent = id ? strings.planEditor : strings.newPlan;
  titlePage(line(draft.title, 80) || strings.newPlan);
  byId('back').href = pageAddress('/plans' + (id ? '?id=' + encodeURIComponent(id) : ''));
  about.textContent = [pluralize(strings.workoutCount, draft.workouts.length), line(group.name || '', 80),
    group.athletes.length ? pluralize(strings.athleteCount, group.athletes.length) : strings.noGroup]
    .filter(Boolean).join(' \u00b7 ');
  const mondays = Array.from({ length: weeksShown() }, (_, index) => dayAfter(first, 7 * index));
  byId('span').textContent = weekName(first, dayAfter(mondays[mondays.length - 1], 6));
  const stored = new Map(base.workouts.map((one) => [one.id, one]));
  grid.draw(draft, mondays, today(), (one) => {
    const before = stored.get(one.id);
    return !before || changeCount(Object.assign({}, base, { workouts: [before] }),
      Object.assign({}, base, { workouts: [one] })) > 0;
  });
  drawConflicts();
  drawBar();
}

function drawBar() {
  const count = changeCount(base, draft);
  saveButton.disabled = isSaving || !count;
  undoButton.disabled = isSaving || !undoable.length;
  show(count ? pluralize(strings.unsavedChanges, count) : '');
}

/** The last action; it is shown once. */
let message = '';
function show(text, isError = false) {
  const state = byId('state');
  state.textContent = [isError ? '' : message, text].filter(Boolean).join(' \u00b7 ');
  state.className = isError ? 'bad' : '';
  message = '';
}

function drawConflicts() {
  const place = byId('conflicts');
  place.textContent = '';
  place.hidden = !conflicts.length;
  if (!conflicts.length) return;
  make('h2', '', place).textContent = strings.conflictTitle;
  make('p', 'hint', place).textContent = strings.conflictHint;
  const list = make('ul', '', place);
  list.setAttribute('role', 'list');
  for (const conflict of conflicts) {
    const item = make('li', '', list);
    make('p', '', item).textContent = interpolate(strings.conflict, versionText(conflict.mine),
      versionText(conflict.theirs));
    button(item, strings.useTheirs, () => {
      conflicts = conflicts.filter((one) => one !== conflict);
      draft = withPart(draft, conflict.key, conflict.theirs);
      title.value = draft.title;
      draw();
      saveButton.focus();
    });
  }
}

function versionText(version) {
  if (version === undefined) return strings.removedVersion;
  if (typeof version === 'string') return line(version, 80);
  if (version.athletes) {
    return [line(version.name || '', 80), pluralize(strings.athleteCount, version.athletes.length)]
      .filter(Boolean).join(', ');
  }
  return [fullDay(version.day), line(version.name || '', 60), line(version.workout, 80),
    untilText(version, today(), Date.now(), strings)].filter(Boolean).join(', ');
}

// ---- Changes

/** Applies a change, unless the plan becomes too long. Returns an error text. The workout `focused` gets the focus. */
function change(next, done, focused, day) {
  const over = exceeded(next);
  if (over) {
    return over.limit === 'day' ? interpolate(strings.dayFull, LIMITS.day, fullDay(over.day))
      : interpolate(strings.planFull, LIMITS.workouts);
  }
  undoable = undoable.concat(draft).slice(-MOST_UNDONE);
  draft = next;
  message = done;
  if (day) reveal(day);
  draw();
  // A dialog gives the focus back first.
  if (day) setTimeout(() => grid.focus(focused, day));
  return '';
}

/** Shows the week of a day. */
function reveal(day) {
  const monday = mondayOf(day);
  if (monday < first || monday > dayAfter(first, 7 * (weeksShown() - 1))) first = monday;
}

function undo() {
  const last = undoable[undoable.length - 1];
  undoable = undoable.slice(0, -1);
  draft = Object.assign({}, last, { title: draft.title });
  draw();
  if (undoButton.disabled) byId('earlier').focus();
}

function report(error) {
  if (error) show(error, true);
}

const texts = (fields) => describe(fields, strings);
const grid = new PlanGrid(byId('weeks'), strings, {
  add: (day) => edit({ day }, null),
  open: (workout) => edit(workout, () => {
    report(change(without(draft, [workout.id]), strings.workoutRemoved, '', workout.day));
  }),
  move: (moved, day) => {
    const [workout] = draft.workouts.filter((one) => one.id === moved.id);
    report(change(withWorkout(draft, Object.assign({}, workout, { day })),
      interpolate(strings.movedTo, fullDay(day)), workout.id, day));
  },
  copy: (monday) => openCopy(strings, draft, monday, putWeeks),
  insert: (monday) => openTemplates(strings, draft, monday, plans, putWeeks),
  clear: (monday) => report(change(without(draft, workoutsOf(draft, monday).map((one) => one.id)),
    interpolate(strings.weekCleared, weekName(monday)), '', monday)),
}, texts);

function edit(workout, remove) {
  const isNew = !workout.id;
  openWorkout(strings, isNew ? interpolate(strings.addOn, fullDay(workout.day)) : strings.changeWorkout,
    isNew ? copyTo(workout, workout.day) : workout, {
      planId: id || 'new', remove, describe: texts, today: today(),
      apply: (changed) => change(withWorkout(draft, changed), '', changed.id, changed.day),
    });
}

const putWeeks = (workouts, from, mondays, replaces) => change(withWeeks(draft, workouts, from, mondays, replaces),
  '', '', mondays[0]);

// ---- Saving

async function save() {
  if (!draft.title.trim()) {
    show(strings.noTitle, true);
    title.setAttribute('aria-invalid', 'true');
    title.focus();
    return;
  }
  isSaving = true;
  drawBar();
  let error = strings.noAnswer;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    error = await trySaving();
    if (error !== null) break;
  }
  isSaving = false;
  const done = message;
  draw();
  if (conflicts.length) byId('conflicts').querySelector('button').focus();
  if (error !== '') show(error === null ? strings.changedByOther : error, true);
  else if (changeCount(base, draft) === 0) {
    message = done;
    show(strings.saved);
  }
}

/** Returns an error text, an empty one when all is stored, and null to try again. */
async function trySaving() {
  if (!id) id = freeId(slugOf(foldedText(draft.title) + '.x'), plans.map((plan) => plan.id));
  const sent = draft;
  for (const request of requestsOf(changesBetween(base, sent), MOST_BYTES - 200)) {
    const answer = await post(planPath('/set'), Object.assign({ changed_ms: base.changed_ms }, request));
    if (answer.status === 409 && answer.content.code === 'plan_changed') return readAgain();
    if (answer.status !== 200) {
      if (!base.changed_ms) id = '';
      return answerError(answer, strings);
    }
    base = answer.content;
  }
  conflicts = [];
  draft = merge(sent, draft, base).plan;
  history.replaceState(null, '', pageAddress('/plan-editor?id=' + encodeURIComponent(id) + '&week=' + first));
  return '';
}

/** Takes over the changes of another coach. */
async function readAgain() {
  const answer = await get(planPath());
  const isNew = !base.changed_ms;
  if (answer.status === 404) {
    // The plan was removed: it is stored again as a whole.
    base = { title: '', group: { name: '', athletes: [] }, workouts: [], changed_ms: 0 };
    return strings.planRemoved;
  }
  if (answer.status !== 200) return requestError(answer.content, strings);
  if (isNew) {
    // Another coach has made a plan with the same id.
    plans = plans.concat(answer.content);
    id = '';
    return null;
  }
  const merged = merge(base, draft, answer.content);
  // An earlier draft lacks the changes of the other coach.
  undoable = [];
  [base, draft, conflicts] = [answer.content, merged.plan, merged.conflicts];
  title.value = draft.title;
  message = conflicts.length ? '' : strings.mergedWithOther;
  return conflicts.length ? strings.changedByOther : null;
}

addEventListener('beforeunload', (event) => {
  if (changeCount(base, draft) === 0) return;
  event.preventDefault();
  event.returnValue = '';
});

// ---- Controls

const title = field(byId('about'), strings.titleLabel, { maxlength: 80 });
title.dir = 'auto';
title.addEventListener('input', () => {
  draft = Object.assign({}, draft, { title: title.value });
  title.removeAttribute('aria-invalid');
  drawBar();
});
const about = make('p', '', byId('about'));
button(byId('about'), strings.group, () => openGroup(Object.assign({}, strings, { save: strings.apply }), draft,
  async (group) => change(Object.assign({}, draft, { group }), '')));
const undoButton = button(byId('doing'), strings.undo, undo);
const saveButton = button(byId('doing'), strings.save, save, 'main');
byId('back').textContent = strings.backToPlan;
byId('hint').textContent = interpolate(strings.editorHint, document.documentElement.dataset.zone || 'UTC');
for (const [name, step] of [['earlier', -1], ['later', 1]]) {
  byId(name).textContent = strings[name];
  byId(name).addEventListener('click', () => {
    first = dayAfter(first, 7 * step * weeksShown());
    draw();
  });
}
smallScreen.addListener(draw);
load();
