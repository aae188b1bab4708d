// Sentences about the effect of a merge of two athletes.
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/**
 * @typedef {{ athlete_id: string, kept_athlete_id: string, current_athlete_id?: string, name?: string,
 *   sessions?: number, changed_fields?: string[], devices?: number, undo_until_ms?: number }} Merge
 */

/**
 * The sentences of a preview. `other` and `kept` are the names of the athletes.
 * @type {(merge: Merge, other: string, kept: string, strings: Strings) => string[]}
 */
export function previewSentences(merge, other, kept, strings) {
  const [none, one, many] = strings.mergeSessions;
  const count = merge.sessions || 0;
  const sentences = [count > 1 ? interpolate(many, count, other, kept) : interpolate(count ? one : none, other, kept)];
  const fields = (merge.changed_fields || []).map((field) => strings.profile[field]).filter(Boolean);
  if (fields.length) sentences.push(interpolate(strings.mergeProfile, kept, fields.join(', ')));
  if (merge.devices) {
    const [device, devices] = strings.mergeDevices;
    sentences.push(merge.devices > 1 ? interpolate(devices, merge.devices, other, kept)
      : interpolate(device, other, kept));
  }
  return sentences.concat(strings.mergeRest);
}

/**
 * The merges that can be undone.
 * @type {(merges: Merge[]) => Merge[]}
 */
export const undoableMerges = (merges) => (merges || []).filter((merge) => merge.undo_until_ms > 0);
