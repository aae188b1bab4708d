// What stands where nothing can be shown: that it is being asked for, is not there, or may not be
// seen. A page is never blank.
import { address, find, here, words } from './page.js';

/** Why an answer has nothing to show, as a name among `words.told`. */
export function reason({ status, content }) {
  if (status === 401) return 'refused';
  if (status === 403) return 'notAllowed';
  if (status === 404) return content.code === 'no_store' ? 'noStore' : 'unknown';
  return status === 0 || status >= 500 ? 'away' : 'odd';
}

/** The place of the page that tells, in the page's words; `again` asks anew. */
export class Telling {
  constructor(again, told = words.told) {
    this.again = again;
    this.told = told;
    this.timer = null;
    this.way = find('way');
    this.way.addEventListener('click', () => this.retry());
    find('in').textContent = words.signIn;
    find('in').href = address('/sign-in?next=' + encodeURIComponent(here()));
    const soon = () => { if (this.timer !== null && !document.hidden) this.retry(); };
    addEventListener('online', soon);
    document.addEventListener('visibilitychange', soon);
  }

  /** `name` is one of `words.told`; empty where there is something to show. */
  show(name, detail = '') {
    clearTimeout(this.timer);
    this.timer = null;
    const [title, why] = name ? this.told[name] : ['', ''];
    find('told').hidden = !name;
    find('empty').textContent = title;
    find('why').textContent = detail || why;
    find('in').hidden = name !== 'refused' && name !== 'notAllowed';
    this.way.hidden = name !== 'away' && name !== 'odd' && name !== 'noneSuch';
    this.way.textContent = name === 'noneSuch' ? words.showAll : words.tryAgain;
    // Many pages that lost one server do not come back to it all at once.
    if (name === 'away') this.timer = setTimeout(() => this.retry(), 2000 + Math.random() * 5000);
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.again();
  }
}
