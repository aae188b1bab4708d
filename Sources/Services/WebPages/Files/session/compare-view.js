// The choice of another session to compare with, and the comparison.
import { get, getSession, getSessionRecords, RequestSeries, sessionPath } from '../common/api-client.js';
import * as format from '../common/format.js';
import { dayText, timeOfDay } from '../common/format.js';
import { nameOf } from '../common/names.js';
import { byId, pageAddress, queryParam, shortDayOf, strings } from '../common/page.js';
import { gapText, wholeStrokes } from '../common/series.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import { candidates, commonMachine, difference, sections, signed, verdict, wholePiece } from './compare.js';
import * as sessionFormat from './format.js';

/** Most sessions that are loaded as candidates, per list. */
const LIMIT = 300;

const keyOf = ({ gw, session_id }) => gw + '/' + session_id;

const when = (session) => (session.started_ms
  ? shortDayOf(session.started_ms, true) + ', ' + timeOfDay(session.started_ms)
  : strings.undated);

const athleteOf = (session) => nameOf(session.athlete_id) || strings.nobody;

export class CompareView {
  /** `changed()` is called when the other session was loaded or removed; see `other`. */
  constructor(place, changed) {
    Object.assign(this, { place, changed, own: null, other: null, key: queryParam('with') });
    this.requests = new RequestSeries();
    const bar = make('div', 'bar-of', place);
    make('h2', '', bar).textContent = strings.compare;
    const field = make('label', 'field', bar);
    make('span', 'spoken', field).textContent = strings.compareWith;
    this.select = make('select', '', field);
    this.select.addEventListener('change', () => this.choose(this.select.value));
    this.resultArea = make('div', '', place);
    this.resultArea.setAttribute('aria-live', 'polite');
  }

  /** `own` is this session with its detail, strokes and machine; called again while it is in progress. */
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

