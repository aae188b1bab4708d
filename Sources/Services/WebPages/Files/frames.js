// When a page is drawn: soon after something changed, at the pace that the device keeps up with,
// and once a second for the ages that count on.
import * as load from './load.js';

/** `draw(now)` tells whether something moves; `changed` hears of a new level of the `device`. */
export class Frames {
  constructor(device, draw, changed) {
    this.device = device;
    this.draw = draw;
    this.changed = changed;
    this.timer = null;
    this.due = 0;
    this.drawn = 0;
    this.asked = false;
    addEventListener('resize', () => this.soon());
    document.addEventListener('visibilitychange', () => {
      this.due = performance.now();
      this.soon();
    });
    this.soon();
  }

  /** Something changed. */
  soon() { this.askAt(Math.max(performance.now(), this.drawn + load.interval(this.device))); }

  /** Asks for a picture at a moment, unless one is due before. */
  askAt(moment) {
    if (this.asked || (this.timer !== null && this.due <= moment)) return;
    clearTimeout(this.timer);
    this.due = moment;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.asked = true;
      requestAnimationFrame(() => this.frame());
    }, Math.max(0, moment - performance.now()));
  }

  frame() {
    this.asked = false;
    this.drawn = performance.now();
    const isMoving = this.draw(this.drawn);
    const now = performance.now();
    // A page that nobody sees is held back by the browser, which tells nothing of the device.
    if (!document.hidden && load.note(this.device, now - this.due, now)) this.changed();
    this.askAt(this.drawn + (isMoving ? load.interval(this.device) : 1000));
  }
}
