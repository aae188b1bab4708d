// The page of one athlete: bests, volume, zones, predictions, load and suggestions.
import { nextReveal } from '../plans/shown-from.js';
import { drawPlanned } from '../plans/weeks.js';
import { get, RequestSeries } from '../common/api-client.js';
import * as format from '../common/format.js';
import { labelOf } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, pageAddress, queryParam, strings, titlePage } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { drawBests, drawUnranked } from './bests.js';
import { Calendar } from './calendar.js';
import { drawPredictions } from './predictions.js';
import { Suggestions } from './suggestion.js';
import { drawForce, drawLoads } from './training.js';
import { drawVolume, kilometres, sumOf } from './volume.js';
import { drawHeart, drawZones } from './zones.js';

const id = queryParam('id');
const root = '/api/v1/athletes/' + encodeURIComponent(id);
/** The answer about the athlete, and the selected season; 'all' for all seasons. */
let details = null;
let season = queryParam('season');
/** The timer for the next workout that is still hidden. */
let reveal = 0;
/** Only the newest answers about the athlete, and about a season, count. */
const [loads, choices] = [new RequestSeries(), new RequestSeries()];

initPage(strings.athletes);
const me = makeHeader('/athletes', (name, { role }) => {
  const [text, path] = role === 'athlete'
    ? [strings.ownDevices, '/users'] : ['\u2190\u00a0' + strings.allAthletes, '/athletes'];
  byId('back').textContent = text;
  byId('back').href = pageAddress(path);
});
const pageStatus = new PageStatus(load);
const calendar = new Calendar(byId('calendar'), strings);
const suggestions = new Suggestions(byId('suggestion'), root + '/suggestions', strings);

async function load() {
  if (!details) pageStatus.show('loading');
  const signal = loads.next();
  const answer = await get(root, signal);
  if (signal.aborted) return;
  if (answer.status !== 200) {
    const why = statusOf(answer);
    const own = (await me).athlete_id;
    if (details) return;
    if (why !== 'unknown') pageStatus.show(why);
    else if (own === id) pageStatus.show('none', strings.noOwnSessions);
    else pageStatus.show('unknownAthlete');
    return;
  }
  details = answer.content;
  // The plan is loaded in parallel, so that it does not delay the rest.
  loadPlans(signal);
  if (!details.athlete.sessions) {
    drawHead([]);
    pageStatus.show('none', (await me).athlete_id === id ? strings.noOwnSessions : '');
    return;
  }
  const known = details.seasons.map(String);
  if (season !== 'all' && known.indexOf(season) < 0) season = known[0] || 'all';
  drawHead(known);
  show();
  suggest(signal);
}

/** Loads the plans, and again when a workout that is still hidden is shown. */
async function loadPlans(signal) {
  clearTimeout(reveal);
  const { status, content } = await get(root + '/plans', signal);
  if (signal.aborted || status !== 200) return;
  drawPlanned(byId('planned'), content.plans, content.today, strings);
  const wait = nextReveal(content.plans.reduce((all, plan) => all.concat(plan.next), []), Date.now());
  if (wait !== null) reveal = setTimeout(() => loadPlans(signal), wait);
}

/** Loads the suggestions. If that fails, the page stays without them. */
async function suggest(signal) {
  const answer = await get(root + '/suggestions', signal);
  if (answer.status === 200) suggestions.show(answer.content);
}

/** Shows the selected season. */
async function show() {
  const signal = choices.next();
  table.href = '/api/v1/sessions/export?format=concept2&athlete_id=' + encodeURIComponent(id)
    + (season === 'all' ? '' : '&from=' + (season - 1) + '-05-01&to=' + season + '-04-30');
  const of = season === 'all' ? '' : '&season=' + season;
  const lengths = season === 'all' ? ['season'] : ['week', 'day'];
  const answers = await Promise.all(lengths.map((by) => get(root + '/volume?by=' + by + of, signal))
    .concat(get(root + '/training?by=' + lengths[0] + of, signal)));
  if (signal.aborted) return;
  const refused = answers.find((answer) => answer.status !== 200);
  if (refused) {
    pageStatus.show(statusOf(refused));
    return;
  }
  pageStatus.show('');
  byId('athlete').hidden = false;
  const training = answers.pop().content;
  const [volumes, days] = answers.map((answer) => answer.content.volumes);
  const sum = sumOf(volumes);
  const isAll = season === 'all';
  byId('sum').textContent = [isAll ? strings.allTime : interpolate(strings.seasonOf, season),
    pluralize(strings.sessionCount, sum.sessions), kilometres(sum.distance_m, strings)]
    .join(' \u00b7 ');
  const year = isAll ? undefined : Number(season);
  const bests = details.bests.filter((best) => best.season === year);
  const always = details.bests.filter((best) => best.season === undefined);
  drawBests(byId('bests'), bests, isAll ? [] : always, strings);
  drawUnranked(byId('unranked'), details.not_ranked, strings);
  drawVolume(byId('volume'), volumes, isAll ? 'season' : 'week', strings);
  byId('calendar').hidden = isAll;
  if (!isAll) calendar.show(year, days, bests);
  drawTraining(training, isAll ? 'season' : 'week');
}

/** Draws zones, predictions, force and load of each machine. */
function drawTraining({ machines, loads, heart_zones: heart }, by) {
  const place = byId('training');
  place.textContent = '';
  for (const machine of machines) {
    const name = machine.machine === 'rower' ? '' : strings.machines[machine.machine] + ' \u00b7 ';
    const zones = make('section', 'panel', place);
    drawZones(zones, name + strings.zones, machine.zones, machine.time_in_zone, by, strings);
    drawHeart(make('div', 'in-zones', zones), heart, machine.time_in_heart_zone, by,
      root + '/heart', show, strings);
    drawPredictions(make('section', 'panel', place), machine, strings);
    if (machine.force.length) {
      drawForce(make('section', 'panel', place), name + strings.forceCurves, machine.force, by, strings);
    }
  }
  if (loads.length) drawLoads(make('section', 'panel', place), loads, by, strings);
}

// MARK: The head

const field = make('label', 'field', byId('choice'));
make('span', '', field).textContent = strings.season;
const select = make('select', '', field);
select.addEventListener('change', () => {
  season = select.value;
  history.replaceState(null, '', pageAddress('/athlete?id=' + encodeURIComponent(id)
    + '&season=' + season));
  show();
});
const link = make('a', 'file', byId('choice'));
link.textContent = strings.sessions;
link.href = pageAddress('/sessions?athlete_id=' + encodeURIComponent(id));
// The season in the format of Concept2's logbook.
const table = make('a', 'file', byId('choice'));
table.textContent = strings.formats.concept2;
table.setAttribute('download', '');
table.setAttribute('aria-label', strings.download + ' ' + strings.formats.concept2);

function drawHead(seasons) {
  const name = labelOf(details.athlete);
  titlePage(name);
  byId('title').textContent = name;
  select.textContent = '';
  for (const value of seasons.concat('all')) {
    const option = make('option', '', select);
    option.value = value;
    option.textContent = value === 'all' ? strings.allTime : value;
  }
  select.value = season;
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && details && document.activeElement === document.body) load();
});
load();
