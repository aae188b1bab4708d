// What was heard of a room, when, and in which order its ergs stand. The event stream fills it; tiles and header are made from it.
// Times are milliseconds of a clock that only runs forward, given by whoever calls.

/** A room of which nothing was heard. */
export function emptyRoom() {
  return {
    ergs: new Map(), gateways: new Map(), broker: null, version: null,
    // Ergs that are told to who asks for their gateway alone.
    moreErgs: 0,
    // By gateway and name: `{ gw, name, live }`.
    crews: new Map(),
    // What records said of alerts, by id: an erg has the newest record alone.
    alerts: new Map(),
    // What was sent to the monitors, by id, as far as the server tells this page.
    commands: new Map(),
    // What was rowed better than before, as the logbook found out: the newest last.
    bests: [],
    // The present race, as the server tells it; null where there is none.
    race: null,
    // The ergs in the order of the wall; null when it has to be found anew.
    order: null,
    // When the stream last said anything; null before it did.
    heard: null,
    // Adds up with the running clock to the server's time; null before it told.
    serverOffset: null,
  };
}

/** Takes one event of the stream in. Returns whether it was one that the page knows. */
export function take(room, name, event, now) {
  const taker = takers[name];
  if (!taker || typeof event !== 'object' || event === null) return false;
  room.heard = now;
  taker(room, event, now);
  return true;
}

const takers = {
  room(room, event, now) {
    const before = room.ergs;
    room.ergs = new Map();
    room.order = null;
    room.gateways = new Map();
    room.version = event.version;
    room.moreErgs = event.more_ergs || 0;
    setClock(room, event, now);
    takers.broker(room, event.broker || {}, now);
    for (const gateway of event.gateways || []) takers.gateway(room, gateway, now);
    for (const erg of event.ergs || []) takeErg(room, erg, now, before.get(keyOf(erg)));
    room.bests = [];
    for (const best of event.bests || []) takers.best(room, best, now);
    room.crews = new Map();
    for (const crew of event.crews || []) takers.crew(room, crew, now);
  },
  gateway(room, event, now) {
    const messages = entries(event.messages, now);
    room.gateways.set(event.gw, { gw: event.gw, messages });
    noteAlert(room, messages);
  },
  crew(room, event, now) {
    const { live } = entries(event.messages, now);
    room.crews.set(event.gw + '/' + event.crew, { gw: event.gw, name: event.crew, live });
  },
  erg(room, event, now) { takeErg(room, event, now, room.ergs.get(keyOf(event))); },
  broker(room, event, now) {
    room.broker = { connected: event.connected !== false, since: now - (event.since_ms_ago || 0) };
  },
  best(room, event, now) {
    room.bests.push({ payload: event.payload || {}, heard: now - (event.age_ms || 0) });
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

/** The server remembers no more. */
const COMMANDS = 32;
const BESTS = 64;

const keyOf = (erg) => erg.gw + '/' + erg.erg;

function setClock(room, event, now) {
  if (typeof event.sent_ms === 'number') room.serverOffset = event.sent_ms - now;
}

/** The messages of a place by kind, each with the moment at which the server received it. */
function entries(messages, now) {
  const found = {};
  for (const kind of Object.keys(messages || {})) {
    const message = messages[kind];
    found[kind] = { payload: message.payload, heard: now - (message.age_ms || 0) };
  }
  return found;
}

function takeErg(room, event, now, before) {
  const messages = entries(event.messages, now);
  const erg = { key: keyOf(event), gw: event.gw, slug: event.erg, messages };
  erg.moment = lastMoment(messages.live, before && before.moment, now);
  if (!room.ergs.has(erg.key)) room.order = null;
  room.ergs.set(erg.key, erg);
  noteAlert(room, messages);
}

/** Records of alerts that are remembered, the newest: more than fire at a time. */
const ALERTS = 256;

function noteAlert(room, { alert }) {
  const { alert_id: id, state } = alert ? alert.payload : {};
  if (typeof id !== 'string') return;
  if (state === 'resolved') room.alerts.delete(id);
  else if (state === 'firing') room.alerts.set(id, alert.payload);
  if (room.alerts.size > ALERTS) room.alerts.delete(room.alerts.keys().next().value);
}

/** The gateway calls a monitor stale after so long without a status. */
const GATEWAY_PATIENCE = 5000;

/**
 * The last live message with figures of a moment in it. A stale one has none, so the one before
 * stays; where there is none, the figures are absent and at least as old as the gateway waits.
 */
function lastMoment(live, before, now) {
  if (!live) return before;
  if (!live.payload.stale) return live;
  return before || { payload: live.payload, heard: now - GATEWAY_PATIENCE };
}

/** All ergs in the order of the wall: by gateway, then by place, numbers as numbers. */
export function inOrder(room) {
  if (!room.order) {
    const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true });
    room.order = Array.from(room.ergs.values())
      .sort((a, b) => compare(a.gw, b.gw) || compare(a.slug, b.slug))
      .map((erg) => erg.key);
  }
  return room.order.map((key) => room.ergs.get(key));
}
