// The services to which an athlete's sessions are uploaded: connect and disconnect accounts. A service that asks the
// athlete for permission sends the browser back to this page.
import { answerError, get, post, remove } from '../common/api-client.js';
import { add, addForm, button, field, openDialog } from '../common/dialog.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, queryParam, shortDayOf, strings } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import { SERVICES } from '../session/uploads.js';

const texts = strings.uploads;
const ROOT = '/api/v1/me/uploads';

initPage(texts.title);
const me = makeHeader('/uploads');
byId('title').textContent = texts.title;
const pageStatus = new PageStatus(load);

async function load() {
  const { role } = await me;
  if (!role) {
    pageStatus.show('refused');
    return;
  }
  const answer = await get(ROOT);
  const isAthlete = answer.content.code !== 'not_an_athlete';
  pageStatus.show(answer.status === 200 || !isAthlete ? '' : statusOf(answer));
  if (!isAthlete) byId('refusal').textContent = answerError(answer, strings);
  if (answer.status === 200) draw(answer.content.destinations);
}

/** Sends a change, and shows the new state or the error. */
async function change(request) {
  const answer = await request;
  byId('refusal').textContent = answerError(answer, strings);
  if (answer.status === 200) load();
  return answer;
}

function draw(destinations) {
  const place = byId('destinations');
  place.textContent = '';
  place.hidden = false;
  make('p', 'hint', place).textContent = destinations.length ? texts.hint : texts.none;
  const list = make('ul', 'user-list', place);
  list.setAttribute('role', 'list');
  for (const one of destinations) drawDestination(make('div', 'user', make('li', '', list)), one);
}

function drawDestination(row, { destination, access, account }) {
  const name = SERVICES[destination];
  make('span', 'user-name', row).textContent = name;
  const details = make('span', 'details', row);
  details.dir = 'auto';
  if (account) {
    details.textContent = account.problem ? texts.problem
      : interpolate(texts.connectedSince, account.label, shortDayOf(account.since_ms));
    if (account.problem) details.title = account.problem;
  }
  const named = (text, action, look) =>
    button(row, text, action, look).setAttribute('aria-label', text + ': ' + name);
  if (!account || account.problem) {
    named(texts.connect, () => connect(destination, access, name), 'main');
  }
  if (account) named(texts.disconnect, () => openDisconnect(destination, name), 'quiet');
}

/** @type {Object<string, [field: string, label: string, hint: string]>} */
const ENTRIES = {
  key: ['key', texts.key, texts.keyHint],
  address: ['address', texts.address, texts.addressHint]
};

async function connect(destination, access, name) {
  const path = ROOT + '/' + destination;
  if (access === 'authorization') {
    const { status, content } = await change(post(path, {}));
    if (status === 200) location.assign(content.address);
    return;
  }
  const [member, label, hint] = ENTRIES[access];
  openDialog(texts.connect + ': ' + name, (body, close) => {
    let secret = '';
    const leave = () => {
      close();
      if (secret) openSecret(secret);
    };
    const place = addForm(body, strings, texts.connect, leave, async () => {
      const answer = await post(path, { [member]: input.value.trim() });
      if (answer.status === 200) {
        secret = answer.content.secret || '';
        load();
      }
      return answerError(answer, strings);
    });
    const input = field(place, label, { maxlength: 2000, required: '' });
    add('p', 'hint', place, hint);
  });
}

/** Shows the key of a webhook's signatures, which is not shown again. */
function openSecret(secret) {
  openDialog(texts.secret, (body, close) => {
    const input = field(body, texts.secret, { readonly: '' });
    input.value = secret;
    add('p', 'hint', body, texts.secretHint);
    button(add('div', 'buttons', body), strings.done, close, 'main');
  });
}

function openDisconnect(destination, name) {
  openDialog(texts.disconnect + ': ' + name, (body, close) => {
    const place = addForm(body, strings, texts.disconnect, close, async () => {
      const answer = await remove(ROOT + '/' + destination);
      if (answer.status === 200) load();
      return answerError(answer, strings);
    }, 'main danger');
    add('p', 'hint', place, texts.disconnectHint);
  });
}

/** Completes a permission with which a service sent the browser back, and removes it from the address. */
async function begin() {
  const [state, code] = [queryParam('state'), queryParam('code')];
  const isReturn = Boolean(state || queryParam('error'));
  if (isReturn) history.replaceState(null, '', pageAddress('/uploads'));
  await me;
  if (code) await change(post(ROOT, { state, code }));
  else if (isReturn) byId('refusal').textContent = texts.denied;
  if (!code || byId('refusal').textContent) load();
}

begin();
