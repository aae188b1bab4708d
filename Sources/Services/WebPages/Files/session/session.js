// The page of one session: result, splits, charts, force, and whether the data are complete.
import { answerError, get, getSession, getSessionRecords, post, remove, RequestSeries, sessionPath }
  from '../common/api-client.js';
import { openAthletePicker } from '../common/athlete-picker.js';
import { Chart } from '../common/chart.js';
import { button } from '../common/dialog.js';
import * as format from '../common/format.js';
import { timeOfDay } from '../common/format.js';
import { loadAthletes, nameOf } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import {
  byId, club, dayOf, initPage, isAthleteId, pageAddress, queryParam, strings, titlePage
} from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { gapText, mean, quarters, series, withOther } from '../common/series.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { makeCompareView } from './compare-view.js';
import { makeDownloads } from './downloads.js';
import * as sessionFormat from './format.js';
import { drawUploads } from './uploads.js';
import { changeText, commonTarget, Curves, drawSessionTraining, drawSplits, wholeCurves } from './panels.js';

/** A session in progress is reloaded after this time: milliseconds. */
const RELOAD_AFTER = 20000;

const root = sessionPath(queryParam('gw'), queryParam('id'));
const { units, decimal } = strings;
const hundredths = (value) => format.decimal(value, 2, decimal);

let axis = 'distance_m';
let detail = null;
let strokes = [];
let reloadTimer = null;
/** A session in progress is loaded again; only the newest answers count. */
const requests = new RequestSeries();

initPage(strings.session);
const me = makeHeader('/sessions');
const pageStatus = new PageStatus(load);
const compareView = makeCompareView(drawStrokes);
loadAthletes().then(() => {
  if (!detail) return;
  drawWho(detail);
  drawCorrection(detail);
});

// MARK: Loading

async function load() {
  if (!detail) pageStatus.show('loading');
  const signal = requests.next();
  const answer = await getSession(root, signal);
  if (signal.aborted) return;
  if (!answer.detail) {
    if (!detail) pageStatus.show(statusOf(answer));
    return;
  }
  detail = answer.detail;
  pageStatus.show('');
  byId('session').hidden = false;
  drawResult();
  drawSplits(byId('splits'), detail, strings);
  drawGaps();
  linkGroupResult(signal);
  // Athletes see only their own sessions.
  me.then(({ role }) => { if (role === 'athlete') drawUploads(byId('uploads'), root, strings); });
  const found = await getSessionRecords(root, 'strokes', signal);
  if (signal.aborted) return;
  if (found.status !== 200) {
    pageStatus.show(statusOf({ status: found.status, content: {} }));
    return;
  }
  strokes = found.records;
  drawStrokes();
  const forces = await getSessionRecords(root, 'forces', signal);
  if (forces.status === 200) drawForces(wholeCurves(forces.records));
  const training = await get(root + '/training', signal);
  if (signal.aborted) return;
  if (training.status === 200) drawSessionTraining(byId('steadiness'), training.content, strings);
  compareView.show({ detail, strokes, machine: training.content.machine });
  clearTimeout(reloadTimer);
  if (detail.session.state !== 'open') return;
  reloadTimer = setTimeout(() => { if (!document.hidden) load(); }, RELOAD_AFTER);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && detail && detail.session.state === 'open') load();
});

// MARK: The result

byId('back').textContent = '\u2190\u00a0' + strings.allSessions;
byId('back').href = pageAddress('/sessions');

function drawResult() {
  const { session, summary, splits } = detail;
  const title = sessionFormat.sessionTitle(session, summary, splits, strings);
  titlePage(title);
  if (!club) byId('club').textContent = session.gw;
  byId('title').textContent = title;
  drawWho(detail);
  drawCorrection(detail);
  drawFigures(summary);
  // The Concept2 file only contains finished pieces.
  files.concept2.hidden = !summary.ended_ms;
  const state = sessionFormat.knownState(session.state);
  const place = byId('standing');
  place.textContent = '';
  make('span', 'state ' + state, place).textContent = strings.states[state];
  make('span', 'reasons', place).textContent = sessionFormat.stateReasons(detail, strings).join(' \u00b7 ');
}

