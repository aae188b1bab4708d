// The page of a group piece, with the links that coaches share.
import { get, RequestSeries } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import * as format from '../common/format.js';
import { loadAthletes, nameOf } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, queryParam, strings as shared } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { stringsOfPage } from '../common/strings.js';
import { makeDownloads } from '../session/downloads.js';
import { makeAdding } from './adding.js';
import { drawAdditions } from './additions.js';
import { makeSharing } from './sharing.js';
import { initResult, isOpen, RELOAD_AFTER, showResult } from './view.js';

const strings = stringsOfPage(shared, 'groupPage');
const root = '/api/v1/pieces/' + encodeURIComponent(queryParam('gw')) + '/' + encodeURIComponent(queryParam('id'));

/** The last answer. */
let result = null;
let timer = null;
/** Asks before it removes an added result; null for users who are no coaches. */
let removeAddition = null;
const requests = new RequestSeries();

initPage(strings.title);
const me = makeHeader('/sessions');
const pageStatus = new PageStatus(load, strings.pageStatus);
byId('back').textContent = '\u2190\u00a0' + strings.allSessions;
byId('back').href = pageAddress('/sessions');
const rowName = (row) => nameOf(row.athlete_id) || format.ergName(row.erg, strings.erg);
const rowLink = (row) =>
  pageAddress('/session?gw=' + encodeURIComponent(row.gw) + '&id=' + encodeURIComponent(row.session_id));
initResult(strings, rowName, rowLink);
loadAthletes().then(() => { if (result) show(); });

function show() {
  showResult(result);
  drawAdditions(byId('additions'), result, strings, rowName, rowLink, removeAddition);
}

async function load() {
  if (!result) pageStatus.show('loading');
  const signal = requests.next();
  const answer = await get(root, signal);
  if (signal.aborted) return;
  if (answer.status !== 200) {
    if (!result) pageStatus.show(statusOf(answer));
    return;
  }
  const isFirst = !result;
  result = answer.content;
  pageStatus.show('');
  show();
  if (isFirst) addForCoaches();
  clearTimeout(timer);
  if (isOpen(result.piece)) timer = setTimeout(() => { if (!document.hidden) load(); }, RELOAD_AFTER);
}

/** Only coaches share results and add some. */
async function addForCoaches() {
  const { role } = await me;
  if (!isAtLeast(role, 'coach')) return;
  removeAddition = makeAdding(byId('exports'), root, strings, () => result, load);
  makeSharing(byId('exports'), byId('links'), root + '/links', strings);
  show();
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && result && isOpen(result.piece)) load();
});

makeDownloads(byId('exports'), root, strings);
button(byId('exports'), strings.print, () => window.print());
load();
