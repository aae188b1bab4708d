// The DOM nodes of the coach's table: one row per erg. Nodes are created once and updated.
import { line as textOf } from '../common/format.js';
import { nameOf } from '../common/names.js';
import { scale } from '../common/piece.js';
import { interpolate } from '../common/strings.js';
import { Attribute, make, Text } from '../common/view.js';
import { Curve } from '../wall/tile-view.js';
import { ACTIVE_STATES } from '../wall/tile.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Erg} Erg */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('../wall/tile.js').Tile} Tile */
/** @typedef {import('../wall/tile.js').View} View */

/** Appends a table cell; a `Text` writes its content. */
function cell(name, parent) {
  const element = make('div', name, parent);
  element.setAttribute('role', 'cell');
  return element;
}

/**
 * Creates the column headers. Returns the status header, which also shows a common target.
 * @type {(head: Element, strings: Strings) => Element}
 */
export function makeHead(head, strings) {
  const columns = [['place', strings.erg.replace('{}', '').trim()], ['who', strings.athlete],
    ['pace', strings.names.pace], ['rate', strings.rate], ['power', strings.watts],
    ['heart', strings.heart], ['say', ''], ['force', strings.force], ['do', '']];
  for (const [name, text] of columns) {
    const column = make('div', name, head);
    column.setAttribute('role', text || name === 'say' ? 'columnheader' : 'cell');
    column.textContent = text;
  }
  return head.querySelector('.say');
}

export class CoachRowView {
  /** `openMenu(line, button)` opens the menu of the erg; `openAssign` assigns directly. */
  constructor(strings, openMenu, openAssign) {
    this.strings = strings;
    this.line = null;
    this.track = null;
    this.element = document.createElement('div');
    this.element.className = 'line';
    this.element.setAttribute('role', 'row');
    this.place = new Text(cell('place', this.element));
    this.makeWho(cell('who', this.element), openAssign);
    this.pace = this.makeFigure('pace', '', this.element);
    // These are normal cells of the table; on a phone they share a row.
    const row = make('div', 'figs', this.element);
    row.setAttribute('role', 'presentation');
    this.rate = this.makeFigure('rate', strings.units.rate, row);
    this.power = this.makeFigure('power', strings.units.power, row);
    this.heart = this.makeFigure('heart', strings.units.heart, row);
    this.makeStatus(cell('say', this.element));
    this.curve = new Curve(cell('force', this.element));
    this.makeButton(cell('do', this.element), openMenu);
    this.looks = ['state', 'stale', 'text', 'mark', 'nobody']
      .map((name) => new Attribute(this.element, 'data-' + name));
    this.light = new Attribute(this.element, 'data-light');
  }

  makeWho(who, openAssign) {
    this.nameElement = make('span', 'name', who);
    this.nameElement.dir = 'auto';
    this.name = new Text(this.nameElement);
    this.assignButton = make('button', 'seat', who);
    this.assignButton.type = 'button';
    this.assignButton.textContent = this.strings.assign;
    this.assignButton.addEventListener('click', () => openAssign(this.line, this.assignButton));
  }

  /** Phones have no column headers, so the unit is shown in the cell. A pace has one for a BikeErg alone. */
  makeFigure(name, unit, parent) {
    const element = cell(name, parent);
    const text = new Text(make('span', 'number', element));
    const unitText = new Text(make('span', 'unit', element));
    unitText.put(unit);
    element.hidden = true;
    return { unit: unitText, put(value) { if (text.put(value)) element.hidden = value === ''; } };
  }

  makeStatus(say) {
    this.target = make('div', 'target', say);
    this.target.hidden = true;
    this.scale = make('span', 'scale', this.target);
    this.scale.setAttribute('aria-hidden', 'true');
    this.band = make('i', 'band', this.scale);
    this.needle = make('i', 'needle', this.scale);
    this.verdict = new Text(make('span', 'verdict', this.target));
    this.shownScale = '';
    this.status = new Text(make('p', '', say));
    this.bar = make('div', 'bar', say);
    this.bar.hidden = true;
    this.fill = make('i', '', this.bar);
    this.share = null;
  }

  makeButton(place, openMenu) {
    this.button = make('button', 'dots', place);
    this.button.type = 'button';
    this.button.textContent = '\u22ef';
    this.button.setAttribute('aria-haspopup', 'dialog');
    this.label = new Attribute(this.button, 'aria-label');
    this.assignLabel = new Attribute(this.assignButton, 'aria-label');
    this.button.addEventListener('click', () => openMenu(this.line, this.button));
  }