/** Shows the link to the group result if others rowed the same workout. Athletes do not see the sessions of others. */
async function linkGroupResult(signal) {
  const path = '/' + encodeURIComponent(queryParam('gw')) + '/' + encodeURIComponent(queryParam('id'));
  const { status, content } = await get('/api/v1/pieces' + path, signal);
  if (signal.aborted || status !== 200) return;
  const { gw, session_id, athlete_count } = content.piece;
  const link = byId('group-result');
  link.hidden = athlete_count < 2;
  link.href = pageAddress('/piece?gw=' + encodeURIComponent(gw) + '&id=' + encodeURIComponent(session_id));
  link.textContent = strings.groupResult + ' \u00b7 ' + pluralize(strings.athleteCount, athlete_count) + '\u00a0\u2192';
}

/** A session without a result shows the distance of its last stroke. */
function drawSoFar(stroke) {
  byId('title').textContent = interpolate(strings.soFar, sessionFormat.distance(stroke.distance_m, strings));
}

function drawWho({ session, summary }) {
  const place = byId('who');
  place.textContent = '';
  const hasAthlete = isAthleteId(session.athlete_id);
  const of = hasAthlete ? make('a', 'of', place) : place;
  if (hasAthlete) of.href = pageAddress('/athlete?id=' + encodeURIComponent(session.athlete_id));
  const name = make('bdi', '', of);
  name.textContent = nameOf(session.athlete_id) || strings.nobody;
  const machine = sessionFormat.machineName(session, strings);
  const when = session.started_ms
    ? dayOf(session.started_ms) + ', ' + timeOfDay(session.started_ms) : strings.undated;
  make('span', '', place).textContent = [when, format.ergName(session.erg, strings.erg), machine,
    sessionFormat.kindOf(session.workout, strings),
    summary.workout_set_by === 'phone' ? strings.setByPhone : ''].filter(Boolean).map((text) => ' \u00b7 ' + text)
    .join('');
}

/** Lets coaches correct the athlete, and undo it. */
async function drawCorrection({ session, corrections }) {
  const { role } = await me;
  const place = byId('correction');
  place.textContent = '';
  place.hidden = !isAtLeast(role, 'coach');
  if (place.hidden) return;
  const path = root + '/athlete';
  const store = async (request) => {
    const answer = await request;
    if (answer.status === 200) await load();
    return answerError(answer, strings);
  };
  const title = session.athlete_id ? strings.changeAthlete : strings.assignAthlete;
  button(place, title, () => openAthletePicker(strings, title.replace('\u2026', ''), session.athlete_id || '',
    (id) => store(post(path, { athlete_id: id }))), 'quiet');
  if (!session.corrected) return;
  const last = (corrections || []).slice(-1)[0];
  const former = nameOf(last && last.former_athlete_id) || strings.nobody;
  const note = make('p', 'hint', place);
  note.textContent = interpolate(strings.athleteCorrected, former);
  button(note, strings.undo, () => store(last && last.former_athlete_id && corrections.length > 1
    ? post(path, { athlete_id: last.former_athlete_id }) : remove(path)), 'link');
}

/** Appends a name, a value and its unit; nothing without a value. */
function figure(list, label, value, unit, note) {
  if (!value || value === format.DASH) return;
  const entry = make('div', '', list);
  make('dt', '', entry).textContent = label;
  const place = make('dd', '', entry);
  place.textContent = value;
  if (unit) make('small', '', place).textContent = unit;
  if (note) make('small', 'note', place).textContent = note;
}

