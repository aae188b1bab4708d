// The event stream. It reconnects automatically, and at once when the page becomes visible.
import { withRoom } from './page.js';
import { applyEvent, AWAY_AFTER } from './room.js';

const EVENTS = ['room', 'gateway', 'erg', 'broker', 'beat', 'command', 'best', 'race', 'crew'];

/** Longest pause before the next attempt, of which a random part is used: milliseconds. */
const LONGEST_PAUSE = 5000;

/**
 * Fills `room` from the server; `changed()` is called after each change.
 * @type {(room: import('./room.js').Room, changed: () => void, address?: string) => Stream}
 */
export function followRoom(room, changed, address = withRoom('/api/v1/live')) {
  let version = null;
  return new Stream(address, (name, event) => {
    if (!applyEvent(room, name, event, performance.now())) return;
    // A new version of the server has new pages.
    if (version !== null && room.version !== null && room.version !== version) location.reload();
    version = room.version || version;
    changed();
  });
}

/** A stream from `address`. `deliver(name, event)` gets each event. */
export class Stream {
  constructor(address, deliver) {
    this.address = address;
    this.deliver = deliver;
    this.source = null;
    this.timer = null;
    this.failures = 0;
    this.signIn = new AbortController();
    // When the last event arrived, or the current attempt began.
    this.receivedAt = 0;
    this.open();
    setInterval(() => this.check(), 1000);
    const checkNow = () => { if (!document.hidden) this.check(true); };
    document.addEventListener('visibilitychange', checkNow);
    addEventListener('online', checkNow);
    addEventListener('pageshow', checkNow);
    // A page in the back/forward cache would hold one of the few connections.
    addEventListener('pagehide', () => {
      this.close();
      this.signIn.abort();
    });
  }

  open() {
    this.close();
    this.receivedAt = performance.now();
    this.source = new EventSource(this.address);
    for (const name of EVENTS) {
      this.source.addEventListener(name, (event) => this.receive(name, event));
    }
    this.source.onerror = () => this.retry();
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.source) this.source.close();
    this.source = null;
  }

  receive(name, event) {
    let content;
    try {
      content = JSON.parse(event.data);
    } catch (error) {
      return;
    }
    this.receivedAt = performance.now();
    this.failures = 0;
    this.deliver(name, content);
  }

  /** The random pause spreads the reconnects of many walls. */
  retry() {
    this.close();
    this.failures += 1;
    const pause = Math.random() * Math.min(LONGEST_PAUSE, this.failures * 1000);
    this.timer = setTimeout(() => this.open(), pause);
    // EventSource does not report the status. If the session has ended, reloading leads to the sign-in.
    this.signIn = new AbortController();
    fetch('/api/v1/me', { signal: this.signIn.signal }).then((answer) => {
      if (answer.status === 401) location.reload();
    }, () => {});
  }

  /** Reconnects a stream that is open but silent; `atOnce` also ends a pause. */
  check(atOnce = false) {
    if (!this.source) {
      if (atOnce) this.open();
    } else if (performance.now() - this.receivedAt > AWAY_AFTER) {
      if (atOnce) this.open();
      else this.retry();
    }
  }
}
