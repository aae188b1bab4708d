// The page of a group piece: one row per athlete, one column per repeat, the pace by repeat as lines, and sentences.
import { get, RequestSeries } from '../common/api-client.js';
import { draw } from '../common/chart.js';
import { button } from '../common/dialog.js';
import * as format from '../common/format.js';
import { loadAthletes, nameOf } from '../common/names.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import {
  byId, club, dayOf, initPage, pageAddress, queryParam, strings as shared, titlePage
} from '../common/page.js';
import { isNumber, scale } from '../common/series.js';
import { interpolate, pluralize, stringsOfPage } from '../common/strings.js';
import { make } from '../common/view.js';
import { makeDownloads } from '../session/downloads.js';
import { offTarget, paceOfRepeat, repeatIn, sentences, sortedRows, workoutName } from './facts.js';
import { commonTarget, paceLabel } from '../session/panels.js';

/** A piece in progress is loaded again after this time: milliseconds. */
const RELOAD_AFTER = 20000;
const strings = stringsOfPage(shared, 'groupPage');
const root = '/api/v1/pieces/' + encodeURIComponent(queryParam('gw')) + '/' + encodeURIComponent(queryParam('id'));

/** The answer, the sorted column, and the session of the highlighted row. */
let result = null;
const order = { column: '', isReversed: false };
let highlighted = '';
let timer = null;
const requests = new RequestSeries();

initPage(strings.title);
makeHeader('/sessions');
const pageStatus = new PageStatus(load, strings.pageStatus);
byId('back').textContent = '\u2190\u00a0' + strings.allSessions;
byId('back').href = pageAddress('/sessions');
byId('lines-title').textContent = strings.lines;
byId('facts-title').textContent = strings.facts;
byId('alone').textContent = strings.alone;
loadAthletes().then(() => { if (result) show(); });

async function load() {
  if (!result) pageStatus.show('loading');
  const signal = requests.next();
  const answer = await get(root, signal);
  if (signal.aborted) return;
  if (answer.status !== 200) {
    if (!result) pageStatus.show(statusOf(answer));
    return;
  }
  result = answer.content;
  pageStatus.show('');
  byId('group').hidden = false;
  show();
  clearTimeout(timer);
  if (isOpen()) timer = setTimeout(() => { if (!document.hidden) load(); }, RELOAD_AFTER);
}

const isOpen = () => result.piece.sessions.some((session) => session.state === 'open');
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && result && isOpen()) load();
});

const machine = () => (result.piece.workout ? result.piece.workout.machine : 'rower');
const paceText = (value) => format.pace(value, strings.decimal, machine());
const rowName = (row) => nameOf(row.athlete_id) || format.ergName(row.erg, strings.erg);
const keyOf = (row) => row.gw + ' ' + row.session_id;

// MARK: The head

makeDownloads(byId('exports'), root, strings);
button(byId('exports'), strings.print, () => window.print());

function show() {
  const { piece, rows } = result;
  const title = workoutName(piece.workout, strings);
  titlePage(title);
  if (!club) byId('club').textContent = piece.gw;
  byId('title').textContent = title;
  const ends = piece.sessions.map((session) => session.ended_ms).filter(isNumber);
  const end = isOpen() || !ends.length ? '' : format.timeOfDay(Math.max(...ends));
  const time = format.timeOfDay(piece.started_ms);
  const all = [].concat(...rows.map((row) => row.repeats));
  const target = commonTarget(all, strings, machine());
  byId('when').textContent = [dayOf(piece.started_ms), end ? interpolate(strings.fromTo, time, end) : time,
    piece.gw, machine() === 'rower' ? '' : strings.machines[machine()],
    pluralize(strings.athleteCount, piece.athlete_count),
    target ? interpolate(strings.targetOf, target) : ''].filter(Boolean).join(' \u00b7 ');
  byId('alone').hidden = rows.length !== 1;
  if (!rows.some((row) => keyOf(row) === highlighted)) highlighted = rows.length ? keyOf(rows[0]) : '';
  drawTable();
  drawLines();
  const found = sentences(result, rowName, strings);
  byId('facts').hidden = !found.length;
  const list = byId('sentences');
  list.textContent = '';
  for (const text of found) make('li', '', list).textContent = text;
}

// MARK: The table

