// Links with which anybody can see a group result: create, copy, list, revoke.
import { answerError, get, post, remove } from '../common/api-client.js';
import { add, addForm, addRefusal, button, openDialog } from '../common/dialog.js';
import { timeOfDay } from '../common/format.js';
import { addLink } from '../common/invitation.js';
import { shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';

const moment = (milliseconds) => shortDayOf(milliseconds) + ', ' + timeOfDay(milliseconds);

/**
 * Adds the button that shares a result to `place`, and shows its links in `list`. `root` is the path of the links.
 * @type {(place: HTMLElement, list: HTMLElement, root: string, strings: import('../common/strings.js').Strings) => void}
 */
export function makeSharing(place, list, root, strings) {
  const share = button(place, strings.share, openShare);

  async function load() {
    const answer = await get(root);
    const links = answer.status === 200 ? answer.content.links : [];
    list.textContent = '';
    list.hidden = !links.length && answer.status === 200;
    add('h2', '', list, strings.sharedLinks);
    if (answer.status !== 200) addRefusal(list).textContent = answerError(answer, strings);
    const entries = add('ul', 'link-list', list);
    entries.setAttribute('role', 'list');
    for (const link of links) drawLink(make('li', '', entries), link);
  }

  function drawLink(row, link) {
    const created = moment(link.created_ms);
    const text = add('span', '', row, link.by
      ? interpolate(strings.linkCreatedBy, created, link.by) : interpolate(strings.linkCreated, created));
    text.dir = 'auto';
    add('span', 'details', row, interpolate(strings.linkUntil, moment(link.expires_ms)));
    button(row, strings.revokeLink + '\u2026', () => openRevocation(link), 'quiet')
      .setAttribute('aria-label', interpolate(strings.revokeLinkFrom, created));
  }

  function openShare() {
    let created = null;
    openDialog(strings.shareTitle, (body, close) => {
      const leave = () => {
        close();
        if (created) openLink(created);
      };
      const text = addForm(body, strings, strings.createLink, leave, async () => {
        const answer = await post(root, {});
        if (answer.status !== 200) return answerError(answer, strings);
        created = answer.content;
        load();
        return '';
      });
      const place = add('div', 'share-text', text);
      for (const line of strings.shareHint) add('p', '', place, line);
    });
  }

  function openLink({ link, expires_ms }) {
    openDialog(strings.linkTitle, (body, close) => {
      add('p', 'hint', body, interpolate(strings.linkHint, moment(expires_ms)));
      addLink(body, strings, link, close);
    });
  }

  function openRevocation(link) {
    openDialog(strings.revokeLink, (body, close) => {
      const leave = () => {
        close();
        // The button of the link is gone.
        if (!document.activeElement || document.activeElement === document.body) share.focus();
      };
      const text = addForm(body, strings, strings.revokeLink, leave, async () => {
        const answer = await remove(root + '/' + link.link_id);
        // Another coach, or time, was faster.
        if (answer.status !== 200 && answer.content.code !== 'unknown_link') return answerError(answer, strings);
        await load();
        return '';
      }, 'main danger');
      add('p', 'hint', text, strings.revokeLinkHint);
    });
  }

  load();
}
