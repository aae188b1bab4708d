// Planned workouts that athletes see only from a time on: `18:00`, or `18:00 -1d` for the day before.
import { dayText, midnight, timeOfDay } from '../common/format.js';
import { dayWords, shortDay } from '../common/page.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const DAY = 86400000;
/** The largest number of days before, as `RevealTime.swift`. */
export const MOST_DAYS_BEFORE = 7;
/** How soon a page looks again for a workout whose time has come, and how late: milliseconds. */
const [SOONEST, LATEST] = [30000, DAY];

/**
 * The days before and the time of a member `shown_from`; an empty time without it.
 * @type {(text?: string) => { days: number, time: string }}
 */
export function parseShownFrom(text) {
  const [, time, days] = /^(\d\d:\d\d)(?: -(\d)d)?$/.exec(text || '') || ['', '', '0'];
  return { days: Number(days || 0), time };
}

/**
 * The member `shown_from`; empty without a time.
 * @type {(days: number, time: string) => string}
 */
export const shownFrom = (days, time) => (time && days ? time + ' -' + days + 'd' : time);

/** The day and the time in the club's time zone: `2026-12-01 18:00`. */
function momentOf(workout) {
  const { days, time } = parseShownFrom(workout.shown_from);
  return new Date(midnight(workout.day) - days * DAY).toISOString().slice(0, 10) + ' ' + time;
}

const localNow = (now) => dayText(now) + ' ' + timeOfDay(now);

/**
 * Whether only coaches see a workout at the moment `now`.
 * @type {(workout: object, now: number) => boolean}
 */
export const isHidden = (workout, now) => Boolean(workout.shown_from) && localNow(now) < momentOf(workout);

/**
 * Milliseconds until the next hidden one of `workouts` is shown; null without one.
 * @type {(workouts: object[], now: number) => ?number}
 */
export function nextReveal(workouts, now) {
  const inUTC = (moment) => Date.parse(moment.replace(' ', 'T') + ':00Z');
  const moments = workouts.filter((one) => one.shown_from && (!one.workout || isHidden(one, now)))
    .map((one) => inUTC(momentOf(one)));
  if (!moments.length) return null;
  // The clock of this device may be ahead: a second of patience.
  const wait = Math.min(...moments) - inUTC(localNow(now)) - now % 60000 + 1000;
  return Math.max(SOONEST, Math.min(LATEST, wait));
}

/**
 * `18:00` on the day `today`, `Sat 18:00` within six days of it, `22 Nov 18:00` on others.
 * @type {(workout: object, today: string) => string}
 */
export function shownTime(workout, today) {
  const [day, time] = momentOf(workout).split(' ');
  const days = Math.abs(midnight(day) - midnight(today)) / DAY;
  return days === 0 ? time : (days < 7 ? dayWords(day, { weekday: 'short' }) : shortDay(day)) + ' ' + time;
}

/**
 * What everybody but coaches sees of a hidden workout.
 * @type {(workout: object, today: string, strings: Strings) => string}
 */
export const hiddenText = (workout, today, strings) => interpolate(strings.hiddenWorkout, shownTime(workout, today));

/**
 * What coaches see next to a workout that is still hidden; empty for others.
 * @type {(workout: object, today: string, now: number, strings: Strings) => string}
 */
export const untilText = (workout, today, now, strings) => (workout.workout && isHidden(workout, now)
  ? interpolate(strings.hiddenUntil, shownTime(workout, today)) : '');
