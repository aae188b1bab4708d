// One session: what was rowed, what it was made of, and whether all of it is here.
import { get } from './asking.js';
import { Chart } from './chart.js';
import { timeOfDay } from './clubtime.js';
import { Curves, changed, whole } from './curves.js';
import * as figures from './figures.js';
import { address, dayOf, dress, find, isAthlete, wish, words } from './page.js';
import { askSession, recordsOf, rootOf } from './rowed.js';
import { beside, lost, mean, quarters, series } from './series.js';
import { commonTarget, drawSplits } from './splits.js';
import { drawSteadiness } from './steadiness.js';
import * as standing from './standing.js';
import { Telling, reason } from './telling.js';
import { makeTop } from './top.js';
import { makeVersus } from './versus.js';
import { make } from './view.js';
import { fill } from './words.js';

/** A session that goes on is asked for again: milliseconds. */
const AGAIN = 20000;

const root = rootOf(wish('gw'), wish('id'));
const { units, decimal } = words;
const hundredths = (value) => figures.decimal(value, 2, decimal);

let axis = 'distance_m';
let detail = null;
let strokes = [];
let again = null;

dress(words.session);
makeTop('/sessions');
const telling = new Telling(load);
const versus = makeVersus(drawStrokes);

// MARK: Asking

async function load() {
  if (!detail) telling.show('loading');
  const answer = await askSession(root);
  if (!answer.detail) {
    if (!detail) telling.show(reason(answer));
    return;
  }
  detail = answer.detail;
  telling.show('');
  find('session').hidden = false;
  drawResult();
  drawSplits(find('splits'), detail, words);
  drawGaps();
  const found = await recordsOf(root, 'strokes');
  if (found.status !== 200) {
    telling.show(reason({ status: found.status, content: {} }));
    return;
  }
  strokes = found.records;
  drawStrokes();
  const forces = await recordsOf(root, 'forces');
  if (forces.status === 200) drawForces(whole(forces.records));
  const training = await get(root + '/training');
  if (training.status === 200) drawSteadiness(find('steadiness'), training.content, words);
  versus.show({ detail, strokes, machine: training.content.machine });
  clearTimeout(again);
  if (detail.session.state !== 'open') return;
  again = setTimeout(() => { if (!document.hidden) load(); }, AGAIN);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && detail && detail.session.state === 'open') load();
});

// MARK: The result

find('back').textContent = '\u2190\u00a0' + words.allSessions;
find('back').href = address('/sessions');

function drawResult() {
  const { session, summary, splits } = detail;
  const title = standing.title(session, summary, splits, words);
  document.title = title + ' \u00b7 rowgate';
  find('club').textContent = session.gw;
  find('title').textContent = title;
  drawWho(session);
  drawFigures(summary);
  // A table of results has none of a piece that is still rowed.
  files.concept2.hidden = !summary.ended_ms;
  const state = standing.known(session.state);
  const place = find('standing');
  place.textContent = '';
  make('span', 'state ' + state, place).textContent = words.states[state];
  make('span', 'reasons', place).textContent = standing.reasons(detail, words).join(' \u00b7 ');
}

/** A session without a result is as long as its last stroke tells. */
function drawSoFar(stroke) {
  find('title').textContent = fill(words.soFar, standing.distance(stroke.distance_m, words));
}

function drawWho(session) {
  const place = find('who');
  place.textContent = '';
  const hasAthlete = isAthlete(session.athlete_id);
  const of = hasAthlete ? make('a', 'of', place) : place;
  if (hasAthlete) of.href = address('/athlete?id=' + encodeURIComponent(session.athlete_id));
  const name = make('bdi', '', of);
  name.textContent = figures.line(session.athlete_id, 64) || words.nobodyThere;
  const machine = standing.machineName(session, words);
  const when = session.started_ms
    ? dayOf(session.started_ms) + ', ' + timeOfDay(session.started_ms) : words.undated;
  make('span', '', place).textContent = [when, standing.ergName(session.erg, words), machine,
    standing.kindOf(session.workout, words)].filter(Boolean).map((text) => ' \u00b7 ' + text)
    .join('');
}

/** A name, a figure and its unit, in a list; nothing where there is no figure. */
function figure(list, label, value, unit, note) {
  if (!value || value === figures.DASH) return;
  const entry = make('div', '', list);
  make('dt', '', entry).textContent = label;
  const place = make('dd', '', entry);
  place.textContent = value;
  if (unit) make('small', '', place).textContent = unit;
  if (note) make('small', 'note', place).textContent = note;
}

