// The dialog that makes a race: the piece, its pace boat, and the monitors that are in it.
import { post } from './asking.js';
import { Choice, addTemplates } from './choosing.js';
import { add, field, openDialog } from './dialog.js';
import { FormEnd } from './ending.js';
import { address } from './page.js';
import { raceWords } from './racewords.js';
import { fieldsOf } from './workouts.js';
import { fill } from './words.js';

/** What is raced again and again. */
const TEMPLATES = [
  { kind: 'distance', length: '500' }, { kind: 'distance', length: '1000' },
  { kind: 'distance', length: '2000' }, { kind: 'distance', length: '5000' },
  { kind: 'distance', length: '6000' }, { kind: 'time', length: '1:00' },
  { kind: 'time', length: '4:00' }, { kind: 'time', length: '30:00' },
];
const USUAL = TEMPLATES[2];
const FEWEST = 2;

/** Opens it for `lines`, of which those of `chosen` are switched on. */
export function openRacing(words, lines, chosen) {
  const said = raceWords(words);
  openDialog(said.title, (body, close) => {
    body.classList.add('wide');
    new Racing(body, close, words, said, lines, chosen);
  });
}

class Racing {
  constructor(body, close, words, said, lines, chosen) {
    Object.assign(this, { words, said });
    this.form = add('form', '', body);
    addTemplates(this.form, words, TEMPLATES, (template) => this.fillIn(template));
    const inputs = add('div', 'inputs', this.form);
    this.length = field(inputs, '', { maxlength: 8 }, 'length');
    this.label = this.length.previousSibling;
    this.name = field(inputs, said.name, { maxlength: 60 }, 'name');
    this.pace = field(inputs, said.pace, { maxlength: 8 }, 'pace');
    this.paceName = field(inputs, said.paceName, { maxlength: 60 }, 'name');
    const place = add('label', 'field unit', inputs);
    add('span', '', place, said.order);
    this.order = add('select', '', place);
    add('option', '', this.order, said.byPlace).value = '';
    add('option', '', this.order, said.fixed).value = 'fixed';
    this.choice = new Choice(this.form, words, lines, chosen, () => this.update());
    this.end = new FormEnd(this.form, words, close, () => this.go());
    this.fillIn(USUAL);
  }

  fillIn(template) {
    this.kind = template.kind;
    this.label.textContent = template.kind === 'time' ? this.said.time : this.said.distance;
    this.length.value = template.length;
    this.end.refusal.textContent = '';
    this.update();
  }

  update() {
    const { chosen } = this.choice;
    this.end.update(chosen, FEWEST, { few: this.said.two, ends: this.said.endAndRace,
      does: fill(this.said.makeIt, chosen.length) });
  }

  /** The race as the server takes it. */
  get asked() {
    const { chosen } = this.choice;
    const pace = fieldsOf({ kind: 'distance', length: '1', pace: this.pace.value })
      .target_pace_s_per_500m;
    const asked = {
      name: this.name.value.trim(),
      piece: fieldsOf({ kind: this.kind, length: this.length.value }),
      to: chosen.map(({ gw, slug }) => ({ gw, erg: slug })),
      lanes_fixed: this.order.value === 'fixed', force: chosen.some((line) => line.isUnderWay),
    };
    if (pace !== undefined) asked.pace_s_per_500m = pace;
    if (this.paceName.value.trim()) asked.pace_name = this.paceName.value.trim();
    return asked;
  }

  async go() {
    const { status, content } = await post('/api/v1/races', this.asked);
    if (status === 401) location.reload();
    if (status === 201) {
      location.assign(address('/race'));
      return;
    }
    this.update();
    this.end.refusal.textContent = content.detail || this.words.unreachable;
  }
}
