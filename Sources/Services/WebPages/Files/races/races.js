// The archive: finished races and regattas, the newest first.
import { get } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import { dayText, ergName, line } from '../common/format.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, shortDay, strings as shared } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { make } from '../common/view.js';
import { resultText } from '../race/result.js';
import { pieceText } from './texts.js';

const strings = stringsOfPage(shared, 'racesPage');
/** How many entries one request returns. */
const LIMIT = 30;
let cursor = '';

initPage(strings.races);
byId('title').textContent = strings.races;
const pageStatus = new PageStatus(load, strings.pageStatus);
byId('more').textContent = strings.older;
byId('more').addEventListener('click', load);
makeHeader('/races', (name, { role }) => {
  if (!isAtLeast(role, 'coach')) return;
  button(byId('actions'), strings.newRegatta,
    () => import('./actions.js').then(({ openSettings }) => openSettings(strings, null, (content) =>
      location.assign(pageAddress('/regatta?id=' + content.regatta_id)))), 'main');
});

async function load() {
  if (!cursor) pageStatus.show('loading');
  const answer = await get('/api/v1/races?limit=' + LIMIT + (cursor && '&cursor=' + cursor));
  if (answer.status !== 200) {
    pageStatus.show(statusOf(answer));
    return;
  }
  const { races, next } = answer.content;
  for (const entry of races) addEntry(entry);
  cursor = next || '';
  byId('more').hidden = !cursor;
  pageStatus.show(byId('list').firstChild ? '' : 'noRaces');
}

function addEntry(entry) {
  const link = make('a', '', make('li', '', byId('list')));
  link.href = entry.regatta_id ? pageAddress('/regatta?id=' + entry.regatta_id)
    : pageAddress('/race?id=' + entry.race_id);
  make('span', '', link).textContent = shortDay(entry.day || dayText(entry.signal_ms), true);
  const about = make('span', '', link);
  const name = make('b', '', about);
  name.dir = 'auto';
  name.textContent = line(entry.name, 60) || pieceText(entry, strings);
  about.appendChild(document.createTextNode(' ' + [entry.name && !entry.regatta_id && pieceText(entry, strings),
    entry.place, pluralize(strings.entryCount, entry.entries)].filter(Boolean).join(' \u00b7 ')));
  make('span', '', link).textContent = winnersOf(entry);
  make('span', 'time', link).textContent = entry.result ? resultText(entry, entry.result, strings) : '';
}

function winnersOf({ winners, events }) {
  if (winners) return winners.map((one) => line(one.name, 80) || ergName(one.erg, strings.erg)).join(', ');
  return events.filter((event) => event.winners.length)
    .map((event) => interpolate(strings.winnerOf, event.name, event.winners.join(', '))).join(' \u00b7 ');
}

load();
