// What the pages ask of the server: signing in, commands, what was rowed. Words for a person come
// back.

/** So long an answer may take: milliseconds. */
const PATIENCE = 10000;

/** Sends `content` to `path`: `{ status, content }`, status 0 where nobody answers. */
export function post(path, content) {
  return ask(path, {
    method: 'POST', credentials: 'same-origin', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
  });
}

/** What is at `path`, as `post` has it. */
export function get(path) {
  return ask(path, { credentials: 'same-origin' });
}

/** The records of a list, page by page, until there are `most` or no more: with the status. */
export async function getRecords(path, most) {
  let [records, cursor] = [[], ''];
  do {
    const { status, content } = await get(path + '?limit=1000' + (cursor && '&cursor=' + cursor));
    if (status !== 200) return { status, records };
    records = records.concat(content.records);
    cursor = content.next || '';
  } while (cursor && records.length < most);
  return { status: 200, records };
}

async function ask(path, options) {
  const patience = new Promise((resolve, refuse) => setTimeout(refuse, PATIENCE));
  try {
    const answer = await Promise.race([fetch(path, options), patience]);
    return { status: answer.status, content: await answer.json() };
  } catch (error) {
    return { status: 0, content: {} };
  }
}

/** A name for a request, which nobody else takes. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return 'page-' + Array.from(bytes, (byte) => ('0' + byte.toString(16)).slice(-2)).join('');
}

/** A command to `ergs`, or to gateways themselves, by a name of its own. */
export function order(verb, ergs, fields) {
  return { request_id: newId(), verb, to: ergs.map(({ gw, slug }) => ({ gw, erg: slug })), fields };
}

/**
 * Has a command sent: `{ id, error, content }`, the error empty when it was sent. One that got no
 * answer is asked again by the same id, so that it is not carried out twice.
 */
export async function give(asked, words) {
  let answer = await post('/api/v1/commands', asked);
  if (answer.status === 0) answer = await post('/api/v1/commands', asked);
  if (answer.status === 401) location.reload();
  const { status, content } = answer;
  if (status === 202) return { id: asked.request_id, error: '', status, content };
  return { id: asked.request_id, error: content.detail || words.unreachable, status };
}

export const command = (verb, ergs, fields, words) => give(order(verb, ergs, fields), words);