function drawFigures(summary) {
  const list = byId('figures');
  list.textContent = '';
  if (summary.session_type === 'intervals') {
    figure(list, strings.distance, format.metres(summary.distance_m), units.metres);
    figure(list, strings.time, sessionFormat.time(summary.result_time_s, strings));
  }
  const machine = format.machineOf(summary.machine_type);
  figure(list, strings.pace, format.pace(summary.avg_pace_s_per_500m, decimal, machine),
    format.paceUnit(machine, units));
  figure(list, strings.names.power, format.positiveWhole(summary.avg_power_w), units.power);
  figure(list, strings.names.rate, format.positiveWhole(summary.avg_stroke_rate_spm), units.rate);
  const most = format.positiveWhole(summary.max_heart_rate_bpm);
  figure(list, strings.heart, format.positiveWhole(summary.avg_heart_rate_bpm), units.heart,
    most === format.DASH ? '' : interpolate(strings.maximum, most));
  const share = summary.in_target_ratio;
  figure(list, strings.targetLabel, commonTarget(detail.splits, strings, machine), '', share >= 0
    ? interpolate(strings.onTargetShare, format.withUnit(format.whole(share * 100), '%')) : '');
  figure(list, strings.drag, format.positiveWhole(summary.drag_factor_avg));
  figure(list, strings.strokes, format.positiveWhole(detail.session.strokes));
  figure(list, strings.calories, format.positiveWhole(summary.calories_kcal), 'kcal');
}

const exports = byId('exports');
const files = makeDownloads(exports, root, strings);
const print = make('button', '', exports);
print.type = 'button';
print.textContent = strings.print;
print.addEventListener('click', () => window.print());

// MARK: Stroke by stroke

const PACES = [1, 2, 5, 10, 15, 30, 60, 120, 300];
const paceText = (value, isExact) =>
  (isExact ? format.pace(value, decimal) : format.elapsed(value));
const positive = (name) => (stroke) => (stroke[name] > 0 ? stroke[name] : undefined);
const machine = () => format.machineOf(detail && detail.session.machine_type);
const paceBand = { name: 'pace', label: strings.pace, unit: units.pace, height: 170, steps: PACES,
  write: paceText, isFasterUp: true,
  value: ({ pace_s_per_500m: pace }) =>
    (pace > 0 ? pace * format.paceFactor(machine()) : undefined) };
const chart = new Chart(byId('chart'), [
  paceBand,
  { name: 'rate', label: strings.names.rate, unit: units.rate, height: 90,
    steps: [1, 2, 5, 10, 20], write: format.whole, value: positive('stroke_rate_spm') },
  { name: 'heart', label: strings.heart, unit: units.heart, height: 90,
    steps: [5, 10, 20, 50], write: format.whole, value: positive('heart_rate_bpm') },
], strings, pick);
const times = [.02, .05, .1, .2, .5, 1, 2, 5];
const driveChart = new Chart(byId('drive-chart'), [
  { name: 'drive', label: strings.drive, unit: 's', height: 70, steps: times, write: hundredths,
    value: positive('drive_time_s') },
  { name: 'recovery', label: strings.recovery, unit: 's', height: 70, steps: times,
    write: hundredths, value: positive('recovery_time_s') },
], strings, pick);

for (const [id, text] of [['over-title', strings.overPiece], ['force-title', strings.curves],
  ['drive-title', strings.driveTitle], ['drive-hint', strings.driveHint],
  ['gaps-title', strings.gapsTitle], ['no-strokes', strings.noStrokes]]) {
  byId(id).textContent = text;
}
byId('chart').setAttribute('aria-label', strings.byStroke);
byId('drive-chart').setAttribute('aria-label', strings.driveTitle + ', ' + strings.byStroke);

const axes = byId('axes');
axes.setAttribute('role', 'radiogroup');
axes.setAttribute('aria-label', strings.over);
for (const name of Object.keys(strings.axes)) {
  const label = make('label', '', axes);
  const input = make('input', '', label);
  input.type = 'radio';
  input.name = 'axis';
  input.checked = name === axis;
  make('span', '', label).textContent = strings.axes[name];
  input.addEventListener('change', () => { axis = name; drawStrokes(); });
}

function drawStrokes() {
  const { summary, session } = detail;
  const isOver = session.state === 'gone' || session.state === 'differs';
  const shown = series(strokes, detail, axis, strings, isOver);
  const theirs = compareView.other;
  const both = theirs ? withOther(shown, series(theirs.strokes, theirs.detail, axis, strings, true))
    : shown;
  byId('over').classList.toggle('both', Boolean(theirs));
  const has = shown.strokes.length > 0;
  byId('chart').hidden = !has;
  byId('no-strokes').hidden = has;
  byId('axes').hidden = !has;
  if (has && !summary.result_time_s) drawSoFar(shown.strokes[shown.strokes.length - 1]);
  const hasDrive = shown.strokes.some((stroke) => stroke.drive_time_s > 0);
  byId('drive').hidden = !hasDrive;
  paceBand.unit = format.paceUnit(machine(), units);
  if (has) chart.show(both);
  if (hasDrive) driveChart.show(shown);
  if (hasDrive) drawDrive(shown.strokes);
  pick(chart.at);
}