function drawFigures(summary) {
  const list = find('figures');
  list.textContent = '';
  if (summary.session_type === 'intervals') {
    figure(list, words.distance, figures.metres(summary.distance_m), units.metres);
    figure(list, words.time, standing.time(summary.result_time_s, words));
  }
  const machine = figures.machineOf(summary.machine_type);
  figure(list, words.pace, figures.pace(summary.avg_pace_s_per_500m, decimal, machine),
    figures.paceUnit(machine, units));
  figure(list, words.names.power, figures.effort(summary.avg_power_w), units.power);
  figure(list, words.names.rate, figures.effort(summary.avg_stroke_rate_spm), units.rate);
  const most = figures.effort(summary.max_heart_rate_bpm);
  figure(list, words.heart, figures.effort(summary.avg_heart_rate_bpm), units.heart,
    most === figures.DASH ? '' : fill(words.maximum, most));
  const share = summary.in_target_ratio;
  figure(list, words.targetWord, commonTarget(detail.splits, words, machine), '', share >= 0
    ? fill(words.onTargetShare, figures.withUnit(figures.whole(share * 100), '%')) : '');
  figure(list, words.drag, figures.effort(summary.drag_factor_avg));
  figure(list, words.strokesWord, figures.effort(detail.session.strokes));
  figure(list, words.calories, figures.effort(summary.calories_kcal), 'kcal');
}

const exports = find('exports');
const files = {};
for (const format of Object.keys(words.formats)) {
  const link = make('a', 'file', exports);
  files[format] = link;
  link.href = root + '/export?format=' + format;
  link.textContent = words.formats[format];
  link.setAttribute('download', '');
  link.setAttribute('aria-label', words.exports + ' ' + words.formats[format]);
}
const print = make('button', '', exports);
print.type = 'button';
print.textContent = words.print;
print.addEventListener('click', () => window.print());

// MARK: Stroke by stroke

const PACES = [1, 2, 5, 10, 15, 30, 60, 120, 300];
const paceText = (value, isExact) =>
  (isExact ? figures.pace(value, decimal) : figures.elapsed(value));
const positive = (name) => (stroke) => (stroke[name] > 0 ? stroke[name] : undefined);
const machine = () => figures.machineOf(detail && detail.session.machine_type);
const paceBand = { name: 'pace', label: words.pace, unit: units.pace, height: 170, steps: PACES,
  write: paceText, isFasterUp: true,
  value: ({ pace_s_per_500m: pace }) =>
    (pace > 0 ? pace * figures.paceFactor(machine()) : undefined) };
const chart = new Chart(find('chart'), [
  paceBand,
  { name: 'rate', label: words.names.rate, unit: units.rate, height: 90,
    steps: [1, 2, 5, 10, 20], write: figures.whole, value: positive('stroke_rate_spm') },
  { name: 'heart', label: words.heart, unit: units.heart, height: 90,
    steps: [5, 10, 20, 50], write: figures.whole, value: positive('heart_rate_bpm') },
], words, pick);
const times = [.02, .05, .1, .2, .5, 1, 2, 5];
const driveChart = new Chart(find('drive-chart'), [
  { name: 'drive', label: words.drive, unit: 's', height: 70, steps: times, write: hundredths,
    value: positive('drive_time_s') },
  { name: 'recovery', label: words.recovery, unit: 's', height: 70, steps: times,
    write: hundredths, value: positive('recovery_time_s') },
], words, pick);

for (const [id, text] of [['over-title', words.overPiece], ['force-title', words.curves],
  ['drive-title', words.driveTitle], ['drive-hint', words.driveHint],
  ['gaps-title', words.gapsTitle], ['no-strokes', words.noStrokes]]) {
  find(id).textContent = text;
}
find('chart').setAttribute('aria-label', words.byStroke);
find('drive-chart').setAttribute('aria-label', words.driveTitle + ', ' + words.byStroke);

const axes = find('axes');
axes.setAttribute('role', 'radiogroup');
axes.setAttribute('aria-label', words.over);
for (const name of Object.keys(words.axes)) {
  const label = make('label', '', axes);
  const input = make('input', '', label);
  input.type = 'radio';
  input.name = 'axis';
  input.checked = name === axis;
  make('span', '', label).textContent = words.axes[name];
  input.addEventListener('change', () => { axis = name; drawStrokes(); });
}

