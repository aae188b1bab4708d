// Requests for one session and its records.
import { get, getRecords } from './api-client.js';

/** Most strokes and curves that are loaded: more than a marathon has. */
const MOST = 12000;

export const sessionPath = (gw, id) =>
  '/api/v1/sessions/' + encodeURIComponent(gw) + '/' + encodeURIComponent(id);

/** All records of a kind, with the status of the answer. */
export const getSessionRecords = (root, kind) => getRecords(root + '/' + kind, MOST);

/** `{ status, content, detail }`; `detail` has all splits and gaps, and is null on failure. */
export async function getSession(root) {
  const answer = await get(root);
  if (answer.status !== 200) return Object.assign(answer, { detail: null });
  const { session, summary, manifest, splits, gaps } = answer.content;
  const detail = {
    session, summary: summary || {}, manifest, splits: splits.records, gaps: gaps.records };
  for (const name of ['splits', 'gaps']) {
    if (answer.content[name].next) detail[name] = (await getSessionRecords(root, name)).records;
  }
  return Object.assign(answer, { detail });
}
