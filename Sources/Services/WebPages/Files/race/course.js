// The boats of a race on the course: order, gaps, and the visible part. Needs no DOM or clock.

/** @typedef {{ from: number, to: number, step: number, isWindow?: boolean }} Stretch */

/**
 * The page shows a window if the field is closer than this, and keeps it up to the second limit: metres.
 */
const CLOSE = 200;
const CLOSE_STILL = 220;

/** Window lengths and the distances between their marks: metres. */
const SPANS = [[60, 10], [120, 20], [240, 50]];

/** Boats closer than this keep their order: metres. */
const LEVEL = 1;

/** Longest time difference that is extrapolated: seconds. */
const FAR = 30;

/**
 * Speed of the pace boat in metres per second; 0 for none.
 * @type {(race: object) => number}
 */
export const boatSpeed = (race) => (race.pace_s_per_500m ? 500 / race.pace_s_per_500m : 0);

/**
 * `boats` are `{ key, metres, time, speed, isOver, isOut }`. Adds `even`, the metres to compare: in a timed
 * race, those at the leader's time. `time` may be absent.
 * @type {(boats: object[], race: object) => object[]}
 */
export function even(boats, race) {
  const times = boats.filter((boat) => !boat.isOut && !boat.isOver && boat.time > 0)
    .map((boat) => boat.time);
  const time = race.duration_s && times.length ? Math.max(...times) : null;
  return boats.map((boat) => {
    const ahead = time === null || boat.isOver || !(boat.time > 0) ? 0
      : Math.min(FAR, time - boat.time);
    return Object.assign({}, boat, { even: boat.metres + ahead * (boat.speed || 0) });
  });
}

/**
 * The keys of `boats`, the leader first. `before` is the previous order: a lead below one metre does not
 * change it, so that boats side by side do not swap with each message.
 * @type {(boats: object[], before: string[]) => string[]}
 */
export function order(boats, before) {
  const known = before.filter((key) => boats.some((boat) => boat.key === key));
  const all = known.concat(boats.map((boat) => boat.key).filter((key) => known.indexOf(key) < 0));
  const sorted = all.map((key) => boats.find((boat) => boat.key === key));
  for (let end = sorted.length - 1; end > 0; end -= 1) {
    for (let index = 0; index < end; index += 1) {
      if (passes(sorted[index + 1], sorted[index])) {
        [sorted[index], sorted[index + 1]] = [sorted[index + 1], sorted[index]];
      }
    }
  }
  return sorted.map((boat) => boat.key);
}

function passes(one, other) {
  if (group(one) !== group(other)) return group(one) < group(other);
  // The server ranks finished boats and those out of the race.
  if (group(one) !== 1) return one.rank < other.rank;
  return one.even > other.even + LEVEL;
}

const group = (boat) => (boat.isOut ? 2 : boat.isOver ? 0 : 1);

/**
 * The visible part of the course: `{ from, to, step, isWindow }` in metres. `length` is the course length;
 * `before` the previous part, or null.
 * @type {(boats: object[], length: number, before: ?object) => Stretch}
 */
export function stretch(boats, length, before) {
  const field = boats.filter((boat) => !boat.isOut && !boat.isStale && !boat.isOver);
  const ahead = field.length ? Math.max(...field.map((boat) => boat.metres)) : 0;
  const spread = field.length ? ahead - Math.min(...field.map((boat) => boat.metres)) : 0;
  const limit = before && before.isWindow ? CLOSE_STILL : CLOSE;
  if (!field.length || spread >= limit || length <= SPANS[2][0]) return whole(length);
  const needed = spread * 1.2 + 16;
  let index = SPANS.findIndex(([span]) => span >= needed);
  if (index < 0) index = SPANS.length - 1;
  // The window shrinks only if much less is needed.
  const shown = before && before.isWindow
    ? SPANS.findIndex(([span]) => span === before.span) : -1;
  if (shown > index && needed > SPANS[index][0] * 0.8) index = shown;
  const [span, step] = SPANS[index];
  // Near the end, the window ends at the finish.
  const to = ahead + span * 0.3 > length ? length + span * 0.06
    : Math.max(span * 0.9, ahead + span * 0.2);
  return { from: to - span, to, step, span, isWindow: true };
}

function whole(length) {
  const step = length <= 300 ? 50 : length <= 1000 ? 100 : length <= 6000 ? 500
    : length <= 12000 ? 1000 : 5000;
  return { from: -length * 0.04, to: length * 1.015, step, span: length, isWindow: false };
}

/**
 * The marks in the visible part, up to `length`.
 * @type {(shown: Stretch, length: number) => number[]}
 */
export function marks(shown, length) {
  const found = [];
  const first = Math.max(0, Math.ceil(shown.from / shown.step) * shown.step);
  for (let metres = first; metres < Math.min(shown.to, length); metres += shown.step) {
    found.push(metres);
  }
  if (length <= shown.to) found.push(length);
  return found;
}

/**
 * Position within the visible part: 0 to 1, slightly outside if it is not visible.
 * @type {(metres: number, shown: Stretch) => number}
 */
export function share(metres, shown) {
  return Math.max(-0.2, Math.min(1.2, (metres - shown.from) / (shown.to - shown.from)));
}

/**
 * Whether a mark's label fits into the visible part, even on a small screen.
 * @type {(metres: number, shown: Stretch) => boolean}
 */
export function fitsLabel(metres, shown) {
  const part = share(metres, shown);
  return part > (metres > 0 ? 0.09 : 0.02) && part < 0.91;
}

/**
 * Course length. For a timed race, an estimate from the leader's speed, in steps that seldom change.
 * @type {(race: object, boats: object[], before: number) => number}
 */
export function courseLength(race, boats, before) {
  if (race.distance_m) return race.distance_m;
  const expected = boats.filter((boat) => boat.time > 20)
    .map((boat) => boat.metres / boat.time * race.duration_s);
  const reached = boats.map((boat) => boat.metres);
  const needed = Math.max(...expected, ...reached, race.duration_s * 4);
  if (before && before >= needed && before < needed * 1.1) return before;
  const step = needed < 1000 ? 50 : needed < 4000 ? 250 : 500;
  return Math.ceil(needed * 1.02 / step) * step;
}
