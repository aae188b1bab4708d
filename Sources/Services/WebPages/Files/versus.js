// The choice of another session, and how this one stands against it.
import { get } from './asking.js';
import { dayText, timeOfDay } from './clubtime.js';
import { candidates, difference, sections, signed, verdict, whole } from './compare.js';
import * as figures from './figures.js';
import { address, find, shortDayOf, wish, words } from './page.js';
import { askSession, recordsOf, rootOf } from './rowed.js';
import { lost, wholeStrokes } from './series.js';
import { paceName } from './splits.js';
import * as standing from './standing.js';
import { make } from './view.js';
import { fill } from './words.js';

/** So many sessions of the athlete, and of that day, are looked at. */
const LIMIT = 300;

const keyOf = ({ gw, session_id }) => gw + '/' + session_id;

/** `22 Nov 2026, 18:22`. */
const when = (session) => (session.started_ms
  ? shortDayOf(session.started_ms, true) + ', ' + timeOfDay(session.started_ms)
  : words.undated);

const nameOf = (session) => figures.line(session.athlete_id, 64) || words.nobodyThere;

export class Versus {
  /** `changed()` hears that there is another one to compare with, or none: `other`. */
  constructor(place, changed) {
    Object.assign(this, { place, changed, own: null, other: null, key: wish('with'), asked: 0 });
    const bar = make('div', 'bar-of', place);
    make('h2', '', bar).textContent = words.compare;
    const field = make('label', 'field', bar);
    make('span', 'spoken', field).textContent = words.compareWith;
    this.select = make('select', '', field);
    this.select.addEventListener('change', () => this.choose(this.select.value));
    this.said = make('div', '', place);
    this.said.setAttribute('aria-live', 'polite');
  }

  /** `own` is this session: its detail, strokes and machine; asked for anew while it goes on. */
  async show(own) {
    const isFirst = !this.own;
    this.own = Object.assign({}, own, { strokes: wholeStrokes(own.strokes) });
    if (!isFirst) {
      this.draw();
      return;
    }
    await this.offer();
    if (this.key) await this.load();
  }

  // MARK: The choice

  async offer() {
    const { session } = this.own.detail;
    const lists = session.athlete_id ? ['&athlete_id=' + encodeURIComponent(session.athlete_id)]
      : [''];
    if (session.started_ms) {
      const day = dayText(session.started_ms);
      lists.push('&from=' + day + '&to=' + day);
    }
    const answers = await Promise.all(
      lists.map((list) => get('/api/v1/sessions?limit=' + LIMIT + list)));
    const groups = candidates(session, answers.reduce((all, { content }) =>
      all.concat(content.sessions || []), []));
    const none = make('option', '', this.select);
    none.value = '';
    none.textContent = words.withNone;
    for (const name of Object.keys(groups)) {
      if (!groups[name].length) continue;
      const group = make('optgroup', '', this.select);
      group.label = words.candidates[name];
      for (const line of groups[name]) this.option(group, line);
    }
    this.place.hidden = this.select.options.length < 2 && !this.key;
    this.select.value = this.key;
  }

  option(parent, line) {
    const { session } = this.own.detail;
    const parts = [when(line), standing.title(line, {}, [], words)];
    if (line.athlete_id !== session.athlete_id) parts.push(nameOf(line));
    const option = make('option', '', parent);
    option.value = keyOf(line);
    option.textContent = parts.join(' \u00b7 ');
  }

  choose(key) {
    this.key = key;
    const { session } = this.own.detail;
    const path = '/session?gw=' + session.gw + '&id=' + session.session_id;
    history.replaceState(null, '', address(path + (key && '&with=' + key)));
    this.load();
  }

  // MARK: The other one

  async load() {
    this.asked += 1;
    const mine = this.asked;
    this.other = null;
    this.said.textContent = this.key ? words.told.loading[0] : '';
    const [gw, id] = this.key.split('/');
    const found = this.key ? await this.ask(rootOf(gw, id || '')) : null;
    if (mine !== this.asked) return;
    if (found && found.failed) this.said.textContent = words.otherAway[found.failed];
    else this.other = found;
    this.place.classList.toggle('compared', Boolean(this.other));
    this.draw();
    this.changed();
  }

  async ask(root) {
    const { status, detail } = await askSession(root);
    if (!detail) return { failed: status === 404 ? 'unknown' : 'away' };
    const strokes = await recordsOf(root, 'strokes');
    if (strokes.status !== 200) return { failed: 'away' };
    const { content } = await get(root + '/training');
    return { detail, strokes: wholeStrokes(strokes.records), machine: content.machine };
  }

  // MARK: What differs

