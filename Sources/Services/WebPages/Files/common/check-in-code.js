// The code of open check-ins, on walls and room devices that are signed in.
import { get } from './api-client.js';

/** Pauses until the next request: milliseconds. Without a code, the club may still allow check-ins later. */
const [WITHOUT_CODE, AFTER_FAILURE, AFTER_CHANGE] = [300000, 15000, 300];

/**
 * When to request the code again, after an answer: milliseconds.
 * @type {(answer: import('./api-client.js').Answer) => number}
 */
export function nextRequestIn({ status, content }) {
  if (status !== 200) return AFTER_FAILURE;
  return content.code ? content.changes_in_ms + AFTER_CHANGE : WITHOUT_CODE;
}

/**
 * Calls `show` with the code, and after each change; with an empty text while there is none.
 * @type {(show: (code: string) => void) => Promise<void>}
 */
export async function followCode(show) {
  const answer = await get('/api/v1/check-in/code');
  show(answer.status === 200 && answer.content.code ? answer.content.code : '');
  setTimeout(() => followCode(show), nextRequestIn(answer));
}
