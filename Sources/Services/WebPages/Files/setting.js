// The dialog that sets a workout: templates, a form, and the monitors it is for.
import { Choice, addTemplates } from './choosing.js';
import { add, button, field, openDialog } from './dialog.js';
import { FormEnd } from './ending.js';
import { elapsed } from './figures.js';
import { TEMPLATES, describe, fieldsOf, shortRest } from './workouts.js';
import { fill } from './words.js';

const KINDS = ['distance', 'time', 'calories', 'intervals', 'just_row'];

/** What the server says of a field, and the text that says the same of the form. */
const FAULTS = [
  [/target_pace_min\w*\sis\sabove/, 'paceOrder'], [/_min\w*\sis\sabove/, 'smallFirst'],
  [/^intervals.*\sis\smissing/, 'noInterval'],
  [/^(distance_m|duration_s|calories_kcal)\sis\smissing/, 'noLength']];

/** Which input a field of the contract is typed into. */
const INPUTS = [
  [/target_pace/, 'pace'], [/power/, 'power'], [/stroke_rate/, 'rate'], [/heart_rate/, 'heart'],
  [/^repeat|too_many|endless/, 'count'], [/rest/, 'rest'], [/^split/, 'split'],
  [/distance|duration|calories|interval|piece/, 'length']];

/**
 * Opens it for `lines`, of which those of `chosen` are switched on. `send(verb, lines, fields)`
 * comes to an error in words, or to none. `named` are the gateways' workouts, rows by name; one that is
 * `given` has its name and its fields, and nothing is asked.
 */
export function openSetting(words, lines, chosen, send, { named = new Map(), given = null } = {}) {
  openDialog(words.workoutFor, (body, close) => {
    body.classList.add('wide');
    new Setting(body, close, words, lines, chosen, send, named, given);
  });
}

class Setting {
  constructor(body, close, words, lines, chosen, send, named, given) {
    Object.assign(this, { close, words, send, given, typed: {}, isSure: false });
    this.form = add('form', '', body);
    if (given) {
      add('p', 'given', this.form, given.name);
    } else {
      const list = addTemplates(this.form, words, TEMPLATES, (template) => this.fillIn(template));
      for (const [name, row] of named) {
        button(list, name, () => this.fillInNamed(name, row), 'chip named');
      }
      this.makeKinds();
      this.inputs = add('div', 'inputs', this.form);
    }
    this.preview = add('p', 'preview', this.form);
    this.preview.setAttribute('aria-live', 'polite');
    this.choice = new Choice(this.form, words, lines, chosen, () => this.update());
    this.doubt = add('p', 'warning', this.form);
    this.end = new FormEnd(this.form, words, close, () => this.go());
    if (given) this.update();
    else this.fillIn(TEMPLATES[0]);
  }

  /** A workout of the gateway's own: there is nothing to type. */
  fillInNamed(name, row) {
    this.kind = 'named';
    for (const input of this.kinds.values()) input.checked = false;
    this.inputs.textContent = '';
    this.typed = { name: { value: name, setAttribute() {} } };
    add('p', 'hint', this.inputs, fill(this.words.namedWhy, row));
    this.say('');
    this.update();
  }

  makeKinds() {
    const group = add('div', 'kinds', this.form);
    group.setAttribute('role', 'radiogroup');
    group.setAttribute('aria-label', this.words.kind);
    this.kinds = new Map();
    for (const kind of KINDS) {
      const label = add('label', '', group);
      const input = add('input', '', label);
      input.type = 'radio';
      input.name = 'kind';
      input.addEventListener('change', () => this.fillIn({ kind }));
      add('span', '', label, this.words.kinds[kind]);
      this.kinds.set(kind, input);
    }
  }

  /** Puts a template, or an empty form of a kind, into the inputs. */
  fillIn(template) {
    const { words } = this;
    this.kind = template.kind;
    this.isSure = false;
    this.kinds.get(template.kind).checked = true;
    this.inputs.textContent = '';
    this.typed = {};
    const figure = { inputmode: 'numeric', maxlength: 8 };
    const isTime = template.kind === 'time';
    const isSplit = template.kind === 'intervals';
    if (isSplit) this.type('count', words.count, { maxlength: 8 }, template.count || '4');
    const label = isTime ? words.lengthTime : isSplit ? words.work
      : words.length + (template.kind === 'distance' ? ', m' : ', kcal');
    if (template.kind !== 'just_row') {
      this.type('length', label, isTime || isSplit ? { maxlength: 99 } : figure,
        template.length || '');
    }
    if (isSplit) {
      this.makeUnit(template.unit || 'm');
      this.type('rest', words.restInput, { maxlength: 99 }, template.rest || '');
      add('p', 'hint targets', this.inputs, words.intervalsWhy);
    } else if (template.kind !== 'just_row') {
      this.type('split', words.split + label.slice(label.indexOf(',')), figure, '');
    }
    if (template.kind !== 'just_row') this.makeTargets();
    this.say('');
    this.update();
  }

  /** From where to where the pace, the power, the rate and the heart rate are to be. */
  makeTargets() {
    const { words } = this;
    add('p', 'hint targets', this.inputs, words.targetsWhy);
    for (const [name, label, example] of [['pace', words.targetPace, '1:50-1:55'],
      ['power', words.targetPower, '180-200'], ['rate', words.targetRate, '22-24'],
      ['heart', words.targetHeart, '150-165']]) {
      this.type(name, label, { maxlength: 99, placeholder: example }, '');
    }
  }

  type(name, label, attributes, value) {
    const input = field(this.inputs, label, attributes, name);
    input.value = value;
    input.addEventListener('input', () => {
      this.isSure = false;
      this.say('');
      this.update();
    });
    this.typed[name] = input;
  }

  makeUnit(unit) {
    const place = add('label', 'field unit', this.inputs);
    add('span', '', place, this.words.unit);
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

  /** The button says what it does, the lines above it what is set and whose pieces it ends. */
  update() {
    const { words } = this;
    const { chosen } = this.choice;
    const fields = this.fields;
    const rest = shortRest(fields);
    this.preview.textContent = describe(fields, words);
    this.doubt.textContent = rest ? fill(words.shortRest, elapsed(rest)) : '';
    const isAsked = rest > 0 && this.isSure;
    this.end.update(chosen, 1, { few: words.choose, ends: isAsked ? words.setAnyway : words.endSet,
      does: isAsked ? words.setAnyway
        : chosen.length === 1 ? words.setOnOne : fill(words.setOn, chosen.length) });
  }

  async go() {
    const { chosen } = this.choice;
    const fields = this.fields;
    // A rest that is hardly meant takes a second press.
    if (shortRest(fields) && !this.isSure) {
      this.isSure = true;
      this.update();
      return;
    }
    if (chosen.some((line) => line.isUnderWay)) fields.force = true;
    const error = await this.send('workout', chosen, fields);
    if (!error) {
      this.close();
      return;
    }
    this.update();
    this.say(error);
  }

  /** What was refused, in the words of the form, beside the input that it is about. */
  say(error) {
    const [, fault = ''] = FAULTS.find(([pattern]) => pattern.test(error)) || [];
    this.end.refusal.textContent = fault ? this.words.faults[fault] : error;
    const found = error ? INPUTS.filter(([pattern]) => pattern.test(error))[0] : null;
    for (const name of Object.keys(this.typed)) {
      const isWrong = found !== null && found !== undefined && found[1] === name;
      this.typed[name].setAttribute('aria-invalid', String(isWrong));
      if (isWrong) this.typed[name].focus();
    }
  }
}
