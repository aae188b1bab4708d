// The state of a room, built from the event stream: messages with their time of arrival. Times are
// milliseconds of a monotonic clock and are passed in.
import { withReceivedPart } from './api-client.js';

/**
 * @typedef {{ payload: any, receivedAt: number }} Message
 * @typedef {{ gw: string, slug: string, key: string, messages: Object<string, Message> }} Erg
 * @typedef {{ ergs: Map<string, Erg>, gateways: Map<string, any>, crews: Map<string, any>, alerts: Map<string, object>,
 *   commands: Map<string, object>, bests: object[], broker: ?object, version: ?string, moreErgs: number,
 *   race: ?object, order: ?string[], receivedAt: ?number, serverOffset: ?number }} Room
 */

/**
 * A stream that is silent for this long counts as lost: milliseconds. The server sends at least every 2 s.
 */
export const AWAY_AFTER = 5000;

/**
 * An empty room, before the first event.
 * @type {() => Room}
 */
export function emptyRoom() {
  return {
    ergs: new Map(), gateways: new Map(), broker: null, version: null,
    // Number of ergs that the server only sends to requests for their gateway.
    moreErgs: 0,
    // By gateway and name: `{ gw, name, live }`.
    crews: new Map(),
    // Alert records by id, because an erg's messages only have the newest record.
    alerts: new Map(),
    // Commands by id, as far as the server sends them to this page.
    commands: new Map(),
    // New bests that the logbook published, newest last.
    bests: [],
    // The current race; null for none.
    race: null,
    // The order of ergs on the wall; null if it must be recomputed.
    order: null,
    // When the last event arrived; null before the first.
    receivedAt: null,
    // Add to the monotonic clock to get the server's time; null before the first event.
    serverOffset: null,
  };
}

/**
 * Applies one event of the stream. Returns whether the event is known.
 * @type {(room: Room, name: string, event: any, now: number) => boolean}
 */
export function applyEvent(room, name, event, now) {
  const handler = handlers[name];
  if (!handler || typeof event !== 'object' || event === null) return false;
  room.receivedAt = now;
  handler(room, event, now);
  return true;
}

const handlers = {
  room(room, event, now) {
    const before = room.ergs;
    room.ergs = new Map();
    room.order = null;
    room.gateways = new Map();
    room.version = event.version;
    room.moreErgs = event.more_ergs || 0;
    setClock(room, event, now);
    handlers.broker(room, event.broker || {}, now);
    for (const gateway of event.gateways || []) handlers.gateway(room, gateway, now);
    for (const erg of event.ergs || []) updateErg(room, erg, now, before.get(keyOf(erg)));
    room.bests = [];
    for (const best of event.bests || []) handlers.best(room, best, now);
    room.crews = new Map();
    for (const crew of event.crews || []) handlers.crew(room, crew, now);
  },
  gateway(room, event, now) {
    const messages = entries(event.messages, now);
    room.gateways.set(event.gw, { gw: event.gw, messages });
    recordAlert(room, messages);
  },
  crew(room, event, now) {
    const { live } = entries(event.messages, now);
    room.crews.set(event.gw + '/' + event.crew, { gw: event.gw, name: event.crew, live });
  },
  erg(room, event, now) { updateErg(room, event, now, room.ergs.get(keyOf(event))); },
  broker(room, event, now) {
    room.broker = { connected: event.connected !== false, since: now - (event.since_ms_ago || 0) };
  },
  best(room, event, now) {
    room.bests.push({ payload: event.payload || {}, receivedAt: now - (event.age_ms || 0) });
    if (room.bests.length > BESTS) room.bests.shift();
  },
  beat(room, event, now) { setClock(room, event, now); },
  command(room, event, now) {
    const known = room.commands.get(event.id);
    const sent = known ? known.sent : now - (event.age_ms || 0);
    room.commands.set(event.id, Object.assign({}, event, { sent }));
    const first = room.commands.keys().next().value;
    if (room.commands.size > COMMANDS) room.commands.delete(first);
  },
  race(room, event) { room.race = event.race_id ? event : null; },
};

/** The server remembers no more either. */
const COMMANDS = 32;
const BESTS = 64;

const keyOf = (erg) => erg.gw + '/' + erg.erg;

function setClock(room, event, now) {
  if (typeof event.sent_ms === 'number') room.serverOffset = event.sent_ms - now;
}

/** Messages by kind, each with the time at which the server received it. */
function entries(messages, now) {
  const found = {};
  for (const kind of Object.keys(messages || {})) {
    const message = messages[kind];
    const isSummary = kind === 'summary' || kind === 'last_summary';
    found[kind] = {
      payload: isSummary ? withReceivedPart(message.payload) : message.payload,
      receivedAt: now - (message.age_ms || 0),
    };
  }
  return found;
}

function updateErg(room, event, now, before) {
  const messages = entries(event.messages, now);
  const erg = { key: keyOf(event), gw: event.gw, slug: event.erg, messages };
  erg.moment = lastMoment(messages.live, before && before.moment, now);
  if (!room.ergs.has(erg.key)) room.order = null;
  room.ergs.set(erg.key, erg);
  recordAlert(room, messages);
}

/** Most alert records that are remembered, more than can fire at a time. */
const ALERTS = 256;

function recordAlert(room, { alert }) {
  const { alert_id: id, state } = alert ? alert.payload : {};
  if (typeof id !== 'string') return;
  if (state === 'resolved') room.alerts.delete(id);
  else if (state === 'firing') room.alerts.set(id, alert.payload);
  if (room.alerts.size > ALERTS) room.alerts.delete(room.alerts.keys().next().value);
}

/** After this long without a status, the gateway marks a monitor as stale: milliseconds. */
const STALE_AFTER = 5000;

/**
 * The last live message with values. A stale message has none, so the previous one stays. Without a
 * previous one, the message counts as received `STALE_AFTER` ago.
 */
function lastMoment(live, before, now) {
  if (!live) return before;
  if (!live.payload.stale) return live;
  return before || { payload: live.payload, receivedAt: now - STALE_AFTER };
}

/**
 * All ergs in the order of the wall: by gateway, then by place, numerically.
 * @type {(room: Room) => Erg[]}
 */
export function inOrder(room) {
  if (!room.order) {
    const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true });
    room.order = Array.from(room.ergs.values())
      .sort((a, b) => compare(a.gw, b.gw) || compare(a.slug, b.slug))
      .map((erg) => erg.key);
  }
  return room.order.map((key) => room.ergs.get(key));
}
