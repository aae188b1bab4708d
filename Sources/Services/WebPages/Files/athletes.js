// The list of athletes: everybody whom a session names, with their last session.
import { get } from './asking.js';
import { line } from './figures.js';
import { address, dayOf, dress, find, words } from './page.js';
import { showRecords } from './records.js';
import { Telling, reason } from './telling.js';
import { makeTop } from './top.js';
import { make } from './view.js';
import { counted } from './words.js';

dress(words.athletes);
makeTop('/athletes');
find('title').textContent = words.athletes;
find('more').textContent = words.moreAthletes;
find('more').addEventListener('click', () => load(true));

let shown = [];
let next = '';
const telling = new Telling(() => load(false));

async function load(isMore) {
  if (!shown.length) telling.show('loading');
  find('more').disabled = true;
  const answer = await get('/api/v1/athletes' + (isMore ? '?cursor=' + next : ''));
  find('more').disabled = false;
  if (answer.status !== 200) {
    telling.show(reason(answer));
    return;
  }
  const found = answer.content.athletes || [];
  shown = isMore ? shown.concat(found) : found;
  next = answer.content.next || '';
  telling.show(shown.length ? '' : 'noAthletes');
  draw(isMore ? found[0] : null);
}

/** Draws all of it; `first` is the first of a page that was added, to go on from by keys. */
function draw(first) {
  const list = find('people');
  list.textContent = '';
  list.hidden = !shown.length;
  for (const athlete of shown) {
    const link = make('a', 'person', make('li', '', list));
    link.href = address('/athlete?id=' + encodeURIComponent(athlete.athlete_id));
    const name = make('span', 'athlete', link);
    name.textContent = line(athlete.athlete_id, 64);
    name.dir = 'auto';
    make('span', 'count', link).textContent = counted(words.sessionCount, athlete.sessions);
    make('span', 'last', link).textContent = athlete.last_ms > 0
      ? words.lastOn.replace('{}', dayOf(athlete.last_ms)) : '';
    if (athlete === first) link.focus();
  }
  find('more').hidden = !next;
}

load(false);
showRecords(find('records'));
