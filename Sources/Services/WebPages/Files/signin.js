// The sign-in: a token is typed, or stands behind the # of a link, which no server sees.
import { post } from './asking.js';
import { address, dress, find, wanted, words } from './page.js';
import { ownPage } from './top.js';

dress(words.signIn);
find('title').textContent = words.signIn;
find('label').textContent = words.token;
find('enter').textContent = words.signIn;
find('why').textContent = words.signInWhy;
find('wall').textContent = words.wall;
find('wall').href = address('/wall');

/** Where somebody goes who is let in. */
function begin({ role, athlete_id }) {
  const wish = wanted();
  if (role === 'coach') return wish || '/coach';
  if (role !== 'athlete') return '/wall';
  return wish === '/coach' || wish === '/gateways' ? ownPage(athlete_id) : wish || ownPage(athlete_id);
}

const refusal = find('refusal');
const token = find('token');

async function enter(text) {
  find('enter').disabled = true;
  refusal.textContent = '';
  const answer = await post('/api/v1/sign-in', { token: text });
  find('enter').disabled = false;
  if (answer.status === 200) {
    location.replace(address(begin(answer.content)));
    return;
  }
  refusal.textContent = answer.content.detail || words.unreachable;
  token.focus();
  token.select();
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
  // Who comes by a link from elsewhere is let in, but shows it only from here on (SameSite).
  fetch('/api/v1/session', { credentials: 'same-origin' }).then((answer) => answer.json())
    .then((guest) => {
      if (guest.role !== 'wall') location.replace(address(begin(guest)));
    }).catch(() => {});
}