function columnsOf() {
  const lengths = new Set(result.columns.map((one) => JSON.stringify(one)));
  const repeats = result.columns.map((length, index) => [String(index + 1),
    lengths.size > 1 ? lengthText(length) || String(index + 1) : String(index + 1)]);
  return [['name', strings.athlete]].concat(repeats, [['avg_pace_s_per_500m', strings.average]],
    [['fade_percent', strings.fade], ['avg_stroke_rate_spm', strings.rate], ['in_target_ratio', strings.onTargetColumn]]
      .filter(([name]) => result.rows.some((row) => isNumber(row[name]))));
}

function lengthText(length) {
  if (length.distance_m) return format.withUnit(format.metres(length.distance_m), strings.units.metres);
  if (length.duration_s) return format.duration(length.duration_s);
  return length.calories_kcal ? format.withUnit(length.calories_kcal, 'kcal') : '';
}

function drawTable() {
  const place = byId('results');
  const focused = document.activeElement && document.activeElement.dataset.column;
  place.textContent = '';
  const table = make('table', '', make('div', 'scroll', place));
  make('caption', 'spoken', table).textContent = interpolate(strings.caption, paceLabel(machine(), strings));
  const head = make('tr', '', make('thead', '', table));
  const columns = columnsOf();
  for (const [name, label] of columns) {
    const cell = make('th', name === 'name' ? 'rower' : '', head);
    cell.scope = 'col';
    if (order.column === name) cell.setAttribute('aria-sort', order.isReversed ? 'descending' : 'ascending');
    const sort = button(cell, label, () => sortBy(name), 'sort');
    sort.dataset.column = name;
    if (/^\d+$/.test(name)) sort.setAttribute('aria-label', interpolate(strings.repeat, name));
  }
  const body = make('tbody', '', table);
  const places = new Map(result.rows.filter((row) => row.complete).map((row, index) => [row, index + 1]));
  const rows = order.column ? sortedRows(result.rows, order.column, order.isReversed, rowName) : result.rows;
  for (const row of rows) drawRow(body, row, columns, places.get(row));
  if (columns.some(([name]) => name === 'fade_percent')) make('p', 'hint', place).textContent = strings.fadeHint;
  place.parentNode.classList.toggle('crowded', rows.length > 16);
  if (focused) place.querySelector('[data-column="' + focused + '"]').focus();
}

/** The first press sorts; the second one reverses the order; the third one restores the order by result. */
function sortBy(column) {
  if (order.column !== column) Object.assign(order, { column, isReversed: false });
  else if (!order.isReversed) order.isReversed = true;
  else Object.assign(order, { column: '', isReversed: false });
  drawTable();
}

function drawRow(body, row, columns, place) {
  const line = make('tr', keyOf(row) === highlighted ? 'highlighted' : '', body);
  for (const event of ['pointerenter', 'focusin', 'click']) {
    line.addEventListener(event, () => highlight(keyOf(row)));
  }
  line.dataset.row = keyOf(row);
  const who = make('th', 'rower', line);
  who.scope = 'row';
  make('span', 'rank', who).textContent = place ? place + '\u00a0' : '';
  const link = make('a', '', who);
  link.href = pageAddress('/session?gw=' + encodeURIComponent(row.gw) + '&id=' + encodeURIComponent(row.session_id));
  link.textContent = rowName(row);
  link.dir = 'auto';
  if (!row.complete) make('small', 'unfinished', who).textContent = strings.unfinished;
  const cells = {
    avg_pace_s_per_500m: () => paceText(row.avg_pace_s_per_500m),
    fade_percent: () => (isNumber(row.fade_percent) ? signed(row.fade_percent) : format.DASH),
    avg_stroke_rate_spm: () => format.positiveWhole(row.avg_stroke_rate_spm),
    in_target_ratio: () => (isNumber(row.in_target_ratio)
      ? format.withUnit(format.whole(row.in_target_ratio * 100), '%') : format.DASH),
  };
  for (const [name] of columns.slice(1)) {
    if (!cells[name]) drawRepeat(line, row, Number(name));
    else make('td', name === 'avg_pace_s_per_500m' ? 'strong' : '', line).textContent = cells[name]();
  }
}

