// The dialogs of the plan editor: a workout, and copying or inserting a week.
import { nameOf } from '../coach/workouts.js';
import { get, post, requestError } from '../common/api-client.js';
import { add, addForm, button, field, openDialog, selectField } from '../common/dialog.js';
import { line } from '../common/format.js';
import { dayWords } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { hiddenText, MOST_DAYS_BEFORE, parseShownFrom, shownFrom } from '../plans/shown-from.js';
import {
  cleaned, dayAfter, mondayOf, MOST_REPEATS, templateWorkouts, WEEK_TEMPLATES, weeksOfPlan, workoutsOf,
} from './draft.js';
import { weekName } from './grid.js';
import { normalized, parseWorkout, withoutTarget, withTarget } from './notation.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('./draft.js').Workout} Workout */

const COMMON = ['2000m', '6000m', '30:00', '1:00:00', '8x500m/3:30r', '4x1000m/5:00r', '10x1:00/1:00r', 'just-row'];
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Inputs by name, each with a message below it. */
class FieldErrors {
  constructor() { this.places = {}; }

  add(name, input) {
    const place = add('span', 'refusal', input.parentElement);
    place.id = 'error-' + name;
    input.setAttribute('aria-describedby', place.id);
    input.addEventListener('input', () => this.put(name, ''));
    this.places[name] = [input, place];
    return input;
  }

  put(name, text) {
    const [input, place] = this.places[name];
    place.textContent = text;
    input.setAttribute('aria-invalid', String(text !== ''));
  }

  /** Shows `errors`, texts by name, and moves the focus to the first. Returns whether there are any. */
  show(errors) {
    const wrong = Object.keys(this.places).filter((name) => errors[name]);
    for (const name of Object.keys(this.places)) this.put(name, errors[name] || '');
    if (wrong.length) this.places[wrong[0]][0].focus();
    return wrong.length > 0;
  }
}

/** The field and the text of the server's sentence about a workout: `put[1].workout: "x" is ...; write it as ...`. */
function serverErrors(content, strings) {
  const [, name = 'workout', reason] = /^put\[\d+\]\.(\w+):\s(.*);\s/.exec(content.detail || '') || [];
  return { [name]: requestError(reason ? { detail: reason } : content, strings) };
}

/**
 * Opens the dialog for a workout. `apply` gets it and returns an error text; `remove` is null for a new one. `describe`
 * returns the text of the preview, `today` the current day.
 * @type {(strings: Strings, title: string, workout: Workout, options: { planId: string, apply: (workout: Workout) => string,
 *   remove: ?() => void, describe: (fields: object) => string, today: string }) => void}
 */
