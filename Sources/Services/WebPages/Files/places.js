// Who is where in a piece that all row together. No page and no clock in here.

/** Those who began together: seconds of work between the first and the last. */
const TOGETHER = 20;

const SINGLE = ['distance', 'time'];

/**
 * Gives the tiles of a common piece their `rank`, from 1, and the `gap` to the leader in metres, at
 * the leader's time; of others both are 0. `runs` are the tiles with what `erg` rows: `{ tile, type,
 * goal, metres, seconds, speed }`.
 */
export function rank(runs) {
  for (const run of runs) Object.assign(run.tile, { rank: 0, gap: 0 });
  const going = runs.filter((run) => run.tile.state === 'rowing' && run.metres > 0);
  if (going.length < 2 || !isCommon(going)) return;
  const now = Math.max(...going.map((run) => run.seconds));
  const far = (run) => run.metres + (run.speed || 0) * (now - run.seconds);
  const order = going.slice().sort((a, b) => far(b) - far(a));
  order.forEach((run, index) => {
    run.tile.rank = index + 1;
    run.tile.gap = Math.max(0, far(order[0]) - far(run));
  });
}

/** One length for all, a single piece, begun at one time. */
function isCommon(going) {
  const [first] = going;
  const times = going.map((run) => run.seconds);
  return going.every((run) => SINGLE.indexOf(run.type) >= 0 && run.type === first.type
    && run.goal === first.goal) && Math.max(...times) - Math.min(...times) <= TOGETHER;
}

/** Keys by place: who has one is ahead of all others, who stand as they did. */
export function byPlace(tiles) {
  const last = tiles.length + 1;
  return tiles.map((tile, index) => ({ tile, index }))
    .sort((a, b) => (a.tile.rank || last) - (b.tile.rank || last) || a.index - b.index)
    .map(({ tile }) => tile.key);
}