function drawRepeat(line, row, number) {
  const found = repeatIn(row, number);
  const cell = make('td', row.best_repeat === number ? 'best' : '', line);
  cell.textContent = paceText(paceOfRepeat(found));
  if (!found) return;
  const off = found.partial ? null : offTarget(found, strings);
  if (off) cell.className += ' ' + off.look;
  const note = found.partial ? lengthText({ distance_m: found.distance_m }) : off ? off.word : '';
  if (note) make('small', '', cell).textContent = note;
  if (row.best_repeat === number) make('span', 'spoken', cell).textContent = ' ' + strings.best;
}

/** `+1.8 %`, `−0.4 %`. */
function signed(value) {
  const text = format.decimal(Math.abs(value), 1, strings.decimal);
  const sign = Number(value.toFixed(1)) === 0 ? '' : value < 0 ? '\u2212' : '+';
  return sign + format.withUnit(text, '%');
}

// MARK: The lines

const LEFT = 54, RIGHT = 16, TOP = 12, BOTTOM = 26, HIGH = 280;
const PACES = [.5, 1, 2, 5, 10, 15, 30, 60, 120];

function highlight(key) {
  if (key === highlighted) return;
  highlighted = key;
  for (const line of document.querySelectorAll('[data-row]')) {
    line.classList.toggle('highlighted', line.dataset.row === key);
  }
  markLine();
}

/** The pace of a whole repeat. */
function wholePace(row, column) {
  const found = repeatIn(row, column);
  return found && !found.partial ? paceOfRepeat(found) : undefined;
}

/** Draws the pace by repeat of each row, faster upwards. */
function drawLines() {
  const { columns, rows } = result;
  const place = byId('chart');
  place.textContent = '';
  const paces = [].concat(...rows.map((row) => columns.map((_, index) => wholePace(row, index + 1)))).filter(isNumber);
  byId('lines').hidden = columns.length < 2 || !paces.length;
  if (byId('lines').hidden) return;
  const wide = Math.max(260, place.clientWidth);
  const factor = format.paceFactor(machine());
  const { from, to, ticks } = scale([Math.min(...paces) * factor, Math.max(...paces) * factor], PACES, 6);
  const x = (column) => LEFT + (wide - LEFT - RIGHT) * (column - 0.5) / columns.length;
  const y = (pace) => TOP + (HIGH - TOP - BOTTOM) * (pace * factor - from) / (to - from);
  const svg = draw(place, 'svg', { viewBox: '0 0 ' + wide + ' ' + HIGH, role: 'img', 'aria-label': strings.lines });
  for (const tick of ticks) {
    const at = y(tick / factor).toFixed(1);
    draw(svg, 'line', { class: 'grid', x1: LEFT, x2: wide - RIGHT, y1: at, y2: at });
    draw(svg, 'text', { x: LEFT - 8, y: Number(at) + 4, 'text-anchor': 'end' }, tick % 1
      ? format.tenths(tick, strings.decimal) : format.elapsed(tick));
  }
  const every = Math.ceil(columns.length / ((wide - LEFT - RIGHT) / 26));
  for (let column = 1; column <= columns.length; column += every) {
    draw(svg, 'text', { x: x(column).toFixed(1), y: HIGH - 6, 'text-anchor': 'middle' }, column);
  }
  for (const row of rows) {
    const path = columns.map((_, index) => wholePace(row, index + 1))
      .map((pace, index, all) => (!isNumber(pace) ? ''
        : (isNumber(all[index - 1]) ? 'L' : 'M') + x(index + 1).toFixed(1) + ' ' + y(pace).toFixed(1))).join('');
    const line = draw(svg, 'path', { class: 'athlete-line', d: path });
    line.dataset.line = keyOf(row);
  }
  markLine();
}

/** Draws the highlighted line in front of the others. */
function markLine() {
  const row = result.rows.find((one) => keyOf(one) === highlighted);
  byId('shown-line').textContent = '';
  if (row) make('span', 'this', byId('shown-line')).textContent = rowName(row);
  for (const line of Array.from(document.querySelectorAll('.athlete-line'))) {
    const isOne = line.dataset.line === highlighted;
    line.classList.toggle('one', isOne);
    if (isOne) line.parentNode.appendChild(line);
  }
}

addEventListener('resize', () => { if (result) drawLines(); });
load();
