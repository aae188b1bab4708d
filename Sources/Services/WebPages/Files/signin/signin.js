// The sign-in page. The token is typed, or comes behind the # of a link, which no server sees.
import { get, post, requestError } from '../common/api-client.js';
import { firstPage } from '../common/page-frame.js';
import { byId, initPage, pageAddress, requestedPage, strings } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';

initPage(strings.signIn);
byId('title').textContent = strings.signIn;
byId('label').textContent = strings.token;
byId('enter').textContent = strings.signIn;
byId('why').textContent = strings.tokenHint;
byId('wall').textContent = strings.wall;
byId('wall').href = pageAddress('/wall');

/** Whether a role may open a page. */
function mayOpen(role, place) {
  if (isAtLeast(role, 'coach')) return true;
  if (role === 'athlete') return !/^.(coach|gateways|cards|check-in)/.test(place);
  return /^.(wall|race|erg)/.test(place) || (role === 'room' && /^.check-in/.test(place));
}

/** The page after the sign-in: the requested one if the role may open it. */
function destination(user) {
  const requested = requestedPage();
  return requested && mayOpen(user.role, requested) ? requested : firstPage(user);
}

const refusal = byId('refusal');
const token = byId('token');

/** Shows the error next to the field; empty clears it. */
function refuse(text) {
  refusal.textContent = text;
  token.setAttribute('aria-invalid', String(text !== ''));
}

const note = (text) => { byId('note').textContent = text; };

async function enter(text) {
  byId('enter').disabled = true;
  refuse('');
  const answer = await post('/api/v1/sign-in', { token: text });
  byId('enter').disabled = false;
  if (answer.status === 200) {
    location.replace(pageAddress(destination(answer.content)));
    return;
  }
  const { content } = answer;
  refuse(content.code === 'wrong_token' ? strings.wrongToken : requestError(content, strings));
  token.focus();
  token.select();
}

/**
 * Redirects users who are already signed in. The cookie is not sent when the page is opened by a link from
 * elsewhere (SameSite), so this is checked here. Others stay, with an explanation if needed.
 */
async function redirectSignedIn() {
  const { status, content } = await get('/api/v1/me');
  if (content.code === 'wrong_token') note(strings.wrongToken);
  // A guest without a name came to sign in.
  if (status !== 200 || !content.name) return;
  const requested = requestedPage();
  if (requested && !mayOpen(content.role, requested)) note(strings.pageStatus.notAllowed[0]);
  else location.replace(pageAddress(destination(content)));
}

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  enter(token.value);
});

const given = decodeURIComponent(location.hash.slice(1));
if (given) {
  // The token must not stay in the address or the history.
  history.replaceState(null, '', location.pathname + location.search);
  enter(given);
} else {
  token.focus();
  redirectSignedIn();
}
