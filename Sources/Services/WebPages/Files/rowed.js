// What is kept of one session, as it is asked for.
import { get, getRecords } from './asking.js';

/** So many strokes and curves are asked for: more than a marathon has. */
const MOST = 12000;

export const rootOf = (gw, id) =>
  '/api/v1/sessions/' + encodeURIComponent(gw) + '/' + encodeURIComponent(id);

/** All records of a kind, with the status of the answer. */
export const recordsOf = (root, kind) => getRecords(root + '/' + kind, MOST);

/** `{ status, content, detail }`: the detail has all splits and gaps; null where it is refused. */
export async function askSession(root) {
  const answer = await get(root);
  if (answer.status !== 200) return Object.assign(answer, { detail: null });
  const { session, summary, manifest, splits, gaps } = answer.content;
  const detail = {
    session, summary: summary || {}, manifest, splits: splits.records, gaps: gaps.records };
  for (const name of ['splits', 'gaps']) {
    if (answer.content[name].next) detail[name] = (await recordsOf(root, name)).records;
  }
  return Object.assign(answer, { detail });
}
