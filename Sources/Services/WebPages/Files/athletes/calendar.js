// The calendar of a season: how far on each day, and the sessions of the selected day.
import { dayText, midnight, mondayOf } from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import { sessionAddress } from './bests.js';
import { daySummary } from './volume.js';

const DAY = 86400000;
const KEYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 7, PageUp: -7 };

/**
 * Shade of a day: 0 for no distance to 4 for the longest days.
 * @type {(metres: number, most: number) => number}
 */
export function level(metres, most) {
  return metres > 0 ? Math.min(4, Math.max(1, Math.ceil(metres / most * 4))) : 0;
}

/**
 * The weeks of the season that ends in `year`, from Monday. Each is a list of days in Unix milliseconds;
 * null outside of the season.
 * @type {(year: number) => (?number)[][]}
 */
export function weeksOf(year) {
  const [first, last] = [Date.UTC(year - 1, 4, 1), Date.UTC(year, 3, 30)];
  const weeks = [];
  for (let at = mondayOf(first); at <= last; at += 7 * DAY) {
    weeks.push([0, 1, 2, 3, 4, 5, 6].map((day) => at + day * DAY)
      .map((day) => (day < first || day > last ? null : day)));
  }
  return weeks;
}

export class Calendar {
  constructor(place, strings) {
    this.strings = strings;
    this.days = [];
    this.at = -1;
    const head = make('div', 'bar-of', place);
    make('h2', '', head).textContent = strings.calendar;
    this.legend(make('p', 'legend', head));
    this.field = make('div', 'season', place);
    this.field.tabIndex = 0;
    this.field.setAttribute('role', 'slider');
    this.field.setAttribute('aria-label', strings.calendarLabel);
    this.picked = make('p', 'picked', place);
    this.field.addEventListener('click', (event) => this.point(event));
    this.field.addEventListener('keydown', (event) => this.key(event));
  }

  legend(place) {
    make('span', '', place).textContent = this.strings.darker;
    for (const of of [1, 2, 3, 4]) make('i', 'l' + of, place);
    make('i', 'l2 best', place);
    make('span', '', place).textContent = this.strings.aBest;
  }

  /** Shows the days of a season with their volumes; `bests` mark their days. */
  show(year, days, bests) {
    this.days = days;
    this.cells = new Map();
    const most = days.map((day) => day.distance_m).sort((one, other) => one - other);
    const full = most[Math.floor(most.length * .95)] || most[most.length - 1] || 1;
    const known = new Map(days.map((day) => [midnight(day.from), day]));
    const gold = new Set(bests.filter((best) => best.ranked)
      .map((best) => midnight(dayText(best.ranked.at_ms))));
    const weeks = weeksOf(year);
    this.field.textContent = '';
    const half = Math.ceil(weeks.length / 2);
    for (const part of [weeks.slice(0, half), weeks.slice(half)]) {
      this.drawPart(part, known, gold, full);
    }
    this.field.setAttribute('aria-valuemin', 0);
    this.field.setAttribute('aria-valuemax', Math.max(0, days.length - 1));
    this.pick(days.length - 1);
  }

  drawPart(weeks, known, gold, full) {
    const part = make('div', 'part', this.field);
    for (const week of weeks) {
      const column = make('div', 'week', part);
      const name = make('span', 'month', column);
      const first = week.find((day) => day !== null && new Date(day).getUTCDate() === 1);
      if (first) name.textContent = this.strings.months[new Date(first).getUTCMonth()];
      for (const at of week) {
        const cell = make('i', '', column);
        if (at === null) {
          cell.className = 'none';
          continue;
        }
        const volume = known.get(at);
        cell.className = 'l' + level(volume ? volume.distance_m : 0, full)
          + (gold.has(at) ? ' best' : '');
        if (volume) {
          cell.dataset.day = volume.from;
          this.cells.set(volume.from, cell);
        }
      }
    }
  }

  point(event) {
    const day = event.target.dataset.day;
    if (day) this.pick(this.days.findIndex((one) => one.from === day));
  }

  key(event) {
    const last = this.days.length - 1;
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? last
      : this.at + (KEYS[event.key] || 0);
    if (!(event.key in KEYS) && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    this.pick(Math.max(0, Math.min(last, to)));
  }

  /** Selects a day and shows its volume and sessions. */
  pick(index) {
    const before = this.days[this.at];
    if (before && this.cells.has(before.from)) this.cells.get(before.from).classList.remove('one');
    this.at = index;
    const day = this.days[index];
    this.picked.textContent = '';
    const text = day ? daySummary(day, this.strings) : this.strings.nothingRowed;
    this.field.setAttribute('aria-valuenow', Math.max(0, index));
    this.field.setAttribute('aria-valuetext', text);
    make('span', '', this.picked).textContent = text;
    if (!day) return;
    this.cells.get(day.from).classList.add('one');
    day.inputs.forEach((session, number) => {
      const link = make('a', 'when', this.picked);
      link.href = sessionAddress(session);
      link.textContent = day.inputs.length > 1 ? interpolate(this.strings.sessionNumber, number + 1)
        : this.strings.session;
    });
  }
}
