// Estimates the distance between two messages: it continues at the last speed, corrects a deviation within
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

/** The work time to show now. It continues while the erg is rowing and messages arrive. */
export function estimateWorkTime(moment, now, moves) {
  const live = moment.payload;
  if (!moves || live.state !== 'rowing' || live.stale) return live.elapsed_s;
  return live.elapsed_s + Math.min(Math.max(0, now - moment.receivedAt), RUN_ON) / 1000;
}
