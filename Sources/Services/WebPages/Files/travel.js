// How far a rower has come between two messages: at the speed of the last one, put right within a
// second when the next one differs, and stopped when there is none.

/** Without a message distance and time run on for so long: milliseconds. */
const RUN_ON = 3000;

/** The part of an error that is left after this long is 1/e: a second leaves 2 %. */
const EASING = 250;

/** An error this large is another piece, not a rower: metres. */
const JUMP = 30;

/**
 * The distance to show now. `track` is what was shown before, null at first; `moment` the last live
 * message; without `moves` the distance is the message's own.
 */
export function travel(track, moment, now, moves) {
  const live = moment.payload;
  const runs = moves && live.state === 'rowing' && live.speed_m_per_s > 0;
  const speed = runs ? live.speed_m_per_s / 1000 : 0;
  const measured = live.distance_m + speed * Math.min(now - moment.heard, RUN_ON);
  if (!runs || !track || Math.abs(measured - track.metres) > JUMP) {
    return { metres: measured, at: now };
  }
  if (now - moment.heard > RUN_ON) return { metres: track.metres, at: now };
  const passed = Math.max(0, now - track.at);
  const expected = track.metres + speed * passed;
  const eased = expected + (measured - expected) * (1 - Math.exp(-passed / EASING));
  // Nobody rows backwards: one who is shown too far waits there.
  return { metres: Math.max(track.metres, eased), at: now };
}

/** The work time to show now: it runs on while somebody rows and is heard. */
export function workTime(moment, now, moves) {
  const live = moment.payload;
  if (!moves || live.state !== 'rowing' || live.stale) return live.elapsed_s;
  return live.elapsed_s + Math.min(Math.max(0, now - moment.heard), RUN_ON) / 1000;
}
