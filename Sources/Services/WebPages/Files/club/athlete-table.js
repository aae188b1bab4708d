// The sortable table of athletes, with those who have not rowed for two weeks.
import { kilometres } from '../athletes/volume.js';
import { button } from '../common/dialog.js';
import { DASH, tenths } from '../common/format.js';
import { nameOf } from '../common/names.js';
import { pageAddress, queryParam, shortDay } from '../common/page.js';
import { sessionAddress } from '../athletes/bests.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import { changeText, daysAgo, hours, risesFirst, sortRows } from './summary.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const NAMES = ['name', 'last', 'distance', 'time', 'sessions', 'change', 'best'];
const FIRST = 'distance';

/** The heads of a table that is sorted by a tap on one of them; a second tap reverses the order. */
export class SortHeads {
  /**
   * @param {HTMLElement} row
   * @param {Object<string, string>} labels the text of each column
   * @param {string} column the column to sort by at first
   * @param {boolean} isReversed
   * @param {() => void} changed called after a choice of the user
   */
  constructor(row, labels, column, isReversed, changed) {
    [this.column, this.isReversed] = [column, isReversed];
    this.cells = Object.keys(labels).map((name) => {
      const cell = make('th', name, row);
      cell.scope = 'col';
      button(cell, labels[name], () => {
        this.isReversed = this.column === name && !this.isReversed;
        this.column = name;
        changed();
      }, 'sort');
      return [name, cell];
    });
  }

  /** The rows in the chosen order, which the heads show. */
  sorted(rows) {
    const isRising = risesFirst(this.column) !== this.isReversed;
    for (const [name, cell] of this.cells) {
      if (name === this.column) cell.setAttribute('aria-sort', isRising ? 'ascending' : 'descending');
      else cell.removeAttribute('aria-sort');
    }
    return sortRows(rows, this.column, isRising);
  }
}

/**
 * The text of each of these columns.
 * @type {(names: string[], texts: Object<string, string>) => Object<string, string>}
 */
export const labelsOf = (names, texts) => names.reduce((labels, name) => Object.assign(labels, { [name]: texts[name] }), {});

/** The table with its own choice: the column to sort by, the direction, and whether only absent athletes are shown. */
export class AthleteTable {
  /**
   * @param {HTMLElement} place
   * @param {Strings} strings
   * @param {() => void} changed called after a choice of the user
   */
  constructor(place, strings, changed) {
    [this.place, this.strings, this.changed] = [place, strings, changed];
    this.rows = [];
    this.isAbsentOnly = queryParam('show') === 'absent';
    const head = make('div', 'bar-of', place);
    make('h2', '', head).textContent = strings.athletes;
    this.chips = make('div', 'chips', head);
    this.note = make('p', 'hint', place);
    const scroll = make('div', 'scroll', place);
    // A keyboard can scroll the table on narrow screens.
    scroll.tabIndex = 0;
    scroll.setAttribute('role', 'region');
    scroll.setAttribute('aria-label', strings.athletes);
    const table = make('table', 'club-athletes', scroll);
    make('caption', 'spoken', table).textContent = strings.athletes;
    const row = make('tr', '', make('thead', '', table));
    const column = queryParam('sort');
    this.heads = new SortHeads(row, labelsOf(NAMES, strings.columns), NAMES.indexOf(column) >= 0 ? column : FIRST,
      queryParam('order') === 'reversed', () => {
        changed();
        this.draw();
      });
    this.body = make('tbody', '', table);
  }

  /** The choice as parameters of an address; empty values are those at first. */
  get choice() {
    const { column, isReversed } = this.heads;
    return { sort: column === FIRST ? '' : column, order: isReversed ? 'reversed' : '',
      show: this.isAbsentOnly ? 'absent' : '' };
  }

  /** Shows the athletes of an answer. */
  show({ athletes, absent, absence_days: days }) {
    this.rows = athletes.map((one) => Object.assign({ name: nameOf(one.athlete_id) }, one));
    [this.absent, this.days] = [absent, days];
    this.draw();
  }

  /** Shows only those who have not rowed for two weeks. */
  showAbsent() {
    this.isAbsentOnly = true;
    this.changed();
    this.draw();
  }

  draw() {
    if (!this.absent) this.isAbsentOnly = false;
    this.drawChips();
    this.body.textContent = '';
    const rows = this.isAbsentOnly ? this.rows.filter((row) => row.absent) : this.rows;
    for (const row of this.heads.sorted(rows)) this.drawRow(make('tr', '', this.body), row);
    this.note.textContent = rows.length ? '' : this.strings.noAthletesHere;
  }

  drawChips() {
    const { strings, chips } = this;
    const isFocused = chips.contains(document.activeElement);
    chips.textContent = '';
    if (!this.absent) return;
    const choices = [[strings.all, this.rows.length, false],
      [interpolate(strings.absentFor, this.days), this.absent, true]];
    for (const [text, count, isAbsentOnly] of choices) {
      const chip = button(chips, text + ' ' + count, () => {
        this.isAbsentOnly = isAbsentOnly;
        this.changed();
        this.draw();
      }, 'chip');
      chip.setAttribute('aria-pressed', String(this.isAbsentOnly === isAbsentOnly));
      if (isFocused && this.isAbsentOnly === isAbsentOnly) chip.focus();
    }
  }

  drawRow(line, row) {
    const { strings } = this;
    const head = make('th', 'name', line);
    head.scope = 'row';
    const link = make('a', '', head);
    link.href = pageAddress('/athlete?id=' + encodeURIComponent(row.athlete_id));
    link.textContent = row.name;
    link.dir = 'auto';
    if (row.archived) make('small', '', head).textContent = strings.archived;
    const last = make('td', 'last', line);
    make('span', '', last).textContent = daysAgo(row.days_since_last, strings);
    if (row.last_day) last.title = shortDay(row.last_day, true);
    if (row.absent) {
      last.className = 'last absent';
      make('small', '', last).textContent = strings.absent;
    }
    const cells = [['distance', kilometres(row.distance_m, strings)], ['time', hours(row.time_s, strings)],
      ['sessions', row.sessions], ['change', changeText(row.distance_m, row.previous.distance_m, strings)]];
    for (const [name, text] of cells) make('td', name, line).textContent = text;
    const best = make('td', 'best', line);
    if (!row.best_2000m) {
      best.textContent = DASH;
      return;
    }
    const result = make('a', '', best);
    result.href = sessionAddress(row.best_2000m.inputs[0]);
    result.textContent = tenths(row.best_2000m.time_s, strings.decimal);
  }
}
