// The dialog that sets a workout: templates, a form, and the ergs.
import { add, button, field, openDialog } from '../common/dialog.js';
import { elapsed } from '../common/format.js';
import { athleteOf } from '../common/names.js';
import { interpolate } from '../common/strings.js';
import { addTemplates, ErgPicker, FormFooter } from './erg-picker.js';
import { describe, fieldsOf, ownTargets, TEMPLATES } from './workouts.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../wall/tile.js').Tile} Tile */

const KINDS = ['distance', 'time', 'calories', 'intervals', 'just_row'];

/** The input for a field of the contract. */
const INPUTS = [
  [/target_pace|_offset/, 'pace'], [/power/, 'power'], [/stroke_rate/, 'rate'], [/heart_rate/, 'heart'],
  [/^repeat|too_many|endless/, 'count'], [/rest/, 'rest'], [/^split/, 'split'],
  [/distance|duration|calories|interval|piece/, 'length']];

/** A shorter rest is probably a typing error for minutes: seconds. */
const SHORT_REST = 10;

/**
 * The shortest suspicious rest of a command in seconds; 0 for none.
 * @type {(fields: object) => number}
 */
export function shortRest(fields) {
  const rests = (fields.intervals || []).map((interval) => interval.rest_s)
    .filter((rest) => rest > 0 && rest < SHORT_REST);
  return rests.length ? Math.min(...rests) : 0;
}

/**
 * Opens the dialog for `lines`; those in `chosen` are selected. `send(verb, lines, fields, rejected)`
 * returns an error text or an empty one. `named` are the gateways' workouts by name; `given` is a workout
 * with name and fields that needs no form.
 * @type {(strings: Strings, lines: Tile[], chosen: string[], send: Function,
 *   options?: { named?: Map<string, object>, given?: ?object }) => void}
 */
export function openWorkoutDialog(strings, lines, chosen, send, { named = new Map(), given = null } = {}) {
  openDialog(strings.setWorkout.replace('\u2026', ''), (body, close) => {
    body.classList.add('wide');
    new WorkoutForm(body, close, strings, lines, chosen, send, named, given);
  });
}

class WorkoutForm {
  constructor(body, close, strings, lines, chosen, send, named, given) {
    Object.assign(this, { close, strings, send, given, typed: {}, isConfirmed: false });
    this.form = add('form', '', body);
    if (given) {
      add('p', 'given', this.form, given.name);
    } else {
      const list = addTemplates(this.form, strings, TEMPLATES, (template) => this.fillIn(template));
      for (const [name, row] of named) {
        button(list, name, () => this.fillInNamed(name, row), 'chip named');
      }
      this.makeKinds();
      this.inputs = add('div', 'inputs', this.form);
    }
    this.preview = add('p', 'preview', this.form);
    this.preview.setAttribute('aria-live', 'polite');
    this.own = add('p', 'hint own', this.form);
    this.choice = new ErgPicker(this.form, strings, lines, chosen, () => this.update());
    this.restWarning = add('p', 'warning', this.form);
    this.end = new FormFooter(this.form, strings, close, () => this.go());
    if (given) this.update();
    else this.fillIn(TEMPLATES[0]);
  }

  /** A workout that the gateway defines needs no input. */
  fillInNamed(name, row) {
    this.kind = 'named';
    for (const input of this.kinds.values()) input.checked = false;
    this.inputs.textContent = '';
    this.typed = { name: { value: name, setAttribute() {} } };
    add('p', 'hint', this.inputs, interpolate(this.strings.namedWorkoutHint, row));
    this.showError('', '');
    this.update();
  }

  makeKinds() {
    const group = add('div', 'kinds', this.form);
    group.setAttribute('role', 'radiogroup');
    group.setAttribute('aria-label', this.strings.kind);
    this.kinds = new Map();
    for (const kind of KINDS) {
      const label = add('label', '', group);
      const input = add('input', '', label);
      input.type = 'radio';
      input.name = 'kind';
      input.addEventListener('change', () => this.fillIn({ kind }));
      add('span', '', label, this.strings.kinds[kind]);
      this.kinds.set(kind, input);
    }
  }

