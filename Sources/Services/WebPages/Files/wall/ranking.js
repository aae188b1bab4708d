// Ranks the ergs that row the same piece. Needs no DOM or clock.

/** @typedef {{ metres: number, at: number }} Track An estimated distance, and when it was shown. */
/** @typedef {import('../common/room.js').Message} Message */
/** @typedef {import('./tile.js').Tile} Tile */

/** Starts of a common piece are at most this far apart: seconds. */
const TOGETHER = 20;

const SINGLE = ['distance', 'time'];

/**
 * Sets `rank`, from 1, and `gap` of the tiles in a common piece. `gap` is in metres to the leader at the
 * leader's time, null once the leader has finished. Both are 0 for other tiles. Finished rowers keep their
 * ranks; those still rowing follow. `runs` are `{ tile, type, goal, metres, seconds, speed, begun, isDone
 * }`, with `begun` in Unix seconds.
 * @type {(runs: object[]) => void}
 */
export function rankTiles(runs) {
  for (const run of runs) Object.assign(run.tile, { rank: 0, gap: 0 });
  const going = runs.filter((run) => run.tile.state === 'rowing' && run.metres > 0);
  const done = runs.filter((run) => run.isDone && SINGLE.indexOf(run.type) >= 0);
  const common = going.length && isCommon(going) ? going.concat(sharing(going[0], done)) : [];
  if (common.length > 1) {
    place(common);
    return;
  }
  // If no erg is rowing any more, rank the last common piece.
  const last = done.slice().sort((a, b) => b.begun - a.begun)[0];
  const finished = last ? sharing(last, done) : [];
  if (finished.length > 1) place(finished);
}

/** Whether all row a single piece of the same length, started together. */
function isCommon(going) {
  const [first] = going;
  const times = going.map((run) => run.seconds);
  return going.every((run) => SINGLE.indexOf(run.type) >= 0 && isSame(run, first))
    && Math.max(...times) - Math.min(...times) <= TOGETHER;
}

const isSame = (run, other) => run.type === other.type && run.goal === other.goal;

/** The entries of `done` with the same piece and start as `run`. */
function sharing(run, done) {
  return done.filter((one) => isSame(one, run) && Math.abs(one.begun - run.begun) <= TOGETHER);
}

function place(group) {
  const now = Math.max(...group.map((run) => run.seconds));
  const far = (run) => run.metres + (run.speed || 0) * (now - run.seconds);
  const order = group.slice().sort((a, b) => Number(Boolean(b.isDone)) - Number(Boolean(a.isDone))
    || (a.isDone ? better(a, b) : far(b) - far(a)));
  const isOver = Boolean(order[0].isDone);
  order.forEach((run, index) => {
    run.tile.rank = index + 1;
    run.tile.gap = isOver ? null : Math.max(0, far(order[0]) - far(run));
  });
}

/** The shorter time for a distance, or the longer distance for a time. */
function better(a, b) {
  return a.type === 'distance' ? a.seconds - b.seconds : b.metres - a.metres;
}

/**
 * Keys in the order of ranks; tiles without a rank follow in their order.
 * @type {(tiles: Tile[]) => string[]}
 */
export function byPlace(tiles) {
  const last = tiles.length + 1;
  return tiles.map((tile, index) => ({ tile, index }))
    .sort((a, b) => (a.tile.rank || last) - (b.tile.rank || last) || a.index - b.index)
    .map(({ tile }) => tile.key);
}

// ---- Estimates the distance between two messages: it continues at the last speed, corrects a deviation within
// a second, and stops without messages.

/** Distance and time continue for this long without a message: milliseconds. */
const RUN_ON = 3000;

/** Time constant of the correction: after this long, 1/e of the error is left. */
const EASING = 250;

/** A larger deviation means another piece, so the estimate jumps: metres. */
const JUMP = 30;

/**
 * The distance to show now. `track` is the last estimate, null at first; `moment` the last live message.
 * Without `moves`, it is the message's own distance.
 * @type {(track: ?Track, moment: Message, now: number, moves: boolean) => Track}
 */
export function estimateDistance(track, moment, now, moves) {
  const live = moment.payload;
  const runs = moves && live.state === 'rowing' && live.speed_m_per_s > 0;
  const speed = runs ? live.speed_m_per_s / 1000 : 0;
  const measured = live.distance_m + speed * Math.min(now - moment.receivedAt, RUN_ON);
  if (!runs || !track || Math.abs(measured - track.metres) > JUMP) {
    return { metres: measured, at: now };
  }
  if (now - moment.receivedAt > RUN_ON) return { metres: track.metres, at: now };
  const passed = Math.max(0, now - track.at);
  const expected = track.metres + speed * passed;
  const eased = expected + (measured - expected) * (1 - Math.exp(-passed / EASING));
  // The distance never decreases: a boat that is too far ahead waits.
  return { metres: Math.max(track.metres, eased), at: now };
}

/**
 * The work time to show now. It continues while the erg is rowing and messages arrive.
 * @type {(moment: Message, now: number, moves: boolean) => number}
 */
export function estimateWorkTime(moment, now, moves) {
  const live = moment.payload;
  if (!moves || live.state !== 'rowing' || live.stale) return live.elapsed_s;
  return live.elapsed_s + Math.min(Math.max(0, now - moment.receivedAt), RUN_ON) / 1000;
}
