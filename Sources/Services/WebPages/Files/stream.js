// The event stream, held open: it comes back by itself, and at once when somebody looks again.
import { AWAY_AFTER } from './header.js';
import { ofRoom } from './page.js';
import { take } from './room.js';

const EVENTS = ['room', 'gateway', 'erg', 'broker', 'beat', 'command', 'best', 'race', 'crew'];

/** The longest pause before the next attempt; each takes a random part of it: milliseconds. */
const LONGEST_PAUSE = 5000;

/** Fills `room` from the server from now on; `changed` hears of each change. */
export function listen(room, changed) {
  let version = null;
  return new Stream(ofRoom('/api/v1/live'), (name, event) => {
    if (!take(room, name, event, performance.now())) return;
    // Another version of the server has another version of this page.
    if (version !== null && room.version !== null && room.version !== version) location.reload();
    version = room.version || version;
    changed();
  });
}

/** A stream of `address`. `take(name, event)` gets each event. */
export class Stream {
  constructor(address, take) {
    this.address = address;
    this.take = take;
    this.source = null;
    this.timer = null;
    this.failures = 0;
    // When the stream last spoke, or the present attempt began.
    this.heard = 0;
    this.open();
    setInterval(() => this.check(), 1000);
    const again = () => { if (!document.hidden) this.check(true); };
    document.addEventListener('visibilitychange', again);
    addEventListener('online', again);
    addEventListener('pageshow', again);
    // A page that is left is kept for the way back, and would hold one of the few connections.
    addEventListener('pagehide', () => this.close());
  }

  open() {
    this.close();
    this.heard = performance.now();
    this.source = new EventSource(this.address);
    for (const name of EVENTS) {
      this.source.addEventListener(name, (event) => this.hear(name, event));
    }
    this.source.onerror = () => this.retry();
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.source) this.source.close();
    this.source = null;
  }

  hear(name, event) {
    let content;
    try {
      content = JSON.parse(event.data);
    } catch (error) {
      return;
    }
    this.heard = performance.now();
    this.failures = 0;
    this.take(name, content);
  }

  /** Many walls that lost one server do not come back in the same moment. */
  retry() {
    this.close();
    this.failures += 1;
    const pause = Math.random() * Math.min(LONGEST_PAUSE, this.failures * 1000);
    this.timer = setTimeout(() => this.open(), pause);
    // The reason is not told. Who is let in no longer is led to the sign-in by the page's address.
    fetch('/api/v1/session').then((answer) => {
      if (answer.status === 401) location.reload();
    }, () => {});
  }

  /** A stream that is open and says nothing is as good as lost; `atOnce` ends a pause too. */
  check(atOnce = false) {
    if (!this.source) {
      if (atOnce) this.open();
    } else if (performance.now() - this.heard > AWAY_AFTER) {
      if (atOnce) this.open();
      else this.retry();
    }
  }
}