  /** Fills the inputs from a template, or creates an empty form of a kind. */
  fillIn(template) {
    const { strings } = this;
    this.kind = template.kind;
    this.isConfirmed = false;
    this.kinds.get(template.kind).checked = true;
    this.inputs.textContent = '';
    this.typed = {};
    const figure = { inputmode: 'numeric', maxlength: 8 };
    const isTime = template.kind === 'time';
    const isSplit = template.kind === 'intervals';
    if (isSplit) this.type('count', strings.repeats, { maxlength: 8 }, template.count || '4');
    const label = isTime ? strings.lengthTime : isSplit ? strings.intervalLength
      : strings.length + (template.kind === 'distance' ? ', m' : ', kcal');
    if (template.kind !== 'just_row') {
      this.type('length', label, isTime || isSplit ? { maxlength: 99 } : figure,
        template.length || '');
    }
    if (isSplit) {
      this.makeUnit(template.unit || 'm');
      this.type('rest', strings.restInput, { maxlength: 99 }, template.rest || '');
      add('p', 'hint targets', this.inputs, strings.intervalsHint);
    } else if (template.kind !== 'just_row') {
      this.type('split', strings.split + label.slice(label.indexOf(',')), figure, '');
    }
    if (template.kind !== 'just_row') this.makeTargets();
    this.showError('', '');
    this.update();
  }

  /** Inputs for target ranges of pace, power, rate and heart rate. */
  makeTargets() {
    const { strings } = this;
    add('p', 'hint targets', this.inputs, strings.targetsHint);
    for (const [name, label, example] of [['pace', strings.targetPace, '1:50-1:55'],
      ['power', strings.targetPower, '180-200'], ['rate', strings.targetRate, '22-24'],
      ['heart', strings.targetHeart, '150-165']]) {
      this.type(name, label, { maxlength: 99, placeholder: example }, '');
    }
  }

  type(name, label, attributes, value) {
    const input = field(this.inputs, label, attributes, name);
    input.value = value;
    input.addEventListener('input', () => {
      this.isConfirmed = false;
      this.showError('', '');
      this.update();
    });
    this.typed[name] = input;
  }

  makeUnit(unit) {
    const place = add('label', 'field unit', this.inputs);
    add('span', '', place, this.strings.unit);
    const select = add('select', '', place);
    for (const [value, text] of [['m', 'm'], ['s', 'min:s'], ['kcal', 'kcal']]) {
      add('option', '', select, text).value = value;
    }
    select.value = unit;
    select.addEventListener('change', () => this.update());
    this.typed.unit = select;
  }

  get fields() {
    if (this.given) return Object.assign({}, this.given.fields);
    const input = { kind: this.kind };
    for (const name of Object.keys(this.typed)) input[name] = this.typed[name].value;
    return fieldsOf(input);
  }

  /** Updates the button, the preview and the warnings. */
  update() {
    const { strings } = this;
    const { chosen } = this.choice;
    const fields = this.fields;
    const rest = shortRest(fields);
    this.preview.textContent = describe(fields, strings);
    this.own.textContent = !this.preview.textContent ? '' : chosen.map((line) => {
      const own = ownTargets(fields, athleteOf(line.athleteId) || {}, strings);
      return own && line.who + ': ' + (line.athleteId ? own : strings.nobody);
    }).filter(Boolean).join(' \u00b7 ');
    this.restWarning.textContent = rest ? interpolate(strings.shortRest, elapsed(rest)) : '';
    const isConfirming = rest > 0 && this.isConfirmed;
    this.end.update(chosen, 1, { few: strings.chooseMonitor,
      ends: isConfirming ? strings.setAnyway : strings.endAndSetNow,
      does: isConfirming ? strings.setAnyway
        : chosen.length === 1 ? strings.setOnOne : interpolate(strings.setOn, chosen.length) });
  }

  async go() {
    const { chosen } = this.choice;
    const fields = this.fields;
    // An unusually short rest needs a second press.
    if (shortRest(fields) && !this.isConfirmed) {
      this.isConfirmed = true;
      this.update();
      return;
    }
    if (chosen.some((line) => line.isActive)) fields.force = true;
    let detail = '';
    const error = await this.send('workout', chosen, fields, (text) => { detail = text || ''; });
    if (!error) {
      this.close();
      return;
    }
    this.update();
    this.showError(error, detail);
  }

  /** Shows why the workout was rejected; `detail` is the server's text, which names the field. */
  showError(error, detail) {
    this.end.refusal.textContent = error;
    const found = detail ? INPUTS.filter(([pattern]) => pattern.test(detail))[0] : null;
    for (const name of Object.keys(this.typed)) {
      const isWrong = found !== null && found !== undefined && found[1] === name;
      this.typed[name].setAttribute('aria-invalid', String(isWrong));
      if (isWrong) this.typed[name].focus();
    }
  }
}