  draw() {
    if (!this.other) return;
    const { own, other, said } = this;
    const { session } = other.detail;
    said.textContent = '';
    if (!Array.from(this.select.options).some(({ value }) => value === this.key)) {
      this.option(this.select, Object.assign({}, session, other.detail.summary));
    }
    this.select.value = this.key;
    const rows = sections(own, other);
    make('p', 'headline', said).textContent = verdict(own, other, rows, words).join(' \u00b7 ');
    this.drawKey(make('p', 'key', said));
    if (rows.length) this.table(rows);
  }

  /** Which line is whose, whether all of the other one is here, and the way to it. */
  drawKey(place) {
    const { detail } = this.other;
    const all = detail.manifest ? detail.manifest.stroke_count : 0;
    make('span', 'this', place).textContent = words.thisOne;
    const named = make('span', 'other', place);
    const link = make('a', '', named);
    const { gw, session_id: id } = detail.session;
    link.href = address(
      '/session?gw=' + gw + '&id=' + id + '&with=' + keyOf(this.own.detail.session));
    make('bdi', '', link).textContent = nameOf(detail.session);
    link.append(', ' + when(detail.session));
    const state = standing.known(detail.session.state);
    make('b', 'state ' + state, place).textContent = words.states[state];
    const told = detail.gaps.map((gap) => lost(gap, words));
    if (detail.session.strokes < all) {
      told.push(fill(words.strokesHere, detail.session.strokes, all));
    }
    for (const text of told) make('b', '', place).textContent = text;
  }

  table(rows) {
    const { own, other } = this;
    // Of two machines only paces for the same distance compare.
    const [machine, theirs] = [own, other].map(({ detail }) =>
      figures.machineOf(detail.summary.machine_type));
    const on = machine === theirs ? machine : 'rower';
    const groups = [
      ['pace', paceName(on, words), (value) => figures.pace(value, words.decimal, on), 1, 's',
        figures.paceFactor(on)],
      ['rate', words.rate, figures.effort, 0, words.units.rate],
      ['heart', words.heart, figures.effort, 0, words.units.heart],
    ].filter(([name]) => rows.some((row) => row[name].some((value) => value > 0)));
    const hasLead = rows.some((row) => row.lead !== null);
    const table = make('table', 'versus', make('div', 'scroll', this.said));
    table.setAttribute('aria-label', words.compare);
    const head = make('tr', '', make('thead', '', table));
    this.heads(head, groups, hasLead && words.lead);
    const body = make('tbody', '', table);
    const all = whole(own, other);
    for (const row of rows.concat(all)) {
      const line = make('tr', row === all ? 'all' : '', body);
      make('td', 'number', line).textContent = row === all ? words.total : row.number;
      make('td', 'wide', line).textContent = row === all ? ''
        : row.isMetres ? figures.elapsed(row.duration_s)
          : standing.distance(row.distance_m, words);
      for (const group of groups) cells(line, row, group);
      if (hasLead) leads(line, row);
    }
  }

  heads(head, groups, lead) {
    const cell = (text, look, of) => {
      const place = make('th', look, head);
      place.scope = 'col';
      if (of) make('span', 'spoken', place).textContent = of + ', ';
      make('span', '', place).textContent = text;
    };
    cell(words.number, 'number');
    cell(words.section, 'wide');
    for (const [name, label, , , unit] of groups) {
      cell(label, name === 'pace' ? '' : 'wide');
      cell(words.otherOne, 'wide', label);
      cell(figures.withUnit('\u00b1', unit), '', label);
    }
    if (lead) cell(lead, '');
  }
}

/** Both, and this one less the other: a pace that is smaller is a gain. */
function cells(line, row, [name, , write, places, , factor = 1]) {
  make('td', name === 'pace' ? 'strong' : 'wide', line).textContent = write(row[name][0]);
  make('td', 'wide', line).textContent = write(row[name][1]);
  const by = difference(row[name].map((value) => value * factor), places, name === 'pace');
  const cell = make('td', '', line);
  cell.textContent = by === null ? figures.DASH : signed(by, places, words);
  if (name === 'pace' && by !== null) cell.className = gain(-by, 0.05);
}

function leads(line, { lead, isMetres }) {
  const cell = make('td', '', line);
  if (lead === undefined || lead === null) return;
  const places = isMetres ? 0 : 1;
  cell.className = gain(lead, 0.5 / Math.pow(10, places));
  cell.textContent = figures.withUnit(signed(lead, places, words), isMetres ? 'm' : 's');
}

const gain = (by, least) => (by >= least ? 'gained' : by <= -least ? 'lost' : '');

/** The place of it on the page. */
export const makeVersus = (changed) => new Versus(find('versus'), changed);
