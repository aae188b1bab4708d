// A plan that is being edited: its weeks, templates, and changes. Needs no DOM.
import * as format from '../common/format.js';
import { midnight } from '../common/format.js';

/**
 * @typedef {{ id: string, day: string, workout: string, machine?: string, name?: string, note?: string,
 *   shown_from?: string }} Workout
 * @typedef {{ title: string, group: { name: string, athletes: string[] }, workouts: Workout[] }} Plan
 * @typedef {{ key: string, mine: any, theirs: any }} Conflict `undefined` stands for a removed workout.
 */

const DAY = 86400000;
/** The limits of a plan, as `TrainingPlan.swift`. */
export const LIMITS = { workouts: 366, day: 8 };
/** How often a week can be repeated. */
export const MOST_REPEATS = 26;

/** @type {(day: string, days: number) => string} */
export const dayAfter = (day, days) => new Date(midnight(day) + days * DAY).toISOString().slice(0, 10);

/** @type {(day: string) => string} */
export const mondayOf = (day) => dayAfter(day, (format.mondayOf(midnight(day)) - midnight(day)) / DAY);

/**
 * The workouts of a week in order.
 * @type {(plan: Plan, monday: string) => Workout[]}
 */
export function workoutsOf(plan, monday) {
  const end = dayAfter(monday, 7);
  return plan.workouts.filter((one) => one.day >= monday && one.day < end)
    .sort((one, other) => (one.day + one.id < other.day + other.id ? -1 : 1));
}

/**
 * A copy with a new id, which is random, so that two coaches never choose the same.
 * @type {(workout: object, day: string) => Workout}
 */
export function copyTo(workout, day) {
  const [number] = crypto.getRandomValues(new Uint32Array(1));
  return Object.assign({}, workout, { day, id: day.replace(/-/g, '') + '-' + number.toString(36) });
}

/**
 * Adds a workout, or replaces the one with its id.
 * @type {(plan: Plan, workout: Workout) => Plan}
 */
export const withWorkout = (plan, workout) =>
  Object.assign({}, plan, { workouts: plan.workouts.filter((one) => one.id !== workout.id).concat(workout) });

/** @type {(plan: Plan, ids: string[]) => Plan} */
export const without = (plan, ids) =>
  Object.assign({}, plan, { workouts: plan.workouts.filter((one) => ids.indexOf(one.id) < 0) });

/**
 * Copies `workouts` of the week of `from` to the weeks of `mondays`; `replaces` removes what was there. The time from
 * which athletes see a workout is relative to its day, so it moves with it.
 * @type {(plan: Plan, workouts: object[], from: string, mondays: string[], replaces: boolean) => Plan}
 */
export function withWeeks(plan, workouts, from, mondays, replaces) {
  return mondays.reduce((result, monday) => {
    const cleared = replaces ? without(result, workoutsOf(result, monday).map((one) => one.id)) : result;
    return Object.assign({}, cleared, { workouts: cleared.workouts.concat(workouts.map((one) =>
      copyTo(one, dayAfter(monday, (midnight(one.day) - midnight(from)) / DAY)))) });
  }, plan);
}

/**
 * The first limit that a plan exceeds: `{ limit, day }`; null for none.
 * @type {(plan: Plan) => ?{ limit: string, day?: string }}
 */
export function exceeded(plan) {
  if (plan.workouts.length > LIMITS.workouts) return { limit: 'workouts' };
  const counts = {};
  for (const { day } of plan.workouts) counts[day] = (counts[day] || 0) + 1;
  const [day] = Object.keys(counts).filter((one) => counts[one] > LIMITS.day);
  return day ? { limit: 'day', day } : null;
}

// ---- Templates: the built-in weeks, and the weeks of other plans

/** The workouts of each week: the day from Monday as 0, the workout, and a key of `strings.workoutNames`. */
const WEEKS = {
  base: [[0, '1:00:00@18-20spm', 'steady'], [2, '3x20:00/2:00r@18-20spm', 'steady'], [3, '40:00@55-65%', 'easy'],
    [5, '4x15:00/2:00r@18-20spm', 'steady'], [6, '1:00:00@55-65%', 'easy']],
  intensive: [[0, '8x500m/3:30r', 'speed'], [1, '40:00@55-65%', 'easy'], [3, '4x1000m/5:00r', 'racePace'],
    [4, '40:00@18-20spm', 'steady'], [5, '5x1500m/5:00r', 'endurance']],
  recovery: [[1, '30:00@55-65%', 'easy'], [3, '40:00@18-20spm', 'steady'], [5, '30:00@55-65%', 'easy']],
  test: [[0, '40:00@55-65%', 'easy'], [1, '4x500m/3:00r', 'racePace'], [2, '20:00@55-65%', 'easy'],
    [4, '2000m', 'test'], [5, '30:00@55-65%', 'easy']],
};

