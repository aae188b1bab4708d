// Loading, empty and error states of a page. A page is never blank.
import { byId, currentAddress, pageAddress, strings } from './page.js';

/** The reason why an answer has no content: a key of `strings.pageStatus`. */
export function statusOf({ status, content }) {
  if (status === 401) return 'refused';
  if (status === 403) return 'notAllowed';
  if (status === 404) return content.code === 'no_store' ? 'noStore' : 'unknown';
  return status === 0 || status >= 500 ? 'away' : 'odd';
}

/** Shows a status with its hint and links; `reload` repeats the request. */
export class PageStatus {
  constructor(reload, messages = strings.pageStatus) {
    this.reload = reload;
    this.messages = messages;
    this.timer = null;
    this.button = byId('retry');
    this.button.addEventListener('click', () => this.retry());
    byId('sign-in-link').textContent = strings.signIn;
    byId('sign-in-link').href = pageAddress('/sign-in?next=' + encodeURIComponent(currentAddress()));
    const retryNow = () => { if (this.timer !== null && !document.hidden) this.retry(); };
    addEventListener('online', retryNow);
    document.addEventListener('visibilitychange', retryNow);
  }

  /** `name` is a key of the messages; empty hides the status. */
  show(name, detail = '') {
    clearTimeout(this.timer);
    this.timer = null;
    const [title, why] = name ? this.messages[name] : ['', ''];
    byId('page-status').hidden = !name;
    byId('empty').textContent = title;
    byId('why').textContent = detail || why;
    byId('sign-in-link').hidden = name !== 'refused' && name !== 'notAllowed';
    this.button.hidden = name !== 'away' && name !== 'odd' && name !== 'noneSuch';
    this.button.textContent = name === 'noneSuch' ? strings.showAll : strings.tryAgain;
    // The random delay spreads the requests of many pages after an outage.
    if (name === 'away') this.timer = setTimeout(() => this.retry(), 2000 + Math.random() * 5000);
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.reload();
  }
}
