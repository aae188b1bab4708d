// The sign-in: a token is typed, or stands behind the # of a link, which no server sees.
import { get, post } from './asking.js';
import { address, dress, find, wanted, words } from './page.js';
import { ownPage } from './top.js';

dress(words.signIn);
find('title').textContent = words.signIn;
find('label').textContent = words.token;
find('enter').textContent = words.signIn;
find('why').textContent = words.signInWhy;
find('wall').textContent = words.wall;
find('wall').href = address('/wall');

/** Whether a page shows something to a role. */
function mayOpen(role, place) {
  if (role === 'coach') return true;
  return role === 'athlete' ? !/^.(coach|gateways)/.test(place) : /^.(wall|race)/.test(place);
}

/** The page for somebody who is signed in: the one they wanted, if it takes their role. */
function destination({ role, athlete_id }) {
  const wish = wanted();
  if (wish && mayOpen(role, wish)) return wish;
  if (role === 'coach') return '/coach';
  return role === 'athlete' ? ownPage(athlete_id) : '/wall';
}

const refusal = find('refusal');
const token = find('token');

/** The reason stands beside the field; empty takes it away. */
function refuse(text) {
  refusal.textContent = text;
  token.setAttribute('aria-invalid', String(text !== ''));
}

const note = (text) => { find('note').textContent = text; };

async function enter(text) {
  find('enter').disabled = true;
  refuse('');
  const answer = await post('/api/v1/sign-in', { token: text });
  find('enter').disabled = false;
  if (answer.status === 200) {
    location.replace(address(destination(answer.content)));
    return;
  }
  const { code, detail } = answer.content;
  refuse(code === 'wrong_token' ? words.wrongToken : detail || words.unreachable);
  token.focus();
  token.select();
}

/**
 * Leads on who is signed in already: who comes by a link from elsewhere shows it only from here on
 * (SameSite). Everybody else stays, and is told why.
 */
async function leadOn() {
  const { status, content } = await get('/api/v1/session');
  if (content.code === 'wrong_token') note(words.wrongToken);
  // Without a name it is a guest, who came to sign in.
  if (status !== 200 || !content.name) return;
  const wish = wanted();
  if (wish && !mayOpen(content.role, wish)) note(words.told.notAllowed[0]);
  else location.replace(address(destination(content)));
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  enter(token.value);
});

const given = decodeURIComponent(location.hash.slice(1));
if (given) {
  // It is not left where somebody else looks: in the address and in the history.
  history.replaceState(null, '', location.pathname + location.search);
  enter(given);
} else {
  token.focus();
  leadOn();
}
