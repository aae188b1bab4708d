// The weeks of a season against those of the season before, and the sortable table of groups.
import { kilometres, monthOf } from '../athletes/volume.js';
import { draw } from '../common/chart.js';
import { button } from '../common/dialog.js';
import { whole } from '../common/format.js';
import { shortDay } from '../common/page.js';
import { scale } from '../common/series.js';
import { interpolate } from '../common/strings.js';
import { addDisclosure, make, tableBody } from '../common/view.js';
import { labelsOf, SortHeads } from './athlete-table.js';
import { changeText, hours } from './summary.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

const [HIGH, LEFT, BELOW] = [190, 40, 20];
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

/** Each sum with the unit of its axis and its name, and how a value is written. */
const MEASURES = {
  distance: { name: 'distance_m', unit: 1000, text: kilometres, unitName: () => 'km' },
  time: { name: 'time_s', unit: 3600, text: hours, unitName: (strings) => strings.ages.h },
  sessions: { name: 'sessions', unit: 1, text: (value) => whole(value), unitName: (strings) => strings.sessions },
};

/** A bar for each week, a mark for the same week of the season before, and both as a table. */
export class WeekChart {
  constructor(place, strings) {
    [this.place, this.strings] = [place, strings];
    this.measure = 'distance';
    const head = make('div', 'bar-of', place);
    make('h2', '', head).textContent = strings.volumes.week;
    this.drawMeasures(make('fieldset', 'kinds', head));
    this.key = make('p', 'key', place);
    this.chart = make('div', '', place);
    const asTable = make('button', 'quiet', place);
    asTable.type = 'button';
    asTable.textContent = strings.weeksAsTable;
    addDisclosure(asTable, () => this.makeTable());
    // The width of the chart is that of its place.
    addEventListener('resize', () => { if (this.shown) this.drawChart(); });
  }

  drawMeasures(place) {
    make('legend', 'spoken', place).textContent = this.strings.measure;
    for (const measure of Object.keys(MEASURES)) {
      const label = make('label', '', place);
      const input = make('input', '', label);
      input.type = 'radio';
      input.name = 'measure';
      input.checked = measure === this.measure;
      make('span', '', label).textContent = this.strings[measure];
      input.addEventListener('change', () => {
        this.measure = measure;
        this.drawChart();
      });
    }
  }

  /** Shows the weeks of an answer. */
  show(shown) {
    this.shown = shown;
    this.drawChart();
    if (this.table) this.fillTable();
  }

  drawChart() {
    const { chart, strings, shown } = this;
    const { name, unit, text, unitName } = MEASURES[this.measure];
    this.key.textContent = '';
    make('span', 'this', this.key).textContent = interpolate(strings.seasonOf, shown.season);
    make('span', 'other', this.key).textContent = interpolate(strings.seasonOf, shown.season - 1);
    make('small', '', this.key).textContent = interpolate(strings.perWeek, unitName(strings));
    chart.textContent = '';
    const bars = shown.weeks;
    const values = bars.reduce((all, week) => all.concat(week[name] || 0, week.previous[name]), []);
    const most = Math.max(...values) / unit;
    const { to, ticks } = scale([0, most || 1], STEPS, 4);
    const y = (value) => HIGH - BELOW - value / unit / to * (HIGH - BELOW - 8);
    // Drawn at the real width, so that the text has the normal size.
    const wide = Math.max(260, chart.clientWidth);
    const svg = draw(chart, 'svg', { viewBox: '0 0 ' + wide + ' ' + HIGH, role: 'img' });
    const best = bars.reduce((one, week) => ((week[name] || 0) > (one[name] || 0) ? week : one), bars[0]);
    svg.setAttribute('aria-label', interpolate(strings.weeksLabel, strings[this.measure],
      text(best[name] || 0, strings), shortDay(best.from, true)));
    for (const tick of ticks) {
      draw(svg, 'line', { class: 'grid', x1: LEFT, x2: wide, y1: y(tick * unit), y2: y(tick * unit) });
      draw(svg, 'text', { x: LEFT - 8, y: y(tick * unit) + 4, 'text-anchor': 'end' }, tick);
    }
    const room = (wide - LEFT) / bars.length;
    let labelled = -99;
    bars.forEach((week, index) => {
      const x = LEFT + index * room;
      if (week[name] > 0) {
        const top = y(week[name]);
        const bar = draw(svg, 'rect', { class: 'week', x: x + room * .15, width: room * .7, y: top,
          height: Math.max(1, HIGH - BELOW - top), rx: Math.min(3, room / 5) });
        draw(bar, 'title', {}, shortDay(week.from, true) + ': ' + text(week[name], strings));
      }
      if (week.previous[name] > 0) {
        draw(svg, 'line', { class: 'before', x1: x, x2: x + room, y1: y(week.previous[name]),
          y2: y(week.previous[name]) });
      }
      const month = monthOf(bars, index, strings);
      if (!month || x - labelled < 34 || x > wide - 24) return;
      labelled = x;
      draw(svg, 'text', { x: x + room * .15, y: HIGH - 4 }, month);
    });
  }