export function openWorkout(strings, title, workout, { planId, apply, remove, describe, today }) {
  openDialog(title, (body, close) => {
    body.classList.add('wide');
    const errors = new FieldErrors();
    const place = addForm(body, strings, remove ? strings.apply : strings.addWorkout, close, async () => {
      const changed = read();
      const { fields, wrong } = parseWorkout(changed.workout || '');
      const found = { [wrong && target.value ? 'target' : 'workout']: fields ? ''
        : wrong ? interpolate(strings.wrongTarget, wrong) : strings.wrongWorkout,
        day: DAY.test(changed.day || '') ? '' : strings.noDay, shown_from: reveal.isComplete() ? '' : strings.noTime };
      if (errors.show(found)) return ' ';
      // The logbook checks the limits of the monitors.
      const answer = await post('/api/v1/plans/' + planId + '/set', { dry_run: true, workouts: [], put: [changed] });
      if (answer.status === 400 && errors.show(serverErrors(answer.content, strings))) return ' ';
      return answer.status === 200 ? apply(changed) : requestError(answer.content, strings);
    });
    const chips = add('div', 'templates', place);
    for (const text of COMMON) {
      button(chips, nameOf(parseWorkout(text).fields, strings), () => {
        work.value = text;
        draw();
      }, 'chip');
    }
    const [stored, wanted] = withoutTarget(workout.workout || '');
    const work = errors.add('workout', field(place, strings.workoutLabel, {
      maxlength: 200, spellcheck: 'false', autocapitalize: 'none', placeholder: '4x500m/1:00r', 'data-first': '' }));
    work.value = stored;
    const target = errors.add('target', field(place, strings.targetLabel, {
      maxlength: 60, spellcheck: 'false', autocapitalize: 'none', placeholder: '1:50-1:55' }));
    target.value = wanted;
    const preview = add('p', 'preview', place);
    preview.setAttribute('aria-live', 'polite');
    const day = errors.add('day', field(place, strings.day, { type: 'date' }));
    day.value = workout.day;
    const name = errors.add('name', field(place, strings.workoutName, { maxlength: 60 }));
    name.value = workout.name || '';
    const machine = selectField(place, strings.machine, [['', strings.anyMachine]].concat(
      Object.keys(strings.machines).map((kind) => [kind, strings.machines[kind]])), workout.machine || '');
    const noteField = add('label', 'field note', place);
    add('span', '', noteField, strings.note);
    const note = errors.add('note', add('textarea', '', noteField));
    note.maxLength = 300;
    note.rows = 2;
    note.value = workout.note || '';
    const reveal = addReveal(place, strings, errors, workout.shown_from, () => [day.value, today]);
    day.addEventListener('input', reveal.draw);
    const read = () => cleaned({ id: workout.id, day: day.value, machine: machine.value, name: name.value.trim(),
      note: note.value.trim(), shown_from: reveal.value(), workout: withTarget(normalized(work.value), normalized(target.value)) });
    const draw = () => {
      const { fields } = parseWorkout(read().workout || '');
      preview.textContent = (fields && describe(fields)) || strings.workoutExamples;
      preview.classList.toggle('hint', !fields);
    };
    work.addEventListener('input', draw);
    target.addEventListener('input', draw);
    draw();
    if (!remove) return;
    const doing = body.querySelector('.buttons');
    doing.insertBefore(button(doing, strings.removeWorkout, () => {
      close();
      remove();
    }, 'danger'), doing.firstChild);
  });
}

/**
 * Adds a choice from when athletes see the workout, and its time. `days()` returns the workout's day and the current one.
 * Returns functions: `draw` shows what athletes see, `value` is the member `shown_from`.
 */
function addReveal(place, strings, errors, stored, days) {
  const { days: before, time: storedTime } = parseShownFrom(stored);
  const options = Array.from({ length: MOST_DAYS_BEFORE + 1 }, (_, count) => [String(count),
    count ? pluralize(strings.shownDaysBefore, count) : strings.shownSameDay]);
  const choice = selectField(place, strings.visibleToAthletes, [['', strings.alwaysVisible]].concat(options),
    storedTime ? String(before) : '');
  const time = errors.add('shown_from', field(place, strings.visibleFrom, { type: 'time' }));
  time.value = storedTime;
  const note = add('p', 'hint', place);
  note.setAttribute('aria-live', 'polite');
  const isTime = () => /^([01]\d|2[0-3]):[0-5]\d$/.test(time.value);
  const isComplete = () => !choice.value || isTime();
  const value = () => (choice.value && isTime() ? shownFrom(Number(choice.value), time.value) : '');
  const draw = () => {
    const [day, today] = days();
    time.parentElement.hidden = !choice.value;
    note.hidden = !value() || !DAY.test(day);
    if (!note.hidden) {
      note.textContent = interpolate(strings.hiddenHint, hiddenText({ day, shown_from: value() }, today, strings));
    }
  };
  choice.addEventListener('change', draw);
  time.addEventListener('input', draw);
  draw();
  return { draw, value, isComplete };
}

/** Adds the inputs for where a week goes. Returns a function that reads them; null if one is wrong. */
function addTargets(place, strings, errors, monday, counts) {
  const day = errors.add('day', field(place, strings.firstWeek, { type: 'date' }));
  day.value = monday;
  const count = errors.add('count', field(place, strings.weekCount, { inputmode: 'numeric', maxlength: 2 }));
  count.value = '1';
  const label = add('label', 'check', place);
  const replaces = add('input', '', label);
  replaces.type = 'checkbox';
  add('span', '', label, strings.replacesWeek);
  const note = add('p', 'hint', place);
  const isCount = () => /^\d+$/.test(count.value) && count.value >= 1 && count.value <= MOST_REPEATS;
  const mondays = () => Array.from({ length: DAY.test(day.value) && isCount() ? count.value : 0 },
    (_, index) => dayAfter(mondayOf(day.value), 7 * index));
  const draw = () => { note.textContent = counts(mondays()); };
  for (const input of [day, count]) input.addEventListener('input', draw);
  draw();
  return () => {
    const isWrong = errors.show({ day: DAY.test(day.value) ? '' : strings.noDay,
      count: isCount() ? '' : interpolate(strings.badCount, MOST_REPEATS) });
    return isWrong ? null : { mondays: mondays(), replaces: replaces.checked };
  };
}

