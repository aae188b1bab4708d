// An invitation, opened by its link. The code is behind the #, which no server sees; only the button uses it.
import { post, requestError } from '../common/api-client.js';
import { firstPage } from '../common/page-frame.js';
import { byId, initPage, pageAddress, strings } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate } from '../common/strings.js';

initPage(strings.invitation);
byId('title').textContent = strings.invitation;
byId('label').textContent = strings.yourName;
byId('enter').textContent = strings.signInHere;
byId('wall').textContent = strings.wall;
byId('wall').href = pageAddress('/wall');

const code = decodeURIComponent(location.hash.slice(1));
/** The name in the invitation. */
let invited = '';

/** Shows why the invitation cannot be used, and lets the user try again if that may help. */
function refuse({ status, content }) {
  const isOver = content.code === 'unknown_invitation';
  byId('text').textContent = isOver ? strings.invitationOver : '';
  byId('refusal').textContent = isOver ? '' : requestError(content, strings);
  byId('enter').hidden = isOver || status === 404;
}

async function show() {
  if (!code) {
    byId('text').textContent = strings.invitationCut;
    return;
  }
  const answer = await post('/api/v1/invitation/check', { code });
  if (answer.status !== 200) {
    refuse(answer);
    return;
  }
  const { name, role } = answer.content;
  invited = name;
  byId('text').textContent = interpolate(strings.invitedAs[role], name);
  byId('name').value = name;
  byId('asked').hidden = !isAtLeast(role, 'coach');
  byId('enter').hidden = false;
  byId('enter').focus();
}

byId('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!invited) {
    show();
    return;
  }
  byId('enter').disabled = true;
  const name = byId('name').value.trim();
  const answer = await post('/api/v1/invitation/accept', name && name !== invited ? { code, name } : { code });
  byId('enter').disabled = false;
  // The code must not stay in the address or the history.
  if (answer.status === 200) location.replace(pageAddress(firstPage(answer.content)));
  else refuse(answer);
});

show();
