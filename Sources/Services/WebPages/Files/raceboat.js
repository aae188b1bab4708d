// Where the boats of a race are: order, gaps, and the part of the course that the water shows. No
// page and no clock in here.

/** The water shows a window while the field is closer than this: metres. Wider it stays for a while. */
const CLOSE = 200;
const CLOSE_STILL = 220;

/** Lengths of a window, and how far apart its marks are: metres. */
const SPANS = [[60, 10], [120, 20], [240, 50]];

/** Two that are no further apart keep their order: metres. */
const LEVEL = 1;

/** Further from the leader's time nobody is reckoned on or back: seconds. */
const FAR = 30;

/** The metres of each second of the pace boat; 0 where there is none. */
export const boatSpeed = (race) => (race.pace_s_per_500m ? 500 / race.pace_s_per_500m : 0);

/**
 * `boats` are `{ key, metres, time, speed, isOver, isOut }`; adds to each its `even` metres, which
 * are compared: those at the leader's time in a timed race. `time` may be absent.
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
 * The keys of `boats`, the first one ahead. `before` is the order until now: nobody is overtaken by
 * less than a metre, so that two who row side by side do not swap with each message.
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
  // The server has put those in order that have their result, and those that have none to come.
  if (group(one) !== 1) return one.rank < other.rank;
  return one.even > other.even + LEVEL;
}

const group = (boat) => (boat.isOut ? 2 : boat.isOver ? 0 : 1);

/**
 * The part of the course that the water shows: `{ from, to, step, isWindow }` in metres. `length` is
 * that of the course; `before` what was shown until now, or null.
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
  // It becomes shorter only when it is a good deal shorter that is needed.
  const shown = before && before.isWindow
    ? SPANS.findIndex(([span]) => span === before.span) : -1;
  if (shown > index && needed > SPANS[index][0] * 0.8) index = shown;
  const [span, step] = SPANS[index];
  // Near the end the finish is in it, and nothing beyond.
  const to = ahead + span * 0.3 > length ? length + span * 0.06
    : Math.max(span * 0.9, ahead + span * 0.2);
  return { from: to - span, to, step, span, isWindow: true };
}

function whole(length) {
  const step = length <= 300 ? 50 : length <= 1000 ? 100 : length <= 6000 ? 500
    : length <= 12000 ? 1000 : 5000;
  return { from: -length * 0.04, to: length * 1.015, step, span: length, isWindow: false };
}

/** The metres that have a mark in a part of the course, at most its `length`. */
export function marks(shown, length) {
  const found = [];
  const first = Math.max(0, Math.ceil(shown.from / shown.step) * shown.step);
  for (let metres = first; metres < Math.min(shown.to, length); metres += shown.step) {
    found.push(metres);
  }
  if (length <= shown.to) found.push(length);
  return found;
}

/** How much of the water lies behind something: 0 to 1, a little beyond for what is not in it. */
export function share(metres, shown) {
  return Math.max(-0.2, Math.min(1.2, (metres - shown.from) / (shown.to - shown.from)));
}

/** Whether the label of a mark lies whole between the edges of the water, even on a small screen. */
export function fitsLabel(metres, shown) {
  const part = share(metres, shown);
  return part > (metres > 0 ? 0.09 : 0.02) && part < 0.91;
}

/**
 * How long the course is: a timed one as far as who leads will come, in steps that seldom change.
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
