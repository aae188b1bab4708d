// The weeks of a plan: the workouts of each day, and who completed them. Also an athlete's next workouts.
import { sessionAddress } from '../athletes/bests.js';
import { kilometres } from '../athletes/volume.js';
import { line, midnight } from '../common/format.js';
import { nameOf } from '../common/names.js';
import { pageAddress } from '../common/page.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { make } from '../common/view.js';
import { hiddenText, untilText } from './shown-from.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const DAY = 86400000;
/** Weeks shown at a time. */
export const WEEKS = 4;
/** Verdicts in the order shown. */
const VERDICTS = ['done', 'partly', 'missed', 'ahead'];

/**
 * `Tuesday, 1 December` for a day such as `2026-12-01`.
 * @type {(day: string, strings: Strings, hasWeekday?: boolean) => string}
 */
export function planDay(day, strings, hasWeekday = true) {
  const form = Object.assign({ day: 'numeric', month: 'long', timeZone: 'UTC' },
    hasWeekday ? { weekday: 'long' } : {});
  return new Date(midnight(day)).toLocaleDateString(strings.lang === 'de' ? 'de-DE' : 'en-GB', form);
}

const dayText = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

/**
 * The days of `WEEKS` weeks from the Monday `first`: `{ monday, days: [{ day, workouts, extra }] }`. Each
 * workout has its athletes by verdict.
 * @type {(workouts: object[], athletes: object[], first: number) => object[]}
 */
export function weeksOf(workouts, athletes, first) {
  const days = new Map();
  const at = (day) => {
    if (!days.has(day)) days.set(day, { day, workouts: [], extra: [] });
    return days.get(day);
  };
  const byId = new Map();
  for (const workout of workouts) {
    const shown = { planned: workout, became: { done: [], partly: [], missed: [], ahead: [] } };
    at(workout.day).workouts.push(shown);
    byId.set(workout.id, shown);
  }
  for (const athlete of athletes) {
    for (const day of athlete.days) {
      for (const item of day.workouts) {
        const shown = byId.get(item.id);
        if (!shown) continue;
        if (item.fields) shown.fields = item.fields;
        shown.became[item.verdict].push({ athlete: athlete.athlete_id, item });
      }
      for (const one of day.extra) at(day.day).extra.push({ athlete: athlete.athlete_id, one });
    }
  }
  return Array.from({ length: WEEKS }, (_, week) => {
    const monday = first + week * 7 * DAY;
    const [from, to] = [dayText(monday), dayText(monday + 6 * DAY)];
    return { monday: from, days: Array.from(days.values())
      .filter(({ day }) => day >= from && day <= to)
      .sort((one, other) => (one.day < other.day ? -1 : 1)) };
  }).filter((week) => week.days.length);
}

/**
 * Draws the weeks; `set(shown)` is called to set a workout on monitors.
 * @type {(place: Element, weeks: object[], today: string, strings: Strings, set: Function) => void}
 */
export function drawWeeks(place, weeks, today, strings, set) {
  place.textContent = '';
  if (!weeks.length) make('p', 'hint', place).textContent = strings.nothingPlanned;
  for (const week of weeks) {
    const section = make('section', 'panel planweek', place);
    make('h3', '', section).textContent = interpolate(strings.weekOf, planDay(week.monday, strings, false));
    const list = make('ol', '', section);
    list.setAttribute('role', 'list');
    for (const day of week.days) drawDay(make('li', 'planday', list), day, today, strings, set);
  }
}

function drawDay(place, day, today, strings, set) {
  const isToday = day.day === today;
  if (isToday) {
    place.classList.add('today');
    place.setAttribute('aria-current', 'date');
  }
  make('p', 'date', place).textContent = planDay(day.day, strings)
    + (isToday ? ' \u00b7 ' + strings.today : '');
  const all = make('div', '', place);
  for (const shown of day.workouts) drawWorkout(make('div', 'planned', all), shown, today, strings,
    isToday && shown.fields ? set : null);
  if (!day.extra.length) return;
  const list = make('dl', 'became', all);
  const found = row(list, 'extra', strings);
  for (const { athlete, one } of day.extra) {
    named(found, athlete, one, kilometres(one.distance_m, strings));
  }
}

/**
 * The workout, with its machine if the plan names one; for a hidden one, when it is shown.
 * @type {(planned: object, today: string, strings: Strings) => string}
 */