  // MARK: Candidates

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
    none.textContent = strings.compareWithNone;
    for (const name of Object.keys(groups)) {
      if (!groups[name].length) continue;
      const group = make('optgroup', '', this.select);
      group.label = strings.candidates[name];
      for (const line of groups[name]) this.option(group, line);
    }
    this.place.hidden = this.select.options.length < 2 && !this.key;
    this.select.value = this.key;
  }

  option(parent, line) {
    const { session } = this.own.detail;
    const parts = [when(line), sessionFormat.sessionTitle(line, {}, [], strings)];
    if (line.athlete_id !== session.athlete_id) parts.push(athleteOf(line));
    const option = make('option', '', parent);
    option.value = keyOf(line);
    option.textContent = parts.join(' \u00b7 ');
  }

  choose(key) {
    this.key = key;
    const { session } = this.own.detail;
    const path = '/session?gw=' + session.gw + '&id=' + session.session_id;
    history.replaceState(null, '', pageAddress(path + (key && '&with=' + key)));
    this.load();
  }

  // MARK: Loading

  async load() {
    const signal = this.requests.next();
    this.other = null;
    this.resultArea.textContent = this.key ? strings.pageStatus.loading[0] : '';
    const [gw, id] = this.key.split('/');
    const found = this.key ? await this.fetchSession(sessionPath(gw, id || ''), signal) : null;
    if (signal.aborted) return;
    if (found && found.failed) this.resultArea.textContent = strings.otherFailed[found.failed];
    else this.other = found;
    this.place.classList.toggle('compared', Boolean(this.other));
    this.draw();
    this.changed();
  }

  async fetchSession(root, signal) {
    const { status, detail } = await getSession(root, signal);
    if (!detail) return { failed: status === 404 ? 'unknown' : 'away' };
    const strokes = await getSessionRecords(root, 'strokes', signal);
    if (strokes.status !== 200) return { failed: 'away' };
    const { content } = await get(root + '/training', signal);
    return { detail, strokes: wholeStrokes(strokes.records), machine: content.machine };
  }

  // MARK: Drawing

  draw() {
    if (!this.other) return;
    const { own, other, resultArea } = this;
    const { session } = other.detail;
    resultArea.textContent = '';
    if (!Array.from(this.select.options).some(({ value }) => value === this.key)) {
      this.option(this.select, Object.assign({}, session, other.detail.summary));
    }
    this.select.value = this.key;
    const rows = sections(own, other);
    make('p', 'headline', resultArea).textContent = verdict(own, other, rows, strings).join(' \u00b7 ');
    this.drawKey(make('p', 'key', resultArea));
    if (rows.length) this.table(rows);
  }

  /** Draws the legend, whether the other session is complete, and the link to it. */
  drawKey(place) {
    const { detail } = this.other;
    const all = detail.manifest ? detail.manifest.stroke_count : 0;
    make('span', 'this', place).textContent = strings.thisOne;
    const named = make('span', 'other', place);
    const link = make('a', '', named);
    const { gw, session_id: id } = detail.session;
    link.href = pageAddress(
      '/session?gw=' + gw + '&id=' + id + '&with=' + keyOf(this.own.detail.session));
    make('bdi', '', link).textContent = athleteOf(detail.session);
    link.append(', ' + when(detail.session));
    const state = sessionFormat.knownState(detail.session.state);
    make('b', 'state ' + state, place).textContent = strings.states[state];
    const notes = detail.gaps.map((gap) => gapText(gap, strings));
    if (detail.session.strokes < all) {
      notes.push(interpolate(strings.strokesHere, detail.session.strokes, all));
    }
    for (const text of notes) make('b', '', place).textContent = text;
  }

  table(rows) {
    const { own, other } = this;
    const on = commonMachine(own, other);
    const groups = [
      ['pace', format.paceLabel(on, strings.pace, strings.units),
        (value) => format.pace(value, strings.decimal, on), 1, 's', format.paceFactor(on)],
      ['rate', strings.rate, format.positiveWhole, 0, strings.units.rate],
      ['heart', strings.heart, format.positiveWhole, 0, strings.units.heart],
    ].filter(([name]) => rows.some((row) => row[name].some((value) => value > 0)));
    const hasLead = rows.some((row) => row.lead !== null);
    const table = make('table', 'compare', make('div', 'scroll', this.resultArea));
    table.setAttribute('aria-label', strings.compare);
    const head = make('tr', '', make('thead', '', table));
    this.heads(head, groups, hasLead && strings.lead);
    const body = make('tbody', '', table);
    const all = wholePiece(own, other);
    for (const row of rows.concat(all)) {
      const line = make('tr', row === all ? 'all' : '', body);
      make('td', 'number', line).textContent = row === all ? strings.total : row.number;
      make('td', 'wide', line).textContent = row === all ? ''
        : row.isMetres ? format.elapsed(row.duration_s)
          : sessionFormat.distance(row.distance_m, strings);
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
    cell(strings.number, 'number');
    cell(strings.section, 'wide');
    for (const [name, label, , , unit] of groups) {
      cell(label, name === 'pace' ? '' : 'wide');
      cell(strings.otherOne, 'wide', label);
      cell(format.withUnit('\u00b1', unit), '', label);
    }
    if (lead) cell(lead, '');
  }
}

/** Cells of both values and their difference; a lower pace is a gain. */
function cells(line, row, [name, , write, places, , factor = 1]) {
  make('td', name === 'pace' ? 'strong' : 'wide', line).textContent = write(row[name][0]);
  make('td', 'wide', line).textContent = write(row[name][1]);
  const by = difference(row[name].map((value) => value * factor), places, name === 'pace');
  const cell = make('td', '', line);
  cell.textContent = by === null ? format.DASH : signed(by, places, strings);
  if (name === 'pace' && by !== null) cell.className = gain(-by, 0.05);
}

function leads(line, { lead, isMetres }) {
  const cell = make('td', '', line);
  if (lead === undefined || lead === null) return;
  const places = isMetres ? 0 : 1;
  cell.className = gain(lead, 0.5 / Math.pow(10, places));
  cell.textContent = format.withUnit(signed(lead, places, strings), isMetres ? 'm' : 's');
}

const gain = (by, least) => (by >= least ? 'gained' : by <= -least ? 'lost' : '');

/** @type {(changed: () => void) => CompareView} */
export const makeCompareView = (changed) => new CompareView(byId('compare'), changed);
