// Schedules redraws: soon after a change, at a rate that the device can keep up with, and once a second for
// ages.
import * as throttle from './render-throttle.js';

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
    const next = this.drawn + throttle.frameInterval(this.device);
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
    if (!document.hidden && throttle.recordLateness(this.device, now - this.due, now)) this.changed();
    this.requestFrameAt(this.drawn + (isMoving ? throttle.frameInterval(this.device) : 1000));
  }
}