export function workoutOf(planned, today, strings) {
  if (!planned.workout) return hiddenText(planned, today, strings);
  const of = planned.machine ? strings.machines[planned.machine] + ' \u00b7 ' : '';
  return of + line(planned.workout, 120);
}

function drawWorkout(place, shown, today, strings, set) {
  const { planned, became } = shown;
  const what = make('p', 'what', place);
  what.appendChild(document.createTextNode(workoutOf(planned, today, strings)));
  what.dir = 'auto';
  what.classList.toggle('hidden-content', !planned.workout);
  if (planned.name) make('small', '', what).textContent = line(planned.name, 60);
  const until = untilText(planned, today, Date.now(), strings);
  if (until) make('p', 'until', place).textContent = until;
  if (planned.note) {
    const note = make('p', 'note', place);
    note.textContent = planned.note;
    note.dir = 'auto';
  }
  if (VERDICTS.some((verdict) => became[verdict].length)) drawBecame(place, became, strings);
  if (!set) return;
  const button = make('button', '', place);
  button.type = 'button';
  button.textContent = strings.setOnErgs;
  button.addEventListener('click', () => set(shown, button));
}

function drawBecame(place, became, strings) {
  const list = make('dl', 'became', place);
  const shownVerdicts = VERDICTS.filter((verdict) => became[verdict].length);
  for (const verdict of shownVerdicts) {
    const found = row(list, verdict, strings);
    // If all are upcoming, the names add nothing.
    if (shownVerdicts.length === 1 && verdict === 'ahead') {
      make('span', '', found).textContent = became.ahead.length === 1
        ? nameOf(became.ahead[0].athlete)
        : strings.everybody + ' \u00b7 ' + pluralize(strings.athleteCount, became.ahead.length);
      continue;
    }
    for (const { athlete, item } of became[verdict]) {
      const reasons = (item.reasons || []).map((reason) => strings.shortfalls[reason] || reason);
      const isShare = verdict === 'partly' && item.share_pct < 100;
      const share = isShare ? [item.share_pct + '\u00a0%'] : [];
      named(found, athlete, item.session, share.concat(reasons).join(', '));
    }
  }
}

function row(list, verdict, strings) {
  make('dt', verdict, list).textContent = strings.verdicts[verdict];
  return make('dd', '', list);
}

/** An athlete, linked to the session if there is one. */
function named(place, athlete, session, detail) {
  const one = make(session ? 'a' : 'span', '', place);
  if (session) one.href = sessionAddress(session);
  one.appendChild(document.createTextNode(nameOf(athlete)));
  if (detail) make('small', '', one).textContent = detail;
}

/**
 * Draws the plans; hidden without any.
 * @type {(place: HTMLElement, plans: object[], today: string, shared: Strings) => void}
 */
export function drawPlanned(place, plans, today, shared) {
  const strings = stringsOfPage(shared, 'plansPage');
  place.textContent = '';
  place.hidden = !plans.length;
  if (!plans.length) return;
  make('h2', '', place).textContent = strings.planned;
  const list = make('ul', '', place);
  list.setAttribute('role', 'list');
  for (const plan of plans) {
    const one = make('li', '', list);
    const link = make('a', '', one);
    link.href = pageAddress('/plans?id=' + encodeURIComponent(plan.id));
    link.textContent = line(plan.title, 80);
    link.dir = 'auto';
    const next = make('span', 'next', one);
    next.textContent = plan.next.length ? interpolate(strings.nextWorkout, workoutText(plan.next[0], today, strings))
      : strings.nothingUpcoming;
    make('span', 'recent', one).textContent = interpolate(strings.recentWeeks, recent(plan.recent, strings));
  }
}

function workoutText(workout, today, strings) {
  const text = workoutOf(workout, today, strings);
  const what = workout.name ? workout.name + ' (' + text + ')' : text;
  const until = untilText(workout, today, Date.now(), strings);
  return [planDay(workout.day, strings), line(what, 140)].concat(until || []).join(', ');
}

function recent(counts, strings) {
  return ['done', 'partly', 'missed'].filter((verdict) => counts[verdict] > 0)
    .map((verdict) => counts[verdict] + '\u00a0' + strings.verdicts[verdict]).join(', ')
    || strings.nothingRecent;
}
