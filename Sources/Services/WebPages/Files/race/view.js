// The DOM nodes of a race. They are created once; texts are written only when they change.
import * as format from '../common/format.js';
import { byId } from '../common/page.js';
import { arrange, Attribute, make, Text } from '../common/view.js';
import { fitNames } from '../wall/tile-view.js';
import { fitsLabel, marks, share } from './course.js';

const SVG = 'http://www.w3.org/2000/svg';

/** More lanes than this use another column on a wide screen. */
const COLUMN = 22;
const WIDE = 1.6;

/** A hull from above with the bow to the right, and its oars. */
const HULL = 'M0 6Q30 2.6 72 3.4Q92 4.4 100 6Q92 7.6 72 8.6Q30 9.4 0 6Z';
const OARS = 'M44 0L38 12M58 0L52 12';

function drawing(parent) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 100 12');
  svg.setAttribute('class', 'hull');
  for (const [name, d] of [['oars', OARS], ['body', HULL]]) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', name);
    path.setAttribute('d', d);
    svg.appendChild(path);
  }
  parent.appendChild(svg);
}

/** An element that moves across the water; positions are shares of the width. */
class Mover {
  constructor(element) {
    this.element = element;
    this.shown = '';
  }

  put(part) {
    const text = 'translate3d(' + (part * 100).toFixed(2) + '%,0,0)';
    if (this.shown === text) return;
    this.shown = text;
    this.element.style.transform = text;
  }
}

const paper = matchMedia('print');

/** A line with a name that is shortened if it does not fit; printed in full. See `fitNames`. */
class Named {
  constructor(name) {
    this.element = document.createElement('li');
    this.element.className = name;
    this.fitted = '';
  }

  makeName(parent) {
    this.nameElement = make('span', 'name', parent);
    this.nameElement.dir = 'auto';
    this.nameText = new Text(this.nameElement);
  }

  wantsFit(size) {
    const wanted = [this.name, this.room, size, paper.matches].join('\n');
    if (this.fitted === wanted) return false;
    this.fitted = wanted;
    this.nameText.put(this.name);
    return !paper.matches;
  }

  get isCut() { return this.nameElement.scrollWidth > this.nameElement.clientWidth; }

  shorten() { this.nameText.put(this.brief || format.shortName(this.name)); }
}

class Lane extends Named {
  constructor() {
    super('lane');
    const box = make('div', 'box', this.element);
    this.number = new Text(make('span', 'number', box));
    this.makeName(box);
    const water = make('div', 'stream', box);
    const boat = make('div', 'mover', water);
    this.boat = new Mover(boat);
    const shape = make('div', 'boat', boat);
    make('i', 'wake', shape);
    drawing(shape);
    this.early = new Text(make('span', 'early', box));
    this.pace = new Text(make('span', 'pace', box));
    this.gap = new Text(make('span', 'gap', box));
    this.looks = ['standing', 'stale', 'first', 'early'].map((one) =>
      new Attribute(this.element, 'data-' + one));
    this.at = '';
  }

  show(lane, rows, isStep) {
    this.number.put(lane.number);
    this.name = lane.name;
    this.brief = lane.brief;
    this.room = lane.word;
    if (isStep || !this.boat.shown) this.boat.put(lane.share);
    this.early.put(lane.early);
    this.pace.put(lane.word ? '' : lane.pace || (lane.standing === 'rowing' ? format.DASH : ''));
    this.gap.put(lane.word || lane.gap);
    const looks = [lane.standing, lane.isStale ? 'yes' : '', lane.isFirst ? 'yes' : '',
      lane.isEarly ? 'yes' : ''];
    looks.forEach((value, index) => this.looks[index].put(value));
    const at = 'translate3d(' + Math.floor(lane.row / rows) * 100 + '%,' + lane.row % rows * 100
      + '%,0)';
    if (this.at === at) return;
    this.at = at;
    this.element.style.transform = at;
  }
}

class Mark {
  constructor() {
    this.element = document.createElement('div');
    this.element.className = 'mover';
    const line = make('div', 'mark', this.element);
    this.look = new Attribute(line, 'data-kind');
    this.label = new Text(make('span', '', line));
    this.mover = new Mover(this.element);
    this.isNew = true;
  }
}

class Result extends Named {
  constructor() {
    super('result');
    this.parts = {};
    this.makeName(this.element);
    for (const name of ['place', 'early', 'big', 'behind', 'pace', 'rate', 'power',
      'mark']) {
      this.parts[name] = new Text(make('span', name, this.element));
    }
    this.looks = ['standing', 'text', 'mark', 'first', 'early', 'member'].map((one) =>
      new Attribute(this.element, 'data-' + one));
  }

  show(line, strings) {
    const { parts } = this;
    const units = strings.units;
    const withUnit = (value, unit) => (value && value !== format.DASH
      ? format.withUnit(value, unit) : value);
    parts.place.put(line.place);
    this.name = line.name;
    this.room = line.big;
    parts.early.put(line.early);
    parts.big.put(line.big);
    parts.behind.put(line.behind);
    parts.pace.put(withUnit(line.pace, line.paceUnit));
    parts.rate.put(withUnit(line.rate, units.rate));
    parts.power.put(withUnit(line.power, units.power));
    const [sign, word] = line.mark === 'yes' ? ['\u2713', strings.verified]
      : line.mark === 'no' ? ['\u2260', strings.differsFromMonitor] : ['', ''];
    parts.mark.put(line.isBrief || !word ? sign : sign + ' ' + word);
    parts.mark.element.title = word && sign + ' ' + word;
    const looks = [line.standing, line.isText ? 'yes' : '', line.mark,
      line.place === '1' ? 'yes' : '', line.early ? 'yes' : '', line.isMember ? 'yes' : ''];
    looks.forEach((value, index) => this.looks[index].put(value));
  }
}

