// The result of a group piece: one row per athlete, one column per repeat, the pace by repeat as lines, and sentences.
// The page of a piece and the page of its shared link show it.
import { draw } from '../common/chart.js';
import { button } from '../common/dialog.js';
import * as format from '../common/format.js';
import { byId, club, dayOf, titlePage } from '../common/page.js';
import { isNumber, scale } from '../common/series.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { commonTarget } from '../session/panels.js';
import { offTarget, paceOfRepeat, repeatIn, sentences, sortedRows, workoutName } from './facts.js';

/** A piece in progress is loaded again after this time: milliseconds. */
export const RELOAD_AFTER = 20000;

/** The answer, the sorted column, and the key of the highlighted row. */
let result = null;
let [strings, rowName, rowLink] = [null, null, null];
const order = { column: '', isReversed: false };
let highlighted = '';

/**
 * Prepares the page. `link` gives the address of a row; without it, names are no links.
 * @type {(texts: import('../common/strings.js').Strings, name: (row: object) => string, link?: (row: object) => string)
 *   => void}
 */
export function initResult(texts, name, link) {
  [strings, rowName, rowLink] = [texts, name, link];
  byId('lines-title').textContent = strings.lines;
  byId('facts-title').textContent = strings.facts;
  byId('alone').textContent = strings.alone;
  addEventListener('resize', () => { if (result) drawLines(); });
}

/**
 * Whether a session of a piece is in progress.
 * @type {(piece: object) => boolean}
 */
export const isOpen = (piece) => piece.sessions.some((session) => session.state === 'open');

const machine = () => (result.piece.workout ? result.piece.workout.machine : 'rower');
const paceText = (value) => format.pace(value, strings.decimal, machine());
// No two athletes row on one erg at a time.
const keyOf = (row) => row.gw + ' ' + row.erg + ' ' + row.started_ms;

/**
 * Shows a result, in the place of the one before.
 * @type {(content: object) => void}
 */
export function showResult(content) {
  result = content;
  byId('group').hidden = false;
  const { piece, rows } = result;
  const title = workoutName(piece.workout, strings);
  titlePage(title);
  if (!club) byId('club').textContent = piece.gw;
  byId('title').textContent = title;
  const ends = piece.sessions.map((session) => session.ended_ms).filter(isNumber);
  const end = isOpen(piece) || !ends.length ? '' : format.timeOfDay(Math.max(...ends));
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
  const active = document.activeElement;
  const focused = active && active.dataset.column;
  const focusedRow = active && active.closest('#results [data-row]');
  place.textContent = '';
  const table = make('table', '', make('div', 'scroll', place));
  make('caption', 'spoken', table).textContent = interpolate(strings.caption,
    format.paceLabel(machine(), strings.pace, strings.units));
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
  const next = focused ? place.querySelector('[data-column="' + focused + '"]') : focusedRow
    ? place.querySelector('[data-row="' + focusedRow.dataset.row + '"] .athlete') : null;
  if (next) next.focus();
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
  // Without a link, a button: keyboards reach it, too.
  const name = rowLink ? make('a', 'athlete', who)
    : button(who, '', () => highlight(keyOf(row)), 'athlete');
  if (rowLink) name.href = rowLink(row);
  name.textContent = rowName(row);
  name.dir = 'auto';
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