  makeTable() {
    this.table = scrolled(this.place, this.strings.weeksAsTable);
    this.fillTable();
    return this.table;
  }

  /** The weeks that have begun, the newest first. */
  fillTable() {
    const { strings, shown } = this;
    this.table.textContent = '';
    const body = tableBody(make('table', '', this.table), strings.volumes.week,
      [strings.weekFrom, strings.distance, strings.time, strings.sessions, strings.athletes,
        interpolate(strings.seasonOf, shown.season - 1)]);
    for (const week of shown.weeks.filter((one) => one.sessions !== undefined).reverse()) {
      const row = make('tr', '', body);
      const head = make('th', '', row);
      head.scope = 'row';
      head.textContent = shortDay(week.from, true);
      for (const text of [kilometres(week.distance_m, strings), hours(week.time_s, strings), week.sessions,
        week.athletes, kilometres(week.previous.distance_m, strings)]) make('td', '', row).textContent = text;
    }
  }
}

/** A place for a wide table, which a keyboard can scroll. */
function scrolled(parent, label) {
  const place = make('div', 'scroll', parent);
  place.tabIndex = 0;
  place.setAttribute('role', 'region');
  place.setAttribute('aria-label', label);
  return place;
}

/** The groups; a tap on one chooses it. */
export class GroupTable {
  /**
   * @param {HTMLElement} place
   * @param {Strings} strings
   * @param {(id: string) => void} choose shows the members of a group
   */
  constructor(place, strings, choose) {
    Object.assign(this, { place, strings, choose, groups: [], chosen: '' });
    make('h2', '', place).textContent = strings.groups;
    const table = make('table', 'club-groups', scrolled(place, strings.groups));
    make('caption', 'spoken', table).textContent = strings.groups;
    const labels = Object.assign({}, strings.columns, { name: strings.group, absent: strings.absentOf });
    this.heads = new SortHeads(make('tr', '', make('thead', '', table)),
      labelsOf(['name', 'distance', 'time', 'sessions', 'change', 'absent'], labels), 'name', false, () => this.draw());
    this.body = make('tbody', '', table);
  }

  /** Shows the groups of an answer. */
  show({ groups, group_id: chosen }) {
    Object.assign(this, { groups, chosen });
    this.place.hidden = !groups.length;
    this.draw();
  }

  draw() {
    const { strings } = this;
    this.body.textContent = '';
    for (const group of this.heads.sorted(this.groups)) {
      const row = make('tr', group.group_id === this.chosen ? 'chosen' : '', this.body);
      const head = make('th', 'name', row);
      head.scope = 'row';
      button(head, group.name, () => this.choose(group.group_id), 'link').dir = 'auto';
      for (const text of [kilometres(group.distance_m, strings), hours(group.time_s, strings), group.sessions,
        changeText(group.distance_m, group.previous.distance_m, strings)]) make('td', '', row).textContent = text;
      const cell = make('td', group.absent ? 'absent' : '', row);
      cell.textContent = group.absent === undefined ? String(group.active)
        : interpolate(strings.ofAll, group.absent, group.active);
    }
  }
}
