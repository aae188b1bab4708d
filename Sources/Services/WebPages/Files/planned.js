// What an athlete has ahead, and how the last weeks of their plans went.
import { line } from './figures.js';
import { address } from './page.js';
import { planDay, workoutOf } from './planweeks.js';
import { planWords } from './planwords.js';
import { make } from './view.js';
import { fill } from './words.js';

/** Nothing is shown of somebody without a plan. */
export function drawPlanned(place, plans, shared) {
  const words = planWords(shared);
  place.textContent = '';
  place.hidden = !plans.length;
  if (!plans.length) return;
  make('h2', '', place).textContent = words.planned;
  const list = make('ul', '', place);
  list.setAttribute('role', 'list');
  for (const plan of plans) {
    const one = make('li', '', list);
    const link = make('a', '', one);
    link.href = address('/plans?id=' + encodeURIComponent(plan.id));
    link.textContent = line(plan.title, 80);
    link.dir = 'auto';
    const next = make('span', 'next', one);
    next.textContent = plan.next.length ? fill(words.next, said(plan.next[0], words))
      : words.noneAhead;
    make('span', 'recent', one).textContent = fill(words.recent, recent(plan.recent, words));
  }
}

function said(workout, words) {
  const rowed = workoutOf(workout, words);
  const what = workout.name ? workout.name + ' (' + rowed + ')' : rowed;
  return planDay(workout.day, words) + ', ' + line(what, 140);
}

function recent(counts, words) {
  return ['done', 'partly', 'missed'].filter((verdict) => counts[verdict] > 0)
    .map((verdict) => counts[verdict] + '\u00a0' + words.verdicts[verdict]).join(', ')
    || words.nothingRecent;
}