/**
 * Opens the dialog that copies the week of `monday`. `apply(workouts, from, mondays, replaces)` returns an error text.
 * @type {(strings: Strings, plan: object, monday: string, apply: Function) => void}
 */
export function openCopy(strings, plan, monday, apply) {
  openDialog(interpolate(strings.copyTitle, weekName(monday)), (body, close) => {
    const place = addForm(body, strings, strings.copyNow, close, async () => {
      const found = chosen();
      return found ? apply(workoutsOf(plan, monday), monday, found.mondays, found.replaces) : ' ';
    });
    const chosen = addTargets(place, strings, new FieldErrors(), dayAfter(monday, 7), plannedIn(strings, plan));
  });
}

function plannedIn(strings, plan) {
  return (mondays) => {
    if (!mondays.length) return '';
    const count = mondays.reduce((sum, monday) => sum + workoutsOf(plan, monday).length, 0);
    const [first, last] = [mondays[0], dayAfter(mondays[mondays.length - 1], 6)];
    return interpolate(strings.copiedTo, weekName(first, last), pluralize(strings.workoutCount, count));
  };
}

/**
 * Opens the dialog that inserts a built-in week, or a week of one of `plans`.
 * @type {(strings: Strings, plan: object, monday: string, plans: object[], apply: Function) => void}
 */
export function openTemplates(strings, plan, monday, plans, apply) {
  openDialog(strings.templateTitle, (body, close) => {
    body.classList.add('wide');
    let weeks = [];
    const errors = new FieldErrors();
    const place = addForm(body, strings, strings.insert, close, async () => {
      const found = chosen();
      const week = weeks[choice.selectedIndex];
      if (!week) return strings.noWeek;
      return found ? apply(week.workouts, week.monday, found.mondays, found.replaces) : ' ';
    });
    const source = selectField(place, strings.source, [['', strings.builtIn]].concat(
      plans.map((one) => ['/' + one.id, line(one.title, 80)])), '');
    const choice = selectField(place, strings.week, [], '');
    const list = make('ul', 'template-week', place);
    list.setAttribute('role', 'list');
    list.setAttribute('aria-live', 'polite');
    const draw = () => {
      list.textContent = '';
      const week = weeks[choice.selectedIndex];
      for (const one of week ? week.workouts : []) {
        const item = make('li', '', list);
        add('span', 'weekday', item, dayWords(one.day, { weekday: 'short' }));
        add('b', '', item, line(one.workout, 60)).dir = 'auto';
        if (one.name) add('span', '', item, line(one.name, 60)).dir = 'auto';
      }
    };
    const fill = (found, names) => {
      weeks = found;
      choice.textContent = '';
      for (const name of names) add('option', '', choice, name);
      draw();
    };
    const load = async () => {
      const id = source.value.slice(1);
      if (!id) {
        fill(WEEK_TEMPLATES.map((name) => ({ monday, workouts: templateWorkouts(name, monday, strings) })),
          WEEK_TEMPLATES.map((name) => strings.weekTemplates[name]));
        return;
      }
      fill([], [strings.pageStatus.loading[0]]);
      const answer = await get('/api/v1/plans/' + encodeURIComponent(id));
      if (source.value.slice(1) !== id) return;
      const found = answer.status === 200 ? weeksOfPlan(answer.content) : [];
      fill(found, found.length ? found.map((week) => weekName(week.monday)) : [strings.noWeek]);
    };
    source.addEventListener('change', load);
    choice.addEventListener('change', draw);
    const chosen = addTargets(place, strings, errors, monday, plannedIn(strings, plan));
    load();
  });
}
