// The page of plans: the weeks of one, who did what, files in and out, and the group.
import { get } from './asking.js';
import { midnight } from './clubtime.js';
import { button } from './dialog.js';
import { line } from './figures.js';
import { address, dress, find, shortDay, wish, words as shared } from './page.js';
import { openGroup, openImport, openRemoval } from './plandialogs.js';
import { Sitting } from './planset.js';
import { WEEKS, drawWeeks, weeksOf } from './planweeks.js';
import { planWords } from './planwords.js';
import { why } from './reason.js';
import { Telling, reason } from './telling.js';
import { makeTop } from './top.js';
import { make } from './view.js';
import { mondayOf } from './volume.js';
import { counted, fill } from './words.js';

const WEEK = 7 * 86400000;
const words = planWords(shared);

let id = wish('id');
let plans = [];
/** The plan that is shown, what became of it, and the Monday from which on. */
let [plan, told, first] = [null, null, 0];
let asked = 0;
/** Only coaches import plans. */
let isCoach = false;

dress(words.plans);
// An athlete changes no plan, and sets no monitor.
const user = makeTop('/plans', (name, guest) => {
  if (guest.role === 'athlete') find('page').classList.add('reading');
});
find('title').textContent = words.plans;
const telling = new Telling(load, words.told);
const sitting = new Sitting(words);

async function load() {
  if (!plan) telling.show('loading');
  const [answer, { role }] = await Promise.all([get('/api/v1/plans'), user]);
  if (answer.status !== 200) {
    if (!plan) telling.show(reason(answer));
    return;
  }
  plans = answer.content.plans;
  if (!id && plans.length) id = plans[0].id;
  drawChoice();
  isCoach = role === 'coach';
  await show();
}

/** Shows the plan that is chosen. */
async function show() {
  asked += 1;
  const mine = asked;
  find('first').hidden = plans.length > 0 || !isCoach;
  if (!plans.length || !plans.some((one) => one.id === id)) {
    plan = null;
    find('plan').hidden = true;
    if (plans.length) telling.show('noPlan');
    else telling.show('noPlans', isCoach ? '' : words.ownPlans);
    return;
  }
  const root = '/api/v1/plans/' + encodeURIComponent(id);
  const answers = await Promise.all([get(root), get(root + '/adherence')]);
  if (mine !== asked) return;
  const refused = answers.find((answer) => answer.status !== 200);
  if (refused) {
    if (!plan) telling.show(reason(refused));
    return;
  }
  const isSame = plan !== null && plan.id === id;
  [plan, told] = answers.map((answer) => answer.content);
  if (!isSame) first = begin();
  telling.show('');
  find('plan').hidden = false;
  drawHead();
  draw();
}

/** The week before this one, or where the plan is nearest to it. */
function begin() {
  const now = mondayOf(midnight(told.today)) - WEEK;
  if (!plan.from) return now;
  const [from, to] = [mondayOf(midnight(plan.from)), mondayOf(midnight(plan.to))];
  return Math.max(from, Math.min(now, to - (WEEKS - 1) * WEEK));
}

function drawHead() {
  const { group } = plan;
  const people = group.athletes.length ? counted(words.people, group.athletes.length)
    : words.nobody;
  const days = plan.from ? [fill(words.span, shortDay(plan.from, true),
    shortDay(plan.to, true))] : [];
  find('about').textContent = [line(plan.title, 80)].concat(days,
    counted(words.workouts, plan.workouts.length), line(group.name || '', 80), people)
    .filter(Boolean).join(' \u00b7 ');
  const name = line(plan.title, 80);
  document.title = name + ' \u00b7 rowgate';
  for (const [link, format] of files) {
    link.href = '/api/v1/plans/' + encodeURIComponent(plan.id) + '/export?format=' + format;
  }
}

function draw() {
  const last = first + WEEKS * WEEK - 86400000;
  const text = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);
  find('span').textContent = fill(words.span, shortDay(text(first), false),
    shortDay(text(last), true));
  const [from, to] = plan.from ? [midnight(plan.from), midnight(plan.to)] : [first, last];
  find('earlier').disabled = from >= first;
  find('later').disabled = to <= last;
  drawWeeks(find('weeks'), weeksOf(plan.workouts, told.athletes, first), told.today, words, set);
}

function set(shown) {
  const { planned, fields } = shown;
  const name = planned.name ? planned.name + ' \u00b7 ' + planned.workout : planned.workout;
  const { machine } = planned;
  sitting.set({ name: line(name, 120), fields, machine }, plan.group.athletes, (text, isSent) => {
    const place = find('said');
    place.textContent = text;
    if (!isSent) return;
    const link = make('a', 'after', place);
    link.href = address('/coach');
    link.textContent = words.coach;
  });
}

// MARK: What can be done

const field = make('label', 'field', find('choice'));
field.hidden = true;
make('span', '', field).textContent = words.plan;
const select = make('select', '', field);
select.addEventListener('change', () => choose(select.value));

function drawChoice() {
  field.hidden = !plans.length;
  select.textContent = '';
  for (const one of plans) {
    const option = make('option', '', select);
    option.value = one.id;
    option.textContent = line(one.title, 80);
  }
  select.value = id;
}

function choose(chosen) {
  id = chosen;
  find('said').textContent = '';
  history.replaceState(null, '', address('/plans' + (id ? '?id=' + encodeURIComponent(id) : '')));
  show();
}

/** Something of the plans has changed; `chosen` is shown, and where that is none the first. */
function changed(chosen) {
  id = chosen;
  history.replaceState(null, '', address('/plans' + (id ? '?id=' + encodeURIComponent(id) : '')));
  load();
}

const importing = () => openImport(words, plans, plan ? plan.id : '', changed);
const doing = find('doing');
button(doing, words.takeFile, importing);
button(doing, words.group, () => openGroup(words, plan, changed));
const files = [['csv', words.asTable, words.saveTable],
  ['ics', words.asCalendar, words.saveCalendar]]
  .map(([format, text, label]) => {
    const link = make('a', 'file', doing);
    link.textContent = text;
    link.setAttribute('aria-label', label);
    link.setAttribute('download', '');
    return [link, format];
  });
button(doing, words.remove, () => openRemoval(words, plan, changed), 'quiet');
button(find('first'), words.takeFile, importing, 'main');
const how = make('button', 'quiet', find('how'));
how.type = 'button';
how.textContent = words.howDone[0];
why(how, () => {
  const text = make('p', 'hint', find('how'));
  text.textContent = words.howDone[1];
  return text;
});
for (const [name, step] of [['earlier', -WEEKS], ['later', WEEKS]]) {
  find(name).textContent = words[name];
  find(name).addEventListener('click', () => {
    first += step * WEEK;
    draw();
  });
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && plan && document.activeElement === document.body) load();
});
load();