/** Means of the piece, and the change from the first to the last quarter. */
function drawDrive(all) {
  const list = byId('drive-figures');
  list.textContent = '';
  const rows = all.map((stroke) => Object.assign({}, stroke, {
    ratio: stroke.drive_time_s > 0 ? stroke.recovery_time_s / stroke.drive_time_s : undefined }));
  for (const [label, name, unit] of [[strings.drive, 'drive_time_s', 's'],
    [strings.recovery, 'recovery_time_s', 's'], [strings.driveRatio, 'ratio', ''],
    [strings.driveLength, 'drive_length_m', 'm']]) {
    const average = mean(rows, name);
    const change = quarters(rows, name);
    figure(list, label, average === null ? '' : hundredths(average), unit,
      change ? interpolate(strings.firstLast, hundredths(change[0]), hundredths(change[1])) : '');
  }
}

/** Selects a stroke in all charts; null for none. */
function pick(index) {
  chart.pick(index);
  driveChart.pick(index);
  const stroke = chart.at === null ? null : chart.shown.strokes[chart.at];
  const hasCurve = curves.pick(stroke ? stroke.stroke : 0);
  byId('key').classList.toggle('has-one', hasCurve);
  if (!stroke) {
    const group = chart.group > 1 ? ' \u00b7 ' + interpolate(strings.meanOf, chart.group) : '';
    byId('picked').textContent = chart.shown ? strings.pointAt + group : '';
    byId('picked').hidden = !chart.shown;
    return;
  }
  const parts = [interpolate(strings.strokeNumber, stroke.stroke),
    sessionFormat.distance(stroke.distance_m, strings), sessionFormat.time(stroke.elapsed_s, strings),
  ].concat(chart.describe(stroke));
  const theirs = chart.otherAt(stroke);
  if (chart.shown.other) {
    parts.push(strings.otherOne + ': ' + (theirs ? chart.describe(theirs).join(', ') : format.DASH));
  }
  byId('picked').textContent = parts.join(' \u00b7 ');
  const drive = driveChart.shown ? driveChart.describe(stroke) : [];
  byId('chart').setAttribute('aria-valuetext', parts.join(', '));
  byId('drive-chart').setAttribute('aria-valuetext', parts.slice(0, 1).concat(drive).join(', '));
}

// MARK: Force

const curves = new Curves(byId('curves'), strings);
for (const [look, text] of [['first', strings.firstQuarter], ['last', strings.lastQuarter],
  ['all', strings.allFaint], ['one', strings.oneStroke]]) {
  make('span', look, byId('key')).textContent = text;
}
byId('force').hidden = true;

function drawForces(forces) {
  byId('force').hidden = false;
  byId('key').hidden = byId('curves').hidden = !forces.length;
  byId('changed').textContent = forces.length ? changeText(forces, strings) : strings.noCurves;
  if (forces.length) curves.show(forces);
  pick(chart.at);
}

// MARK: Gaps

function drawGaps() {
  byId('gaps').hidden = !detail.gaps.length;
  const list = byId('gap-list');
  list.textContent = '';
  for (const gap of detail.gaps) {
    const why = strings.gapReasons[gap.reason] || '';
    const long = gap.duration_s > 0 ? format.age(gap.duration_s, strings.ages) : '';
    make('li', '', list).textContent = [gapText(gap, strings), where(gap), [why, long].join(' ').trim(),
      gap.recovered ? strings.recovered : ''].filter(Boolean).join(' \u00b7 ');
  }
}

function where(gap) {
  const [first, last] = [gap.from_stroke || gap.from_split, gap.to_stroke || gap.to_split];
  if (!first) return '';
  if (gap.from_split) return interpolate(strings.gapSplits, first, last);
  return first === last ? interpolate(strings.gapAtOne, first) : interpolate(strings.gapAt, first, last);
}

load();
