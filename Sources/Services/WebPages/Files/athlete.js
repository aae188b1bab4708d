// One athlete: the bests with what they rest on, how much was rowed, and on which days.
import { get } from './asking.js';
import { drawBests, drawUnranked } from './bests.js';
import { Calendar } from './calendar.js';
import { drawForce, drawLoads } from './effort.js';
import { drawExpected } from './expected.js';
import * as figures from './figures.js';
import { drawHeart } from './heart.js';
import { address, dress, find, wish, words } from './page.js';
import { drawPlanned } from './planned.js';
import { Suggestions } from './suggestion.js';
import { Telling, reason } from './telling.js';
import { makeTop } from './top.js';
import { make } from './view.js';
import { drawVolume, kilometres, sumOf } from './volume.js';
import { counted, fill } from './words.js';
import { drawZones } from './zones.js';

const id = wish('id');
const root = '/api/v1/athletes/' + encodeURIComponent(id);
/** What the logbook said of this athlete; of which season the page shows it, '' for all. */
let told = null;
let season = wish('season');
/** Counts what was asked for: an answer to an earlier choice is of no use. */
let asked = 0;

dress(words.athletes);
const me = makeTop('/athletes', (name, { role }) => { find('back').hidden = role === 'athlete'; });
find('back').textContent = '\u2190\u00a0' + words.allAthletes;
find('back').href = address('/athletes');
const telling = new Telling(load);
const calendar = new Calendar(find('calendar'), words);
const suggestions = new Suggestions(find('suggestion'), root + '/suggestions', words);

async function load() {
  if (!told) telling.show('loading');
  const answer = await get(root);
  if (answer.status !== 200) {
    const why = reason(answer);
    const own = (await me).athlete_id;
    if (told) return;
    if (why !== 'unknown') telling.show(why);
    // An athlete is known from their first session on.
    else if (own === id) telling.show('none', words.noneOwn);
    else telling.show('unknownAthlete');
    return;
  }
  told = answer.content;
  // What is planned stands above, and holds nothing else up.
  get(root + '/plans').then(({ status, content }) =>
    drawPlanned(find('planned'), status === 200 ? content.plans : [], words));
  const known = told.seasons.map(String);
  if (season !== 'all' && known.indexOf(season) < 0) season = known[0] || 'all';
  drawHead(known);
  show();
  suggest();
}

/** What to row next: a page without it is still worth reading. */
async function suggest() {
  const answer = await get(root + '/suggestions');
  if (answer.status === 200) suggestions.show(answer.content);
}

/** Shows the season that is chosen. */
async function show() {
  asked += 1;
  const mine = asked;
  table.href = '/api/v1/sessions/export?format=concept2&athlete_id=' + encodeURIComponent(id)
    + (season === 'all' ? '' : '&from=' + (season - 1) + '-05-01&to=' + season + '-04-30');
  const of = season === 'all' ? '' : '&season=' + season;
  const lengths = season === 'all' ? ['season'] : ['week', 'day'];
  const answers = await Promise.all(lengths.map((by) => get(root + '/volume?by=' + by + of))
    .concat(get(root + '/training?by=' + lengths[0] + of)));
  if (mine !== asked) return;
  const refused = answers.find((answer) => answer.status !== 200);
  if (refused) {
    telling.show(reason(refused));
    return;
  }
  telling.show('');
  find('athlete').hidden = false;
  const training = answers.pop().content;
  const [volumes, days] = answers.map((answer) => answer.content.volumes);
  const sum = sumOf(volumes);
  const isAll = season === 'all';
  find('sum').textContent = [isAll ? words.allTime : fill(words.seasonOf, season),
    counted(words.sessionCount, sum.sessions), kilometres(sum.distance_m, words)]
    .join(' \u00b7 ');
  const year = isAll ? undefined : Number(season);
  const bests = told.bests.filter((best) => best.season === year);
  const always = told.bests.filter((best) => best.season === undefined);
  drawBests(find('bests'), bests, isAll ? [] : always, words);
  drawUnranked(find('unranked'), told.not_ranked, words);
  drawVolume(find('volume'), volumes, isAll ? 'season' : 'week', words);
  find('calendar').hidden = isAll;
  if (!isAll) calendar.show(year, days, bests);
  drawTraining(training, isAll ? 'season' : 'week');
}

/** Zones, and what results let expect, on each machine that was rowed on. */
function drawTraining({ machines, loads, heart_zones: heart }, by) {
  const place = find('training');
  place.textContent = '';
  for (const machine of machines) {
    const name = machine.machine === 'rower' ? '' : words.machines[machine.machine] + ' \u00b7 ';
    const zones = make('section', 'panel', place);
    drawZones(zones, name + words.zones, machine.zones, machine.time_in_zone, by, words);
    drawHeart(make('div', 'in-zones', zones), heart, machine.time_in_heart_zone, by,
      root + '/heart', show, words);
    drawExpected(make('section', 'panel', place), machine, words);
    if (machine.force.length) {
      drawForce(make('section', 'panel', place), name + words.forceCurves, machine.force, by, words);
    }
  }
  if (loads.length) drawLoads(make('section', 'panel', place), loads, by, words);
}

// MARK: The head

const field = make('label', 'field', find('choice'));
make('span', '', field).textContent = words.season;
const select = make('select', '', field);
select.addEventListener('change', () => {
  season = select.value;
  history.replaceState(null, '', address('/athlete?id=' + encodeURIComponent(id)
    + '&season=' + season));
  show();
});
const link = make('a', 'file', find('choice'));
link.textContent = words.sessions;
link.href = address('/sessions?athlete_id=' + encodeURIComponent(id));
// Who keeps a diary elsewhere takes the season along, as Concept2's own logbook gives it out.
const table = make('a', 'file', find('choice'));
table.textContent = words.formats.concept2;
table.setAttribute('download', '');
table.setAttribute('aria-label', words.exports + ' ' + words.formats.concept2);

function drawHead(seasons) {
  const name = figures.line(told.athlete.athlete_id, 64);
  document.title = name + ' \u00b7 rowgate';
  find('title').textContent = name;
  select.textContent = '';
  for (const value of seasons.concat('all')) {
    const option = make('option', '', select);
    option.value = value;
    option.textContent = value === 'all' ? words.allTime : value;
  }
  select.value = season;
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && told && document.activeElement === document.body) load();
});
load();
