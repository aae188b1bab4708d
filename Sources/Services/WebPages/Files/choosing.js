// What is chosen in a dialog: a workout of those that are set again and again, and which monitors a
// command is for, a switch for each erg.
import { add, button } from './dialog.js';
import { fieldsOf, nameOf } from './workouts.js';

/** A button for each of `templates`; `take(template)` hears which one. */
export function addTemplates(parent, words, templates, take) {
  const list = add('div', 'templates', parent);
  list.setAttribute('role', 'group');
  list.setAttribute('aria-label', words.templates);
  for (const template of templates) {
    button(list, nameOf(fieldsOf(template), words), () => take(template), 'chip');
  }
  return list;
}

/** `lines` to choose from, those of `chosen` switched on; `changed` hears of each change. */
export class Choice {
  constructor(parent, words, lines, chosen, changed) {
    this.lines = lines;
    this.inputs = new Map();
    const place = add('fieldset', 'choice', parent);
    place.setAttribute('aria-label', words.monitors);
    const top = add('div', 'top', place);
    add('span', '', top, words.monitors);
    button(top, words.all, () => this.put(true), 'quiet');
    button(top, words.none, () => this.put(false), 'quiet');
    const list = add('div', 'switches', place);
    for (const line of lines) this.addSwitch(list, words, line, chosen.indexOf(line.key) >= 0);
    this.changed = changed;
  }

  addSwitch(list, words, line, isOn) {
    const label = add('label', 'switch', list);
    const input = add('input', '', label);
    input.type = 'checkbox';
    input.checked = isOn;
    input.addEventListener('change', () => this.changed());
    const text = add('span', '', label);
    add('b', '', text, line.place);
    add('span', 'name', text, ' ' + (line.name || words.nobodyThere));
    const note = line.isUnderWay ? words.underWay : line.isThere ? '' : line.shortly;
    if (note) add('small', '', text, note);
    this.inputs.set(line.key, input);
  }

  put(isOn) {
    for (const input of this.inputs.values()) input.checked = isOn;
    this.changed();
  }

  get chosen() { return this.lines.filter((line) => this.inputs.get(line.key).checked); }
}
