// Schedules redraws: soon after a change, at a rate that the device can keep up with, and once a second for
// ages.

/** @typedef {{ level: number, late: number, since: ?number, isLate: boolean, recovery: number }} Throttle */

/**
 * `draw(now)` returns whether something moves. `changed()` is called when the level of `device` changes.
 */
export class RenderLoop {
  constructor(device, draw, changed) {
    this.device = device;
    this.draw = draw;
    this.changed = changed;
    this.timer = null;
    this.due = 0;
    this.drawn = 0;
    this.isRequested = false;
    addEventListener('resize', () => this.requestFrame());
    document.addEventListener('visibilitychange', () => {
      this.due = performance.now();
      this.requestFrame();
    });
    this.requestFrame();
  }

  /** Requests a redraw after a change. */
  requestFrame() {
    const next = this.drawn + frameInterval(this.device);
    this.requestFrameAt(Math.max(performance.now(), next));
  }

  /** Requests a redraw at `moment`, unless an earlier one is due. */
  requestFrameAt(moment) {
    if (this.isRequested || (this.timer !== null && this.due <= moment)) return;
    clearTimeout(this.timer);
    this.due = moment;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.isRequested = true;
      requestAnimationFrame(() => this.frame());
    }, Math.max(0, moment - performance.now()));
  }

  frame() {
    this.isRequested = false;
    this.drawn = performance.now();
    const isMoving = this.draw(this.drawn);
    const now = performance.now();
    // Browsers delay hidden pages, so lateness says nothing about the device then.
    if (!document.hidden && recordLateness(this.device, now - this.due, now)) this.changed();
    this.requestFrameAt(this.drawn + (isMoving ? frameInterval(this.device) : 1000));
  }
}

// ---- Detects a slow device and draws less: first the movement between messages, then
// the force curves. Needs no DOM or clock.

/** Average lateness of frames from which the level is reduced: milliseconds. */
const LATE = 80;
/** Average lateness that counts as on time. */
const PROMPT = 15;
/** How long frames must be late to reduce the level, and on time to raise it again: milliseconds. */
const PATIENCE = 3000;
const RECOVERY = 60000;

/** Levels are 0 for everything, 1 without movement, 2 also without force curves. */
const LAST_LEVEL = 2;

/**
 * The initial state of a device.
 * @type {() => Throttle}
 */
export function newThrottle() {
  return { level: 0, late: 0, since: null, isLate: false, recovery: RECOVERY };
}

/**
 * Shortest interval between two frames: milliseconds.
 * @type {(throttle: { level: number }) => number}
 */
export function frameInterval(throttle) {
  return throttle.level === 0 ? 200 : 500;
}

/**
 * Records how late a frame was. Returns whether the level changed.
 * @type {(throttle: Throttle, late: number, now: number) => boolean}
 */
export function recordLateness(throttle, late, now) {
  throttle.late += (late - throttle.late) / 8;
  const isLate = throttle.late > LATE;
  if (throttle.since === null || isLate !== throttle.isLate || (!isLate && throttle.late > PROMPT)) {
    throttle.since = now;
    throttle.isLate = isLate;
  }
  const lasted = now - throttle.since;
  if (isLate && lasted > PATIENCE && throttle.level < LAST_LEVEL) return change(throttle, 1);
  if (!isLate && lasted > throttle.recovery && throttle.level > 0) {
    // The recovery time doubles, so that a slow device is tried less and less often.
    throttle.recovery *= 2;
    return change(throttle, -1);
  }
  return false;
}

function change(throttle, step) {
  throttle.level += step;
  throttle.since = null;
  throttle.late = 0;
  return true;
}