export class RaceView {
  constructor(strings, raceStrings) {
    Object.assign(this, { strings, raceStrings });
    this.lanes = new Map();
    this.results = new Map();
    this.marks = [];
    this.course = new Course(byId('course'));
    this.sizes = new Map();
    paper.addEventListener('change', () => {
      fitNames(Array.from(this.results.values()), this.fit(this.sizes.get('--columns')));
    });
  }

  size(name, value) {
    if (this.sizes.get(name) === value) return;
    this.sizes.set(name, value);
    document.documentElement.style.setProperty(name, value);
  }

  /** Shows one part of the page; an empty name shows none. */
  only(name) {
    for (const part of ['water', 'results']) {
      if (byId(part).hidden !== (part !== name)) byId(part).hidden = part !== name;
    }
    const isWater = name === 'water';
    if (byId('course').hidden === isWater) byId('course').hidden = !isWater;
  }

  /** Everything that decides how much room a name has. */
  fit(columns) { return [innerWidth, innerHeight, columns].join(' '); }

  showNone() { this.only(''); }

  columns(count) {
    if (innerWidth < 700 || innerWidth < innerHeight) return 1;
    return Math.min(innerWidth >= WIDE * innerHeight ? 3 : 2, Math.ceil(count / COLUMN));
  }

  /** With `isStep`, boats and marks start a new movement; otherwise the current one continues. */
  showWater(rows, { shown, length, boat, dots, isStep }) {
    this.only('water');
    const columns = this.columns(rows.length);
    const high = Math.ceil(rows.length / columns);
    this.size('--columns', columns);
    this.size('--high', high);
    this.size('--rows', Math.max(high, 6));
    arrange(byId('lanes'), this.lanes, rows.map((row) => row.key), () => new Lane());
    for (const row of rows) this.lanes.get(row.key).show(row, high, isStep);
    fitNames(Array.from(this.lanes.values()), this.fit(columns));
    if (isStep) this.showMarks(shown, length, boat, columns);
    this.course.show(shown, length, boat, dots);
  }

  /** Draws the marks, the finish and the pace boat, once per column of lanes. */
  showMarks(shown, length, boat, columns) {
    while (this.marks.length < columns) {
      this.marks.push({ place: make('div', 'column', byId('marks')), views: new Map() });
    }
    while (this.marks.length > columns) this.marks.pop().place.remove();
    const places = new Map(marks(shown, length).map((metres) => ['m' + metres, metres]));
    if (boat !== null) places.set('boat', boat);
    for (const { place, views } of this.marks) {
      arrange(place, views, Array.from(places.keys()), () => new Mark());
      for (const [key, metres] of places) {
        this.showMark(views.get(key), key, metres, length, shown, columns === 1);
      }
    }
  }

  /** Without `hasLabel`, there is no room for a label. */
  showMark(mark, key, metres, length, shown, hasLabel) {
    const isEnd = metres === length && key !== 'boat';
    mark.look.put(key === 'boat' ? 'boat' : isEnd ? 'end' : 'mark');
    mark.label.put(key === 'boat' || !hasLabel ? '' : isEnd ? this.raceStrings.finish
      : fitsLabel(metres, shown) ? format.metres(metres) : '');
    mark.mover.put(share(metres, shown));
  }

  resultColumns(count) { return count > 20 && innerWidth >= 900 ? 2 : 1; }

  showResults(lines) {
    this.only('results');
    const columns = this.resultColumns(lines.length);
    this.size('--columns', columns);
    this.size('--rows', Math.max(8, Math.ceil(lines.length / columns)));
    const list = byId('results');
    list.dataset.columns = columns;
    arrange(list, this.results, lines.map((line) => line.key), () => new Result());
    for (const line of lines) this.results.get(line.key).show(line, this.strings);
    fitNames(Array.from(this.results.values()), this.fit(columns));
  }
}

/** The whole course as a thin line: the visible part, and all boats. */
class Course {
  constructor(element) {
    this.line = make('div', 'line', element);
    this.part = make('div', 'part', this.line);
    this.dots = [];
    this.boat = null;
    this.shown = '';
  }

  show(shown, length, boat, dots) {
    const from = Math.max(0, shown.from / length);
    const wide = Math.min(1, shown.to / length) - from;
    const text = 'translateX(' + (from * 100).toFixed(2) + '%) scaleX(' + wide.toFixed(4) + ')';
    if (this.shown !== text) this.part.style.transform = text;
    this.shown = text;
    while (this.dots.length < dots.length) this.dots.push(this.makeDot('dot'));
    while (this.dots.length > dots.length) this.dots.pop().element.remove();
    dots.forEach((metres, index) => this.dots[index].put(Math.min(1, metres / length)));
    if (boat !== null && !this.boat) this.boat = this.makeDot('dot boat');
    if (this.boat) this.boat.element.hidden = boat === null;
    if (boat !== null) this.boat.put(Math.min(1, boat / length));
  }

  makeDot(name) { return new Mover(make('div', name, this.line)); }
}