function drawStrokes() {
  const { summary, session } = detail;
  const isOver = session.state === 'gone' || session.state === 'differs';
  const shown = series(strokes, detail, axis, words, isOver);
  const theirs = versus.other;
  const both = theirs ? beside(shown, series(theirs.strokes, theirs.detail, axis, words, true))
    : shown;
  find('over').classList.toggle('both', Boolean(theirs));
  const has = shown.strokes.length > 0;
  find('chart').hidden = !has;
  find('no-strokes').hidden = has;
  find('axes').hidden = !has;
  if (has && !summary.result_time_s) drawSoFar(shown.strokes[shown.strokes.length - 1]);
  const hasDrive = shown.strokes.some((stroke) => stroke.drive_time_s > 0);
  find('drive').hidden = !hasDrive;
  paceBand.unit = figures.paceUnit(machine(), units);
  if (has) chart.show(both);
  if (hasDrive) driveChart.show(shown);
  if (hasDrive) drawDrive(shown.strokes);
  pick(chart.at);
}

/** The mean of the piece, and how it went from the first quarter to the last. */
function drawDrive(all) {
  const list = find('drive-figures');
  list.textContent = '';
  const rows = all.map((stroke) => Object.assign({}, stroke, {
    ratio: stroke.drive_time_s > 0 ? stroke.recovery_time_s / stroke.drive_time_s : undefined }));
  for (const [label, name, unit] of [[words.drive, 'drive_time_s', 's'],
    [words.recovery, 'recovery_time_s', 's'], [words.driveRatio, 'ratio', ''],
    [words.driveLength, 'drive_length_m', 'm']]) {
    const average = mean(rows, name);
    const change = quarters(rows, name);
    figure(list, label, average === null ? '' : hundredths(average), unit,
      change ? fill(words.firstLast, hundredths(change[0]), hundredths(change[1])) : '');
  }
}

/** Shows one stroke in all pictures; null for none. */
function pick(index) {
  chart.pick(index);
  driveChart.pick(index);
  const stroke = chart.at === null ? null : chart.shown.strokes[chart.at];
  const hasCurve = curves.pick(stroke ? stroke.stroke : 0);
  find('key').classList.toggle('has-one', hasCurve);
  if (!stroke) {
    const group = chart.group > 1 ? ' \u00b7 ' + fill(words.meanOf, chart.group) : '';
    find('picked').textContent = chart.shown ? words.pointAt + group : '';
    find('picked').hidden = !chart.shown;
    return;
  }
  const parts = [fill(words.strokeNumber, stroke.stroke),
    standing.distance(stroke.distance_m, words), standing.time(stroke.elapsed_s, words),
  ].concat(chart.say(stroke));
  const theirs = chart.otherAt(stroke);
  if (chart.shown.other) {
    parts.push(words.otherOne + ': ' + (theirs ? chart.say(theirs).join(', ') : figures.DASH));
  }
  find('picked').textContent = parts.join(' \u00b7 ');
  const drive = driveChart.shown ? driveChart.say(stroke) : [];
  find('chart').setAttribute('aria-valuetext', parts.join(', '));
  find('drive-chart').setAttribute('aria-valuetext', parts.slice(0, 1).concat(drive).join(', '));
}

// MARK: Force

const curves = new Curves(find('curves'), words);
for (const [look, text] of [['first', words.firstQuarter], ['last', words.lastQuarter],
  ['all', words.allFaint], ['one', words.oneStroke]]) {
  make('span', look, find('key')).textContent = text;
}
find('force').hidden = true;

function drawForces(forces) {
  find('force').hidden = false;
  find('key').hidden = find('curves').hidden = !forces.length;
  find('changed').textContent = forces.length ? changed(forces, words) : words.noCurves;
  if (forces.length) curves.show(forces);
  pick(chart.at);
}

// MARK: Gaps

function drawGaps() {
  find('gaps').hidden = !detail.gaps.length;
  const list = find('gap-list');
  list.textContent = '';
  for (const gap of detail.gaps) {
    const why = words.gapReasons[gap.reason] || '';
    const long = gap.duration_s > 0 ? figures.age(gap.duration_s, words.ages) : '';
    make('li', '', list).textContent = [lost(gap, words), where(gap), [why, long].join(' ').trim(),
      gap.recovered ? words.recovered : ''].filter(Boolean).join(' \u00b7 ');
  }
}

function where(gap) {
  const [first, last] = [gap.from_stroke || gap.from_split, gap.to_stroke || gap.to_split];
  if (!first) return '';
  if (gap.from_split) return fill(words.gapSplits, first, last);
  return first === last ? fill(words.gapAtOne, first) : fill(words.gapAt, first, last);
}

load();
