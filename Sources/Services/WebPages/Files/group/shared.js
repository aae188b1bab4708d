// A group result that a coach shared by a link. Whoever has the link sees this result only, without signing in.
import { get, RequestSeries } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import * as format from '../common/format.js';
import { PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, shortDayOf, strings as common } from '../common/page.js';
import { interpolate, stringsOfPage } from '../common/strings.js';
import { make } from '../common/view.js';
import { drawAdditions } from './additions.js';
import { initResult, isOpen, RELOAD_AFTER, showResult } from './view.js';

/** Longest name, in characters. */
const LONGEST = 80;
const strings = stringsOfPage(common, 'groupPage');
const root = '/api/v1/shared/' + encodeURIComponent(location.pathname.split('/').slice(-1)[0]);

/** The last answer. */
let result = null;
let timer = null;
const requests = new RequestSeries();

initPage(strings.title);
const pageStatus = new PageStatus(load, strings.pageStatus);
const rowName = (row) => format.line(row.athlete_name, LONGEST) || format.ergName(row.erg, strings.erg);
initResult(strings, rowName);

async function load() {
  if (!result) pageStatus.show('loading');
  const signal = requests.next();
  const answer = await get(root, signal);
  if (signal.aborted) return;
  clearTimeout(timer);
  if (answer.status === 404) {
    // Revoked while the page was open.
    result = null;
    byId('group').hidden = true;
    pageStatus.show('invalidLink');
    return;
  }
  if (answer.status === 200) {
    result = answer.content;
    pageStatus.show('');
    showResult(result);
    drawAdditions(byId('additions'), result, strings, rowName, null, null);
    byId('until').textContent = interpolate(strings.sharedUntil, shortDayOf(result.expires_ms, true));
  } else if (!result) {
    pageStatus.show(statusOf(answer));
  }
  if (result && isOpen(result.piece)) timer = setTimeout(() => { if (!document.hidden) load(); }, RELOAD_AFTER);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && result && isOpen(result.piece)) load();
});

const table = make('a', 'file', byId('exports'));
table.href = root + '/export';
table.textContent = strings.downloads.csv;
table.setAttribute('download', '');
button(byId('exports'), strings.print, () => window.print());
load();
