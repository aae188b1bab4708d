// The list of athletes with their last session.
import { get } from './api-client.js';
import { line } from './format.js';
import { byId, dayOf, initPage, pageAddress, strings } from './page.js';
import { showRecords } from './club-records.js';
import { PageStatus, statusOf } from './page-status.js';
import { makeHeader } from './page-header.js';
import { make } from './view.js';
import { pluralize } from './strings.js';

initPage(strings.athletes);
makeHeader('/athletes');
byId('title').textContent = strings.athletes;
byId('more').textContent = strings.moreAthletes;
byId('more').addEventListener('click', () => load(true));

let shown = [];
let next = '';
const pageStatus = new PageStatus(() => load(false));

async function load(isMore) {
  if (!shown.length) pageStatus.show('loading');
  byId('more').disabled = true;
  const answer = await get('/api/v1/athletes' + (isMore ? '?cursor=' + next : ''));
  byId('more').disabled = false;
  if (answer.status !== 200) {
    pageStatus.show(statusOf(answer));
    return;
  }
  const found = answer.content.athletes || [];
  shown = isMore ? shown.concat(found) : found;
  next = answer.content.next || '';
  pageStatus.show(shown.length ? '' : 'noAthletes');
  draw(isMore ? found[0] : null);
}

/** Draws the list; `first` is the first athlete of an added page and gets the focus. */
function draw(first) {
  const list = byId('people');
  list.textContent = '';
  list.hidden = !shown.length;
  for (const athlete of shown) {
    const link = make('a', 'person', make('li', '', list));
    link.href = pageAddress('/athlete?id=' + encodeURIComponent(athlete.athlete_id));
    const name = make('span', 'athlete', link);
    name.textContent = line(athlete.athlete_id, 64);
    name.dir = 'auto';
    make('span', 'count', link).textContent = pluralize(strings.sessionCount, athlete.sessions);
    make('span', 'last', link).textContent = athlete.last_ms > 0
      ? strings.lastOn.replace('{}', dayOf(athlete.last_ms)) : '';
    if (athlete === first) link.focus();
  }
  byId('more').hidden = !next;
}

load(false);
showRecords(byId('records'));
