// Whether this device keeps up, and what is left out when it does not: first the movement between
// messages, then the force curves. No page and no clock in here.

/** How late a picture may be, on average, before something is left out: milliseconds. */
const LATE = 80;
/** On time again. */
const PROMPT = 15;
/** So long it has to be late before something is left out, and prompt before it is tried again. */
const PATIENCE = 3000;
const RECOVERY = 60000;

/** The last one; 0: everything, 1: no movement, 2: no force curves either. */
const LAST_LEVEL = 2;

/** What is known of a device of which nothing is known. */
export function newLoad() {
  return { level: 0, late: 0, since: null, isLate: false, recovery: RECOVERY };
}

/** Pictures are this far apart at least: milliseconds. */
export function interval(load) {
  return load.level === 0 ? 200 : 500;
}

/** Takes in by how much a picture came late. Returns whether the level changed. */
export function note(load, late, now) {
  load.late += (late - load.late) / 8;
  const isLate = load.late > LATE;
  if (load.since === null || isLate !== load.isLate || (!isLate && load.late > PROMPT)) {
    load.since = now;
    load.isLate = isLate;
  }
  const lasted = now - load.since;
  if (isLate && lasted > PATIENCE && load.level < LAST_LEVEL) return change(load, 1);
  if (!isLate && lasted > load.recovery && load.level > 0) {
    // A device that falls behind again and again is tried less and less often.
    load.recovery *= 2;
    return change(load, -1);
  }
  return false;
}

function change(load, step) {
  load.level += step;
  load.since = null;
  load.late = 0;
  return true;
}
