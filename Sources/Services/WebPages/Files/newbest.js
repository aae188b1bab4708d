// The announcement of results that were better than all before them. No page and no clock in here:
// `now` is given.
import { eventName, resultOf } from './event.js';
import { fill } from './words.js';

/** How long the tile's edge is gold, and how long the result is announced: milliseconds. */
const GOLD = 6000;
const ANNOUNCED = 60000;

/** Of more pieces than these only the number is announced. */
const NAMED = 2;

/** What counts for more: ranked, then of all time, then long. */
function worth({ result, scope, time_s }) {
  return (result === 'ranked' ? 2e9 : 0) + (scope === 'all_time' ? 1e9 : 0) + (time_s || 0);
}

/** Whether there was an earlier result to beat: the first of its kind is no best. */
const isBetter = ({ payload }) => payload.before_time_s > 0;

/** The best of each piece that is worth most, the newest piece first. */
function leading(room, now) {
  const found = new Map();
  for (const best of room.bests.filter(isBetter)) {
    if (now - best.heard >= ANNOUNCED) continue;
    const { gw, session_id } = best.payload;
    const before = found.get(gw + '/' + session_id);
    if (!before || worth(best.payload) > worth(before.payload)) {
      found.set(gw + '/' + session_id, best);
    }
  }
  return Array.from(found.values()).sort((a, b) => b.heard - a.heard);
}

/** Whether the tile of an erg has a gold edge: it shows or has just shown the session. */
export function isGold(room, erg, session, now) {
  return room.bests.filter(isBetter).some(({ payload, heard }) => payload.gw === erg.gw
    && payload.erg === erg.slug && payload.session_id === session && now - heard < GOLD);
}

/** `Amara Okafor · 2000 m · 7:21.3 · best ever`; empty when there is nothing to announce. */
export function bestText(room, tiles, { words, now }) {
  const all = leading(room, now);
  const named = all.slice(0, NAMED).map(({ payload }) => {
    const tile = tiles.find(({ key }) => key === payload.gw + '/' + payload.erg);
    const kind = words.newBests[payload.result + '_' + payload.scope] || words.newBests.ranked_all_time;
    return [tile ? tile.name : payload.erg, eventName(payload.event), resultOf(payload, payload, words),
      kind].join(' \u00b7 ');
  });
  const more = all.length - named.length;
  return named.concat(more > 0 ? fill(words.moreBests, more) : []).join(' \u2003 ');
}
