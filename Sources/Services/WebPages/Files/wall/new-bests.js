// Announces new bests on the wall: the gold edge of a tile and the line below the header. Needs no DOM.
import * as format from '../common/format.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/room.js').Erg} Erg */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('./tile.js').Tile} Tile */
/** @typedef {import('./tile.js').View} View */

/** How long the tile has a gold edge, and how long the result is announced: milliseconds, as in Notices.md and Wall.md. */
const GOLD_EDGE = 6000;
const ANNOUNCED = 60000;

/** Most results that are announced by name; of more, only the number. */
const NAMED = 2;

/** Priority: ranked before effort, all time before season, then the longest. */
function worth({ result, scope, time_s }) {
  return (result === 'ranked' ? 2e9 : 0) + (scope === 'all_time' ? 1e9 : 0) + (time_s || 0);
}

/** Whether there was an earlier result to beat; the first of its kind is not announced. */
const isBetter = ({ payload }) => payload.before_time_s > 0;

/** The most important best of each piece, the newest piece first. */
function leading(room, now) {
  const found = new Map();
  for (const best of room.bests.filter(isBetter)) {
    if (now - best.receivedAt >= ANNOUNCED) continue;
    const { gw, session_id } = best.payload;
    const before = found.get(gw + '/' + session_id);
    if (!before || worth(best.payload) > worth(before.payload)) {
      found.set(gw + '/' + session_id, best);
    }
  }
  return Array.from(found.values()).sort((a, b) => b.receivedAt - a.receivedAt);
}

/**
 * Whether an erg's tile has a gold edge for this session.
 * @type {(room: Room, erg: Erg, session: string, now: number) => boolean}
 */
export function hasGoldEdge(room, erg, session, now) {
  return room.bests.filter(isBetter).some(({ payload, receivedAt }) => payload.gw === erg.gw
    && payload.erg === erg.slug && payload.session_id === session && now - receivedAt < GOLD_EDGE);
}

/**
 * `Amara Okafor · 2000 m · 7:21.3 · best ever`; empty for none.
 * @type {(room: Room, tiles: Tile[], view: View) => string}
 */
export function bannerText(room, tiles, { strings, now }) {
  const all = leading(room, now);
  const named = all.slice(0, NAMED).map(({ payload }) => {
    const tile = tiles.find(({ key }) => key === payload.gw + '/' + payload.erg);
    const kind = strings.newBests[payload.result + '_' + payload.scope] || strings.newBests.ranked_all_time;
    return [tile ? tile.name : payload.erg, format.eventName(payload.event),
      format.resultOf(payload, payload, strings), kind].join(' \u00b7 ');
  });
  const more = all.length - named.length;
  return named.concat(more > 0 ? interpolate(strings.moreBests, more) : []).join(' \u2003 ');
}
