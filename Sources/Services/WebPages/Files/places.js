// Places in a piece that several row together. No page and no clock in here.

/** The starts of one piece are at most so far apart: seconds. */
const TOGETHER = 20;

const SINGLE = ['distance', 'time'];

/**
 * Gives the tiles of a common piece their `rank`, from 1, and the `gap` to the leader in metres, at
 * the leader's time, null once the leader has finished; of others both are 0. Finished rowers keep
 * their places, and those still rowing rank behind them. `runs` are the tiles with what is rowed:
 * `{ tile, type, goal, metres, seconds, speed, begun, isDone }`, `begun` in Unix seconds.
 */
export function rank(runs) {
  for (const run of runs) Object.assign(run.tile, { rank: 0, gap: 0 });
  const going = runs.filter((run) => run.tile.state === 'rowing' && run.metres > 0);
  const done = runs.filter((run) => run.isDone && SINGLE.indexOf(run.type) >= 0);
  const common = going.length && isCommon(going) ? going.concat(sharing(going[0], done)) : [];
  if (common.length > 1) {
    place(common);
    return;
  }
  // Nobody rows with them any more.
  const last = done.slice().sort((a, b) => b.begun - a.begun)[0];
  const finished = last ? sharing(last, done) : [];
  if (finished.length > 1) place(finished);
}

/** One length for all, a single piece, begun at one time. */
function isCommon(going) {
  const [first] = going;
  const times = going.map((run) => run.seconds);
  return going.every((run) => SINGLE.indexOf(run.type) >= 0 && isSame(run, first))
    && Math.max(...times) - Math.min(...times) <= TOGETHER;
}

const isSame = (run, other) => run.type === other.type && run.goal === other.goal;

/** Those of `done` who rowed the same piece as `run`, begun at its time. */
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

/** The shorter time of a distance, or the longer distance of a time. */
function better(a, b) {
  return a.type === 'distance' ? a.seconds - b.seconds : b.metres - a.metres;
}

/** Keys by place: who has one is ahead of all others, who stand as they did. */
export function byPlace(tiles) {
  const last = tiles.length + 1;
  return tiles.map((tile, index) => ({ tile, index }))
    .sort((a, b) => (a.tile.rank || last) - (b.tile.rank || last) || a.index - b.index)
    .map(({ tile }) => tile.key);
}
