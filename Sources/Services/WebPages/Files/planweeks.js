// The weeks of a plan: what is on each day, and what each athlete made of it.
import { sessionAddress } from './bests.js';
import { midnight } from './clubtime.js';
import { line } from './figures.js';
import { make } from './view.js';
import { kilometres } from './volume.js';
import { counted, fill } from './words.js';

const DAY = 86400000;
/** Weeks that are shown at a time. */
export const WEEKS = 4;
/** In the order in which they are told. */
const VERDICTS = ['done', 'partly', 'missed', 'ahead'];

/** `Tuesday, 1 December` of a day that is written as `2026-12-01`. */
export function planDay(day, words, hasWeekday = true) {
  const form = Object.assign({ day: 'numeric', month: 'long', timeZone: 'UTC' },
    hasWeekday ? { weekday: 'long' } : {});
  return new Date(midnight(day)).toLocaleDateString(words.lang === 'de' ? 'de-DE' : 'en-GB', form);
}

const dayText = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

/**
 * The days of `WEEKS` weeks from `first` on, a Monday:
 * `{ monday, days: [{ day, workouts, extra }] }`. Each workout has who made what of it, by verdict.
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

/** Draws them; `set(shown)` is asked for what is to be put on monitors. */
export function drawWeeks(place, weeks, today, words, set) {
  place.textContent = '';
  if (!weeks.length) make('p', 'hint', place).textContent = words.nothing;
  for (const week of weeks) {
    const section = make('section', 'panel planweek', place);
    make('h3', '', section).textContent = fill(words.week, planDay(week.monday, words, false));
    const list = make('ol', '', section);
    list.setAttribute('role', 'list');
    for (const day of week.days) drawDay(make('li', 'planday', list), day, today, words, set);
  }
}

function drawDay(place, day, today, words, set) {
  const isToday = day.day === today;
  if (isToday) {
    place.classList.add('today');
    place.setAttribute('aria-current', 'date');
  }
  make('p', 'date', place).textContent = planDay(day.day, words)
    + (isToday ? ' \u00b7 ' + words.today : '');
  const all = make('div', '', place);
  for (const shown of day.workouts) drawWorkout(make('div', 'planned', all), shown, words,
    isToday && shown.fields ? set : null);
  if (!day.extra.length) return;
  const list = make('dl', 'became', all);
  const found = row(list, 'extra', words);
  for (const { athlete, one } of day.extra) {
    named(found, athlete, one, kilometres(one.distance_m, words));
  }
}

/** What is rowed, and on what where it says so. */
export function workoutOf(planned, words) {
  const of = planned.machine ? words.machines[planned.machine] + ' \u00b7 ' : '';
  return of + line(planned.workout, 120);
}

function drawWorkout(place, shown, words, set) {
  const { planned, became } = shown;
  const what = make('p', 'what', place);
  what.appendChild(document.createTextNode(workoutOf(planned, words)));
  what.dir = 'auto';
  if (planned.name) make('small', '', what).textContent = line(planned.name, 60);
  if (planned.note) {
    const note = make('p', 'note', place);
    note.textContent = planned.note;
    note.dir = 'auto';
  }
  if (VERDICTS.some((verdict) => became[verdict].length)) drawBecame(place, became, words);
  if (!set) return;
  const button = make('button', '', place);
  button.type = 'button';
  button.textContent = words.setNow;
  button.addEventListener('click', () => set(shown, button));
}

function drawBecame(place, became, words) {
  const list = make('dl', 'became', place);
  const told = VERDICTS.filter((verdict) => became[verdict].length);
  for (const verdict of told) {
    const found = row(list, verdict, words);
    // Names that say nothing more than the word would only be long.
    if (told.length === 1 && verdict === 'ahead') {
      make('span', '', found).textContent = became.ahead.length === 1
        ? line(became.ahead[0].athlete, 32)
        : words.everybody + ' \u00b7 ' + counted(words.people, became.ahead.length);
      continue;
    }
    for (const { athlete, item } of became[verdict]) {
      const reasons = (item.reasons || []).map((reason) => words.shortfalls[reason] || reason);
      const isShare = verdict === 'partly' && item.share_pct < 100;
      const share = isShare ? [item.share_pct + '\u00a0%'] : [];
      named(found, athlete, item.session, share.concat(reasons).join(', '));
    }
  }
}

function row(list, verdict, words) {
  make('dt', verdict, list).textContent = words.verdicts[verdict];
  return make('dd', '', list);
}

/** An athlete, as a link to the session where there is one. */
function named(place, athlete, session, detail) {
  const one = make(session ? 'a' : 'span', '', place);
  if (session) one.href = sessionAddress(session);
  one.appendChild(document.createTextNode(line(athlete, 32)));
  if (detail) make('small', '', one).textContent = detail;
}