/** @type {string[]} keys of `strings.weekTemplates` */
export const WEEK_TEMPLATES = Object.keys(WEEKS);

/** @type {(name: string, monday: string, strings: Object<string, any>) => object[]} */
export const templateWorkouts = (name, monday, strings) => WEEKS[name].map(([day, workout, key]) =>
  ({ day: dayAfter(monday, day), workout, name: strings.workoutNames[key] }));

/**
 * The weeks of a plan that have workouts.
 * @type {(plan: Plan) => { monday: string, workouts: Workout[] }[]}
 */
export const weeksOfPlan = (plan) => Array.from(new Set(plan.workouts.map((one) => mondayOf(one.day)))).sort()
  .map((monday) => ({ monday, workouts: workoutsOf(plan, monday) }));

// ---- Differences between versions of a plan

/**
 * Fixes the order of fields and omits empty ones, so that equal workouts have equal texts.
 * @type {(workout: Workout) => Workout}
 */
export const cleaned = (workout) => ['id', 'day', 'workout', 'machine', 'name', 'note', 'shown_from']
  .reduce((found, name) => (workout[name] ? Object.assign(found, { [name]: workout[name] }) : found), {});

/** The parts of a plan by key: `title`, `group`, and the workouts by id. */
function partsOf(plan) {
  const { name = '', athletes } = plan.group;
  return new Map([['title', plan.title], ['group', { name, athletes }]]
    .concat(plan.workouts.map((one) => ['/' + one.id, cleaned(one)])));
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function changedKeys(from, to) {
  const [before, after] = [partsOf(from), partsOf(to)];
  return Array.from(new Set(Array.from(before.keys()).concat(Array.from(after.keys()))))
    .filter((key) => !isSame(before.get(key), after.get(key)));
}

/**
 * The request that changes the plan `from` into `to`.
 * @type {(from: Plan, to: Plan) => { title?: string, group?: object, put?: Workout[], remove?: string[] }}
 */
export function changesBetween(from, to) {
  const parts = partsOf(to);
  const changes = {};
  const append = (name, value) => { changes[name] = (changes[name] || []).concat(value); };
  for (const key of changedKeys(from, to)) {
    if (key[0] !== '/') changes[key] = parts.get(key);
    else if (parts.has(key)) append('put', parts.get(key));
    else append('remove', key.slice(1));
  }
  return changes;
}

/** @type {(from: Plan, to: Plan) => number} */
export const changeCount = (from, to) => changedKeys(from, to).length;

/**
 * Splits changes into requests of at most `bytes`.
 * @type {(changes: object, bytes: number) => object[]}
 */
export function requestsOf(changes, bytes) {
  const length = (content) => new Blob([JSON.stringify(content)]).size;
  const requests = [Object.assign({}, changes, changes.put && { put: [] })];
  for (const workout of changes.put || []) {
    const last = requests[requests.length - 1];
    if (length(last) + length(workout) + 1 <= bytes) last.put.push(workout);
    else requests.push({ put: [workout] });
  }
  return requests;
}

/**
 * Adds the changes from `base` to `mine` to `theirs`. If both changed the same, the own version stays; both are listed.
 * @type {(base: Plan, mine: Plan, theirs: Plan) => { plan: Plan, conflicts: Conflict[] }}
 */
export function merge(base, mine, theirs) {
  const [own, other] = [partsOf(mine), partsOf(theirs)];
  const changed = changedKeys(base, theirs);
  const conflicts = [];
  let plan = theirs;
  for (const key of changedKeys(base, mine)) {
    if (changed.indexOf(key) >= 0 && !isSame(own.get(key), other.get(key))) {
      conflicts.push({ key, mine: own.get(key), theirs: other.get(key) });
    }
    plan = withPart(plan, key, own.get(key));
  }
  return { plan, conflicts };
}

/**
 * Sets a part of a plan, which `undefined` removes.
 * @type {(plan: Plan, key: string, value: any) => Plan}
 */
export function withPart(plan, key, value) {
  if (key[0] !== '/') return Object.assign({}, plan, { [key]: value });
  return value === undefined ? without(plan, [key.slice(1)]) : withWorkout(plan, value);
}

/**
 * An id for a new plan that no plan has: `winter`, `winter-2`.
 * @type {(slug: string, ids: string[]) => string}
 */
export function freeId(slug, ids) {
  let [id, number] = [slug || 'plan', 1];
  while (ids.indexOf(id) >= 0) {
    number += 1;
    id = (slug || 'plan').slice(0, 28) + '-' + number;
  }
  return id;
}
