// The coach's table on the page: a line for each erg. Nodes are made once and kept.
import { Attribute, Curve, Text, make } from './view.js';

/** A cell of the table; what is in it is written by a `Text`. */
function cell(name, parent) {
  const element = make('div', name, parent);
  element.setAttribute('role', 'cell');
  return element;
}

/** The names of the columns; returns the one that tells what was asked for where all row the same. */
export function makeHead(head, words) {
  const columns = [['place', words.erg.replace('{}', '').trim()], ['who', words.athlete],
    ['pace', words.names.pace], ['rate', words.rate], ['power', words.watts],
    ['heart', words.heart], ['say', ''], ['force', words.force], ['do', '']];
  for (const [name, text] of columns) {
    const column = make('div', name, head);
    column.setAttribute('role', text || name === 'say' ? 'columnheader' : 'cell');
    column.textContent = text;
  }
  return head.querySelector('.say');
}

export class LineView {
  /** `act(line, button)` opens what can be done there, `seat` is the shorter way to assign. */
  constructor(words, act, seat) {
    this.words = words;
    this.line = null;
    this.track = null;
    this.element = document.createElement('div');
    this.element.className = 'line';
    this.element.setAttribute('role', 'row');
    this.place = new Text(cell('place', this.element));
    this.makeWho(cell('who', this.element), seat);
    this.pace = this.makeFigure('pace', words.units.pace, this.element);
    // Cells of the table like the others; a phone has a row for them alone.
    const row = make('div', 'figs', this.element);
    row.setAttribute('role', 'presentation');
    this.rate = this.makeFigure('rate', words.units.rate, row);
    this.power = this.makeFigure('power', words.units.power, row);
    this.heart = this.makeFigure('heart', words.units.heart, row);
    this.makeSay(cell('say', this.element));
    this.curve = new Curve(cell('force', this.element));
    this.makeButton(cell('do', this.element), act);
    this.looks = ['state', 'stale', 'text', 'mark', 'nobody']
      .map((name) => new Attribute(this.element, 'data-' + name));
    this.light = new Attribute(this.element, 'data-light');
  }

  makeWho(who, seat) {
    this.nameElement = make('span', 'name', who);
    this.nameElement.dir = 'auto';
    this.name = new Text(this.nameElement);
    this.seat = make('button', 'seat', who);
    this.seat.type = 'button';
    this.seat.textContent = this.words.assign;
    this.seat.addEventListener('click', () => seat(this.line, this.seat));
  }

  /** A phone has no line of columns above, and says the unit. */
  makeFigure(name, unit, parent) {
    const element = cell(name, parent);
    const text = new Text(make('span', 'number', element));
    make('span', 'unit', element).textContent = unit;
    element.hidden = true;
    return { put(value) { if (text.put(value)) element.hidden = value === ''; } };
  }

  makeSay(say) {
    this.target = make('div', 'target', say);
    this.target.hidden = true;
    this.scale = make('span', 'scale', this.target);
    this.scale.setAttribute('aria-hidden', 'true');
    this.band = make('i', 'band', this.scale);
    this.needle = make('i', 'needle', this.scale);
    this.verdict = new Text(make('span', 'verdict', this.target));
    this.shownScale = '';
    this.say = new Text(make('p', '', say));
    this.bar = make('div', 'bar', say);
    this.bar.hidden = true;
    this.fill = make('i', '', this.bar);
    this.share = null;
  }

  makeButton(place, act) {
    this.button = make('button', 'dots', place);
    this.button.type = 'button';
    this.button.textContent = '\u22ef';
    this.button.setAttribute('aria-haspopup', 'dialog');
    this.label = new Attribute(this.button, 'aria-label');
    this.seatLabel = new Attribute(this.seat, 'aria-label');
    this.button.addEventListener('click', () => act(this.line, this.button));
  }

  show(line) {
    this.line = line;
    this.track = line.tile.track;
    const looks = [
      line.state, line.isStale ? 'yes' : '', line.isText ? 'yes' : '', line.mark,
      line.isNobody ? 'yes' : ''];
    looks.forEach((value, index) => this.looks[index].put(value));
    this.place.put(line.place);
    this.name.put(line.name || this.words.nobodyThere);
    for (const name of ['pace', 'rate', 'power', 'heart']) this[name].put(line[name]);
    this.say.put(line.say);
    this.curve.show(line.curve);
    const who = this.words.onErg.replace('{}', line.place) + (line.name ? ', ' + line.name : '');
    this.label.put(this.words.actions.replace('{}', () => who));
    this.seatLabel.put(this.words.assignTo + ' ' + this.words.onErg.replace('{}', line.place));
    this.showShare(line.isText ? null : line.share);
    this.showScale(line.scale);
  }

  /** The band stands still while the needle moves, so that only what changed is written. */
  showScale(scale) {
    const shown = scale ? [scale.from, scale.to, scale.needle].map((part) =>
      (part === null ? '' : (part * 100).toFixed(1))).join() + scale.look : '';
    this.verdict.put(scale ? scale.words || scale.asked : '');
    if (this.shownScale === shown) return;
    this.shownScale = shown;
    this.target.hidden = !scale;
    this.light.put(scale ? scale.look : '');
    if (!scale) return;
    this.band.style.left = scale.from * 100 + '%';
    this.band.style.width = (scale.to - scale.from) * 100 + '%';
    this.needle.hidden = scale.needle === null;
    this.needle.style.left = (scale.needle || 0) * 100 + '%';
  }

  showShare(share) {
    const parts = share === null ? null : Math.round(Math.min(1, Math.max(0, share)) * 200);
    if (this.share === parts) return;
    this.share = parts;
    this.bar.hidden = parts === null;
    if (parts !== null) this.fill.style.transform = 'scaleX(' + parts / 200 + ')';
  }
}
