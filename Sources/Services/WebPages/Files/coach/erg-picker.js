// Confirmation before pieces end, naming the athletes.
import { add, addRefusal, button, openDialog } from '../common/dialog.js';
import { interpolate } from '../common/strings.js';
import { fieldsOf, nameOf } from './workouts.js';

/** @typedef {(verb: string, ergs: object[], fields: object) => Promise<string>} Send */
/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../wall/tile.js').Tile} Tile */

/**
 * `Ends the piece of Li Wei, erg 3.`
 * @type {(lines: Tile[], strings: Strings) => string}
 */
export function endedPieces(lines, strings) {
  const names = lines.map((line) =>
    (line.name ? interpolate(strings.athleteOnErg, line.name, line.place) : line.who));
  const what = lines.length === 1 ? interpolate(strings.pieceOf, names[0])
    : interpolate(strings.piecesOf, lines.length);
  return lines.length === 1 ? interpolate(strings.ends, what).replace(/:$/, '.')
    : interpolate(strings.ends, what) + ' ' + names.join(', ') + '.';
}

/** The lower part of a form for ergs: the warning, the error and the buttons. */
export class FormFooter {
  /** `go()` submits the form. Call `update` to enable the button again. */
  constructor(form, strings, close, go) {
    this.strings = strings;
    this.warning = add('p', 'warning', form);
    this.refusal = addRefusal(form);
    const buttons = add('div', 'buttons', form);
    button(buttons, strings.cancel, close);
    this.submit = add('button', 'main', buttons);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      this.submit.disabled = true;
      await go();
    });
  }

  /** Sets the button's text: `few` for fewer than `fewest` ergs, `ends` if pieces end, else `does`. */
  update(chosen, fewest, { few, ends, does }) {
    const rowing = chosen.filter((line) => line.isActive);
    const { submit } = this;
    this.warning.textContent = rowing.length ? endedPieces(rowing, this.strings) : '';
    submit.disabled = chosen.length < fewest;
    submit.textContent = submit.disabled ? few : rowing.length ? ends : does;
    submit.classList.toggle('danger', rowing.length > 0);
  }
}

/**
 * Asks before `act()` ends the pieces of `lines`; `more` is an additional text.
 * @type {(strings: Strings, lines: Tile[], title: string, more: string, yes: string, act: () => any) => void}
 */
export function confirmEnd(strings, lines, title, more, yes, act) {
  openDialog(title, (body, close) => {
    add('p', 'warning', body, endedPieces(lines, strings));
    if (more) add('p', '', body, more);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, strings.keepRowing, close).setAttribute('data-first', '');
    const go = button(buttons, yes, async () => {
      go.disabled = true;
      refusal.textContent = await act();
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main danger');
  });
}

/**
 * Lets the coach choose which pieces to end.
 * @type {(strings: Strings, lines: Tile[], send: Send) => void}
 */
export function openEndPiece(strings, lines, send) {
  if (lines.length === 1) {
    const more = strings.rowedIsSaved + ' ' + strings.workoutReloads;
    confirmEnd(strings, lines, strings.endPieceTitle, more, strings.endPieceTitle, () => send('terminate', lines, {}));
    return;
  }
  openDialog(strings.endPieceTitle, (body, close) => {
    const warning = add('p', 'warning', body);
    const choice = new ErgPicker(body, strings, lines, lines.map((line) => line.key), () => update());
    add('p', '', body, strings.rowedIsSaved + ' ' + strings.workoutReloads);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, strings.keepRowing, close).setAttribute('data-first', '');
    const go = button(buttons, '', async () => {
      go.disabled = true;
      refusal.textContent = await send('terminate', choice.chosen, {});
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main danger');
    function update() {
      const { chosen } = choice;
      warning.textContent = chosen.length ? endedPieces(chosen, strings) : '';
      go.disabled = chosen.length === 0;
      go.textContent = chosen.length === 0 ? strings.chooseMonitor
        : chosen.length === 1 ? strings.endPieceTitle : interpolate(strings.endAll, chosen.length);
    }
    update();
  });
}

// ---- Choices in dialogs: workout templates, and a switch for each erg.

/**
 * Adds a button for each template; `choose(template)` is called on a click.
 * @type {(parent: Element, strings: Strings, templates: object[], choose: (template: object) => void) => Element}
 */
export function addTemplates(parent, strings, templates, choose) {
  const list = add('div', 'templates', parent);
  list.setAttribute('role', 'group');
  list.setAttribute('aria-label', strings.templates);
  for (const template of templates) {
    button(list, nameOf(fieldsOf(template), strings), () => choose(template), 'chip');
  }
  return list;
}

/** A switch for each of `lines`; those in `chosen` are on. `changed()` is called on each change. */
export class ErgPicker {
  constructor(parent, strings, lines, chosen, changed) {
    this.lines = lines;
    this.inputs = new Map();
    const place = add('fieldset', 'choice', parent);
    place.setAttribute('aria-label', strings.monitors);
    const top = add('div', 'top', place);
    add('span', '', top, strings.monitors);
    button(top, strings.all, () => this.put(true), 'quiet');
    button(top, strings.none, () => this.put(false), 'quiet');
    const list = add('div', 'switches', place);
    for (const line of lines) this.addSwitch(list, strings, line, chosen.indexOf(line.key) >= 0);
    this.changed = changed;
  }

  addSwitch(list, strings, line, isOn) {
    const label = add('label', 'switch', list);
    const input = add('input', '', label);
    input.type = 'checkbox';
    input.checked = isOn;
    input.addEventListener('change', () => this.changed());
    const text = add('span', '', label);
    add('b', '', text, line.place);
    add('span', 'name', text, ' ' + (line.name || strings.nobody));
    const note = line.isActive ? strings.underWay : line.isThere ? '' : line.shortly;
    if (note) add('small', '', text, note);
    this.inputs.set(line.key, input);
  }

  put(isOn) {
    for (const input of this.inputs.values()) input.checked = isOn;
    this.changed();
  }

  get chosen() { return this.lines.filter((line) => this.inputs.get(line.key).checked); }
}