  show(line) {
    this.line = line;
    this.track = line.tile.track;
    const looks = [
      line.state, line.isStale ? 'yes' : '', line.isText ? 'yes' : '', line.mark,
      line.isNobody ? 'yes' : ''];
    looks.forEach((value, index) => this.looks[index].put(value));
    this.place.put(line.place);
    this.name.put(line.name || this.strings.nobody);
    for (const name of ['pace', 'rate', 'power', 'heart']) this[name].put(line[name]);
    this.pace.unit.put(line.paceUnit);
    this.status.put(line.statusText);
    this.curve.show(line.curve);
    const who = this.strings.onErg.replace('{}', line.place) + (line.name ? ', ' + line.name : '');
    this.label.put(this.strings.actionsFor.replace('{}', () => who));
    this.assignLabel.put(this.strings.assignAthlete + ' ' + this.strings.onErg.replace('{}', line.place));
    this.showShare(line.isText ? null : line.share);
    this.showScale(line.scale);
  }

  /** Only a changed part is written: the band usually stays while the needle moves. */
  showScale(scale) {
    const shown = scale ? [scale.from, scale.to, scale.needle].map((part) =>
      (part === null ? '' : (part * 100).toFixed(1))).join() + scale.look : '';
    this.verdict.put(scale ? scale.text || scale.targetText : '');
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

// ---- The content of the coach's table row for an erg, derived from its tile.

/**
 * `pace`, `rate`, `power` and `heart` are texts, empty without a value. `statusText` describes the state, and
 * replaces the values if `isText`. `mark` is whether the monitor confirms the result; `scale` is the target
 * with its needle.
 * @type {(tile: Tile, erg: Erg, room: Room, view: View) => object}
 */
export function coachRow(tile, erg, room, view) {
  const { strings } = view;
  const state = erg.messages.state ? erg.messages.state.payload : {};
  const name = tile.hasAthlete ? tile.name : nameOf(state.athlete_id);
  const isActive = ACTIVE_STATES.indexOf(tile.state) >= 0;
  return Object.assign({
    key: tile.key, gw: erg.gw, slug: erg.slug, state: tile.state, isStale: tile.isStale,
    place: tile.place, name, isNobody: name === '', who: name || interpolate(strings.onErg, tile.place),
    athleteId: state.athlete_id || '', message: state,
    serial: erg.messages.info ? textOf(erg.messages.info.payload.serial, 16) : '', isActive,
    isReleased: tile.state === 'released', relays: relaysAt(erg.gw, room),
    // An erg that is not connected cannot take commands now.
    isThere: ['gone', 'asleep', 'searching', 'released', 'parked'].indexOf(tile.state) < 0
      && !(tile.isStale && erg.messages.availability
        && erg.messages.availability.payload === 'offline'),
    shortly: strings[tile.state] || strings.searching, curve: tile.curve, tile,
    share: tile.light ? null : tile.share,
    scale: tile.moment && !tile.isStale ? scale(tile.moment, strings, tile.machine) : null,
  }, tile.isText && tile.state !== 'resting' ? textRow(tile) : valueRow(tile, strings));
}

/** The relays to phones of a gateway. */
function relaysAt(gw, room) {
  const gateway = room.gateways.get(gw);
  const { relays } = gateway && gateway.messages.relays ? gateway.messages.relays.payload : {};
  return Array.isArray(relays) ? relays : [];
}

/** A row without values: one sentence across the table. */
function textRow(tile) {
  const armed = tile.state === 'armed';
  const parts = [tile.big].concat(armed ? tile.lines.slice(0, 1) : tile.lines);
  return {
    isText: true, pace: '', paceUnit: '', rate: '', power: '', heart: '', mark: '',
    statusText: parts.filter(Boolean).join(' \u00b7 '),
  };
}

function valueRow(tile, strings) {
  const value = (name) => {
    const found = tile.row.filter((figure) => figure && figure.label === strings.names[name])[0];
    return found ? found.value : '';
  };
  const mark = tile.verified === null ? '' : tile.verified ? 'yes' : 'no';
  return {
    isText: false, pace: tile.isText ? '' : tile.big,
    paceUnit: tile.unit.indexOf(strings.units.bikePace) < 0 ? '' : strings.units.bikePace,
    rate: value('rate'), power: value('power'), heart: value('heart'), mark,
    statusText: statusTextOf(tile, strings, value),
  };
}

function statusTextOf(tile, strings, value) {
  const parts = {
    rowing: [tile.isStale ? '' : tile.go, tile.word],
    resting: [strings.rest, tile.word].concat(tile.lines),
    paused: [tile.word, value('time'), tile.isStale ? '' : tile.go],
    finished: [tile.word].concat(tile.lines),
  }[tile.state] || [tile.word].concat(tile.lines);
  return parts.filter(Boolean).join(' \u00b7 ');
}
