// The uploads of an athlete's own session to other services.
import { answerError, get, post } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import { timeOfDay } from '../common/format.js';
import { pageAddress, shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';

/** The services, as they call themselves. */
export const SERVICES = {
  concept2: 'Concept2 Logbook', intervals_icu: 'intervals.icu', strava: 'Strava', webhook: 'Webhook'
};

/** An upload that waits for less than this is asked for again: milliseconds. */
const [SOON, RELOAD_AFTER] = [120000, 5000];

const moment = (milliseconds) => shortDayOf(milliseconds) + ', ' + timeOfDay(milliseconds);

/**
 * The state of an upload for people.
 * @type {(upload: object, texts: object) => string}
 */
export function uploadText({ connected, problem, state, changed_ms: changed, next_ms: next, reason }, texts) {
  if (state === 'uploaded') return interpolate(texts.uploadedSince, moment(changed));
  if (!connected) return texts.notConnected;
  if (problem) return texts.problem;
  if (state === 'refused') return interpolate(texts.refused, reason);
  if (state === 'sending') return texts.sending;
  if (state === 'pending') return reason ? interpolate(texts.retryAt, moment(next), reason) : texts.waiting;
  return texts.notUploaded;
}

/**
 * Whether a person can upload the session now.
 * @type {(upload: object) => boolean}
 */
export const canUpload = ({ connected, problem, state }) =>
  Boolean(connected) && !problem && state !== 'uploaded' && state !== 'sending';

/**
 * Shows the uploads of the session at `root` in `place`, and keeps them current until they are decided.
 * @type {(place: HTMLElement, root: string, strings: import('../common/strings.js').Strings) => Promise<void>}
 */
export async function drawUploads(place, root, strings) {
  const texts = strings.uploads;
  const { status, content } = await get(root + '/uploads');
  const uploads = status === 200 ? content.uploads : [];
  place.hidden = !uploads.length;
  place.textContent = '';
  if (!uploads.length) return;
  make('h2', '', place).textContent = texts.sessionTitle;
  const refusal = make('p', 'refusal', place);
  refusal.setAttribute('role', 'alert');
  const list = make('ul', 'user-list', place);
  list.setAttribute('role', 'list');
  for (const upload of uploads) {
    const row = make('div', 'user', make('li', '', list));
    const name = SERVICES[upload.destination];
    const title = make('span', 'user-name', row);
    if (upload.link) {
      const link = make('a', '', title);
      [link.href, link.textContent] = [upload.link, name];
      link.rel = 'noreferrer';
    } else {
      title.textContent = name;
    }
    const details = make('span', 'details', row);
    details.textContent = uploadText(upload, texts);
    details.dir = 'auto';
    if (!upload.connected || upload.problem) {
      const link = make('a', '', row);
      link.href = pageAddress('/uploads');
      link.textContent = texts.connect;
      link.setAttribute('aria-label', texts.connect + ': ' + name);
    } else if (canUpload(upload)) {
      const send = async () => {
        const answer = await post(root + '/uploads', { destination: upload.destination });
        if (answer.status === 200) drawUploads(place, root, strings);
        else refusal.textContent = answerError(answer, strings);
      };
      const action = upload.state ? texts.retry : texts.upload;
      button(row, action, send).setAttribute('aria-label', action + ': ' + name);
    }
  }
  const isSoon = ({ state, next_ms: next }) =>
    state === 'sending' || (state === 'pending' && next < Date.now() + SOON);
  if (uploads.some(isSoon)) {
    setTimeout(() => { if (!document.hidden) drawUploads(place, root, strings); }, RELOAD_AFTER);
  }
}
