// What was rowed better than ever before, a moment ago. No page and no clock in here: `now` is given.
import { eventName, resultOf } from './event.js';
import { fill } from './words.js';

/** How long the tile's edge is gold, and how long the top line says it: milliseconds. */
const GOLD = 6000;
const SAID = 60000;

/** Of more pieces than these the top line says how many there are. */
const NAMED = 2;

/** What counts for more: ranked, then of all time, then long. */
function worth({ result, scope, time_s }) {
  return (result === 'ranked' ? 2e9 : 0) + (scope === 'all_time' ? 1e9 : 0) + (time_s || 0);
}

/** The best of each piece that is worth most, the newest piece first. */
function leading(room, now) {
  const found = new Map();
  for (const best of room.bests) {
    if (now - best.heard >= SAID) continue;
    const { gw, session_id } = best.payload;
    const before = found.get(gw + '/' + session_id);
    if (!before || worth(best.payload) > worth(before.payload)) {
      found.set(gw + '/' + session_id, best);
    }
  }
  return Array.from(found.values()).sort((a, b) => b.heard - a.heard);
}

/** Whether the tile of an erg is to shine, which shows or has just shown the session. */
export function isGold(room, erg, session, now) {
  return room.bests.some(({ payload, heard }) => payload.gw === erg.gw && payload.erg === erg.slug
    && payload.session_id === session && now - heard < GOLD);
}

/** What the top line says; empty when there is nothing. */
export function saidOf(room, tiles, { words, now }) {
  const all = leading(room, now);
  const said = all.slice(0, NAMED).map(({ payload }) => {
    const tile = tiles.find(({ key }) => key === payload.gw + '/' + payload.erg);
    const kind = words.newBests[payload.result + '_' + payload.scope] || words.newBests.ranked_all_time;
    return [tile ? tile.name : payload.erg, eventName(payload.event), resultOf(payload, payload, words),
      kind].join(' \u00b7 ');
  });
  const more = all.length - said.length;
  return said.concat(more > 0 ? fill(words.moreBests, more) : []).join(' \u2003 ');
}
