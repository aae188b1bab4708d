// The grid of the plan editor: weeks as rows, days as columns; on small screens a list.
import { add, button } from '../common/dialog.js';
import { line } from '../common/format.js';
import { dayWords, shortDay, strings as shared } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { untilText } from '../plans/shown-from.js';
import { dayAfter, workoutsOf } from './draft.js';
import { parseWorkout } from './notation.js';

/** Days from one to the next, by key. */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** @type {(day: string) => string} */
export const fullDay = (day) => dayWords(day, { weekday: 'long', day: 'numeric', month: 'long' });

/**
 * `30 Nov–6 Dec 2026`: a week, or from a Monday to the day `last`.
 * @type {(monday: string, last?: string) => string}
 */
export const weekName = (monday, last = dayAfter(monday, 6)) =>
  interpolate(shared.range, shortDay(monday), shortDay(last, true));

/** Draws weeks, and handles keys. `actions` has `add`, `open`, `move`, `copy`, `insert` and `clear`. */
export class PlanGrid {
  constructor(place, strings, actions, describe) {
    Object.assign(this, { place, strings, actions, describe });
    place.addEventListener('keydown', (event) => this.handleKey(event));
  }

  /** `isChanged(workout)` marks unsaved ones. */
  draw(plan, mondays, today, isChanged) {
    this.place.textContent = '';
    for (const monday of mondays) {
      const workouts = workoutsOf(plan, monday);
      const section = make('section', 'panel plan-week', this.place);
      this.drawHead(make('div', 'week-head', section), monday, workouts);
      const list = make('ol', 'days', section);
      list.setAttribute('role', 'list');
      for (let index = 0; index < 7; index += 1) {
        const day = dayAfter(monday, index);
        const own = workouts.filter((one) => one.day === day);
        this.drawDay(make('li', 'plan-day', list), day, own, today, isChanged);
      }
    }
  }

  drawHead(place, monday, workouts) {
    const { strings, actions } = this;
    const name = weekName(monday);
    add('h3', '', place, name);
    add('p', '', place, workouts.length ? pluralize(strings.workoutCount, workouts.length) : strings.emptyWeek);
    const buttons = add('div', 'buttons', place);
    const found = [button(buttons, strings.insertTemplate, () => actions.insert(monday), 'quiet'),
      button(buttons, strings.copyWeek, () => actions.copy(monday), 'quiet'),
      button(buttons, strings.clearWeek, () => actions.clear(monday), 'quiet')];
    found[1].disabled = found[2].disabled = !workouts.length;
    for (const one of found) one.setAttribute('aria-label', interpolate(strings.ofWeek, one.textContent, name));
  }

  drawDay(place, day, workouts, today, isChanged) {
    const { strings, actions } = this;
    place.dataset.day = day;
    if (day === today) {
      place.classList.add('today');
      place.setAttribute('aria-current', 'date');
    }
    add('h3', '', place, dayWords(day, { weekday: 'short', day: 'numeric' }));
    const list = make('ul', 'workouts', place);
    list.setAttribute('role', 'list');
    for (const workout of workouts) this.drawWorkout(make('li', '', list), workout, today, isChanged(workout));
    if (!workouts.length) list.remove();
    const more = button(place, '+', () => actions.add(day), 'more');
    more.setAttribute('aria-label', interpolate(strings.addOn, fullDay(day)));
  }

  drawWorkout(place, workout, today, isChanged) {
    const { strings, actions } = this;
    const one = button(place, '', () => actions.open(workout), isChanged ? 'workout changed' : 'workout');
    one.dataset.id = workout.id;
    one.dir = 'auto';
    const { fields } = parseWorkout(workout.workout);
    const text = (fields && this.describe(fields)) || line(workout.workout, 120);
    add('b', '', one, workout.name ? line(workout.name, 60) : text);
    const more = (workout.machine ? [strings.machines[workout.machine]] : []).concat(workout.name ? text : []);
    if (more.length) add('small', '', one, more.join(' \u00b7 '));
    if (workout.note) add('small', '', one, line(workout.note, 60));
    const until = untilText(workout, today, Date.now(), strings);
    if (until) add('small', 'until', one, until);
    if (isChanged) add('span', 'spoken', one, strings.unsaved);
  }

  /** Arrow keys go to another day; with Shift, they move the workout there. */
  handleKey(event) {
    const place = event.target.closest('.plan-day');
    if (!place || !STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const day = dayAfter(place.dataset.day, STEPS[event.key]);
    if (!event.shiftKey) this.focusDay(day);
    else if (event.target.dataset.id) this.actions.move({ id: event.target.dataset.id }, day);
  }

  focusDay(day) {
    const found = this.place.querySelector('[data-day="' + day + '"] button');
    if (found) found.focus();
  }

  /** Moves the focus to a workout, or to the day if it is not there. */
  focus(id, day) {
    const [found] = Array.from(this.place.querySelectorAll('.workout')).filter((one) => one.dataset.id === id);
    if (found) found.focus();
    else this.focusDay(day);
  }
}
