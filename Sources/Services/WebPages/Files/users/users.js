// The own devices, and for captains all users: invite, rename, remove, sign out.
import { answerError, get, post, remove } from '../common/api-client.js';
import { addForm, button, field, openDialog, add } from '../common/dialog.js';
import { timeOfDay } from '../common/format.js';
import { openInvitation } from '../common/invitation.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, shortDayOf, strings } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';

initPage(strings.usersTitle);
const me = makeHeader('/users');
byId('title').textContent = strings.ownDevices;
const pageStatus = new PageStatus(load);
button(byId('doing'), strings.inviteCoach, () => openUser(null), 'main');
button(byId('doing'), strings.inviteRoomDevice, () => openRoomDevice(false));

async function load() {
  const { role } = await me;
  if (!role) {
    pageStatus.show('refused');
    return;
  }
  const isCaptain = isAtLeast(role, 'captain');
  byId('title').textContent = isCaptain ? strings.usersTitle : strings.ownDevices;
  const [own, all] = await Promise.all([get('/api/v1/me/devices'), isCaptain ? get('/api/v1/users') : null]);
  const failed = [own, all].filter((answer) => answer && answer.status !== 200 && answer.content.code !== 'no_user')[0];
  pageStatus.show(failed ? statusOf(failed) : '');
  byId('own').hidden = byId('users').hidden = byId('doing').hidden = true;
  if (failed) return;
  drawOwn(own, isCaptain);
  linkUploads(role);
  if (!all) return;
  byId('doing').hidden = byId('users').hidden = false;
  drawUsers(all.content.users);
}

/** Sends a change, and shows the new state or the error. */
async function change(request) {
  const answer = await request;
  byId('refusal').textContent = answerError(answer, strings);
  if (answer.status === 200) load();
  return answer;
}

// ---- Devices

function drawOwn({ status, content }, isCaptain) {
  const place = byId('own');
  place.textContent = '';
  place.hidden = false;
  make('h2', isCaptain ? '' : 'spoken', place).textContent = strings.ownDevices;
  if (status !== 200) make('p', 'hint', place).textContent = strings.tokenDevice;
  else drawDevices(place, content.devices, (device) => '/api/v1/me/devices/' + device.device_id);
  if (isCaptain) button(place, strings.useAsRoomDevice, () => openRoomDevice(true));
}

/** Athletes connect other services on a page of their own. */
function linkUploads(role) {
  if (role !== 'athlete') return;
  const link = make('a', '', make('p', '', byId('own')));
  link.href = pageAddress('/uploads');
  link.textContent = strings.uploads.title;
}

function drawDevices(place, devices, path) {
  const list = make('ul', 'user-list devices', place);
  list.setAttribute('role', 'list');
  for (const device of devices) {
    const row = make('div', 'user', make('li', '', list));
    make('span', 'user-name', row).textContent = device.name + (device.is_this_device ? ' \u00b7 ' + strings.thisDevice : '');
    make('span', 'details', row).textContent = interpolate(strings.lastUsed, moment(device.seen_ms));
    const out = button(row, strings.signOut, async () => {
      const answer = await change(remove(path(device)));
      if (answer.status === 200 && device.is_this_device) location.replace(pageAddress('/sign-in'));
    }, 'quiet');
    out.setAttribute('aria-label', interpolate(strings.signOutDevice, device.name));
  }
}

const moment = (milliseconds) => shortDayOf(milliseconds) + ', ' + timeOfDay(milliseconds);

// ---- Users

function drawUsers(users) {
  const place = byId('users');
  place.textContent = '';
  make('h2', '', place).textContent = strings.allUsers;
  const list = make('ul', 'user-list', place);
  list.setAttribute('role', 'list');
  for (const user of users) drawUser(make('li', '', list), user);
}

