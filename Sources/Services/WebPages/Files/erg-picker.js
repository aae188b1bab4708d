// Choices in dialogs: workout templates, and a switch for each erg.
import { add, button } from './dialog.js';
import { fieldsOf, nameOf } from './workouts.js';

/** Adds a button for each template; `choose(template)` is called on a click. */
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
