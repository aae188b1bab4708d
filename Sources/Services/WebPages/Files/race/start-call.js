// The call before the start of a race: "sit ready", then "attention" with the seconds, then "row".

/** Seconds before the start: "sit ready" above, "attention" from here on. */
const ATTENTION = 5;

/** How long "row" is shown after the start signal: seconds. */
const ROW_SHOWN = 2.5;

/**
 * The call at a time in seconds before the start signal, negative after it; empty if nothing is called any more.
 * @type {(seconds: number) => '' | 'ready' | 'attention' | 'row'}
 */
export function startCall(seconds) {
  if (seconds > 0) return seconds <= ATTENTION ? 'attention' : 'ready';
  return seconds > -ROW_SHOWN ? 'row' : '';
}