function drawUser(place, user) {
  const path = '/api/v1/users/' + user.user_id;
  const row = make('div', 'user', place);
  const name = make('span', 'user-name', row);
  name.dir = 'auto';
  if (user.athlete_id) {
    const link = make('a', '', name);
    link.href = pageAddress('/athlete?id=' + encodeURIComponent(user.athlete_id));
    link.textContent = user.name;
  } else {
    name.textContent = user.name;
  }
  make('span', 'details', row).textContent = [strings.roles[user.role],
    user.devices.length ? pluralize(strings.deviceCount, user.devices.length) : '',
    user.invited_until_ms ? interpolate(strings.invitedUntil, moment(user.invited_until_ms)) : '']
    .filter(Boolean).join(' \u00b7 ');
  const named = (key, text, action, look) =>
    button(row, text, action, look).setAttribute('aria-label', interpolate(strings[key], user.name));
  named('newLinkFor', strings.newLink, async () => {
    const answer = await change(post(path + '/invitation', {}));
    if (answer.status === 200) openInvitation(strings, answer.content);
  });
  if (user.invited_until_ms) {
    named('revokeLinkOf', strings.revokeLink, () => change(remove(path + '/invitation')), 'quiet');
  }
  if (!user.athlete_id) named('editNamed', strings.edit, () => openUser(user), 'quiet');
  named('removeUserTitle', strings.removeUser, () => openRemoval(user, path), 'quiet');
  if (user.devices.length) {
    drawDevices(place, user.devices, (device) => path + '/devices/' + device.device_id);
  }
}

function openRemoval(user, path) {
  openDialog(interpolate(strings.removeUserTitle, user.name), (body, close) => {
    const place = addForm(body, strings, strings.removeUser, close, async () => {
      const answer = await remove(path);
      if (answer.status === 200) load();
      return answerError(answer, strings);
    }, 'main danger');
    add('p', 'hint', place, strings.removeUserHint);
  });
}

// ---- Room devices

/**
 * Invites a tablet that everybody in the room uses. For this device, `isHere`, the captain is signed out, and the page
 * of the invitation follows.
 */
function openRoomDevice(isHere) {
  openDialog(isHere ? strings.useAsRoomDeviceTitle : strings.newRoomDevice, (body, close) => {
    let invitation = null;
    const leave = () => {
      close();
      if (invitation && !isHere) openInvitation(strings, invitation);
    };
    const submit = isHere ? strings.signOutAndContinue : strings.invite;
    const place = addForm(body, strings, submit, leave, async () => {
      const answer = await post('/api/v1/users', { name: name.value.trim(), role: 'room' });
      if (answer.status !== 200) return answerError(answer, strings);
      invitation = answer.content;
      if (isHere) {
        await post('/api/v1/sign-out', {});
        location.replace(pageAddress('/invitation') + '#' + invitation.link.split('#')[1]);
      } else {
        load();
      }
      return '';
    });
    const name = field(place, strings.deviceName, { maxlength: 60, autocapitalize: 'words', required: '' });
    name.value = strings.roles.room;
    add('p', 'hint', place, isHere ? strings.useAsRoomDeviceHint : strings.roomDeviceHint);
  });
}

/** Invites a coach or captain, or changes `user`. */
function openUser(user) {
  openDialog(user ? user.name : strings.inviteCoachTitle, (body, close) => {
    let [invitation, role] = [null, null];
    const leave = () => {
      close();
      if (invitation) openInvitation(strings, invitation);
    };
    const place = addForm(body, strings, user ? strings.save : strings.invite, leave, async () => {
      const fields = { name: name.value.trim() };
      if (role) fields.role = role.value;
      const answer = await post('/api/v1/users' + (user ? '/' + user.user_id : ''), fields);
      if (answer.status !== 200) return answerError(answer, strings);
      if (!user) invitation = answer.content;
      load();
      return '';
    });
    const name = field(place, strings.profile.name, { maxlength: 60, autocapitalize: 'words', required: '' });
    name.value = user ? user.name : '';
    // Room devices keep their role.
    if (user && user.role === 'room') return;
    const label = add('label', 'field', place);
    add('span', '', label, strings.role);
    role = add('select', '', label);
    for (const key of ['coach', 'captain']) add('option', '', role, strings.roles[key]).value = key;
    role.value = user ? user.role : 'coach';
    add('p', 'hint', place, strings.roleHint);
  });
}

load();
