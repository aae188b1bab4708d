// The dialog that creates a race: distance or time, pace boat, and ergs.
import { addTemplates, ErgPicker, FormFooter } from '../coach/erg-picker.js';
import { fieldsOf } from '../coach/workouts.js';
import { post, requestError } from '../common/api-client.js';
import { add, field, openDialog } from '../common/dialog.js';
import { pageAddress } from '../common/page.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../wall/tile.js').Tile} Tile */

/** Common races. */
const TEMPLATES = [
  { kind: 'distance', length: '500' }, { kind: 'distance', length: '1000' },
  { kind: 'distance', length: '2000' }, { kind: 'distance', length: '5000' },
  { kind: 'distance', length: '6000' }, { kind: 'time', length: '1:00' },
  { kind: 'time', length: '4:00' }, { kind: 'time', length: '30:00' },
];
const USUAL = TEMPLATES[2];
const FEWEST = 2;

/**
 * Opens the dialog for `lines`; those in `chosen` are selected.
 * @type {(strings: Strings, lines: Tile[], chosen: string[]) => void}
 */
export function openRaceDialog(strings, lines, chosen) {
  const raceStrings = strings.racePage;
  openDialog(strings.race, (body, close) => {
    body.classList.add('wide');
    new RaceForm(body, close, strings, raceStrings, lines, chosen);
  });
}

class RaceForm {
  constructor(body, close, strings, raceStrings, lines, chosen) {
    Object.assign(this, { strings, raceStrings });
    this.form = add('form', '', body);
    addTemplates(this.form, strings, TEMPLATES, (template) => this.fillIn(template));
    const inputs = add('div', 'inputs', this.form);
    this.length = field(inputs, '', { maxlength: 8 }, 'length');
    this.label = this.length.previousSibling;
    this.name = field(inputs, raceStrings.name, { maxlength: 60 }, 'name');
    this.location = field(inputs, raceStrings.location, { maxlength: 60 }, 'name');
    this.pace = field(inputs, raceStrings.pace, { maxlength: 8 }, 'pace');
    this.paceName = field(inputs, raceStrings.paceName, { maxlength: 60 }, 'name');
    const place = add('label', 'field unit', inputs);
    add('span', '', place, raceStrings.order);
    this.order = add('select', '', place);
    add('option', '', this.order, raceStrings.byPlace).value = '';
    add('option', '', this.order, raceStrings.fixed).value = 'fixed';
    this.choice = new ErgPicker(this.form, strings, lines, chosen, () => this.update());
    this.end = new FormFooter(this.form, strings, close, () => this.go());
    this.fillIn(USUAL);
  }

  fillIn(template) {
    this.kind = template.kind;
    this.label.textContent = template.kind === 'time' ? this.strings.lengthTime : this.raceStrings.distance;
    this.length.value = template.length;
    this.end.refusal.textContent = '';
    this.update();
  }

  update() {
    const { chosen } = this.choice;
    this.end.update(chosen, FEWEST, { few: this.raceStrings.chooseTwo, ends: this.raceStrings.endAndRace,
      does: interpolate(this.raceStrings.raceOf, chosen.length) });
  }

  /** The request in the server's format. */
  get request() {
    const { chosen } = this.choice;
    // The server rejects other texts than one pace.
    const { target_pace_s_per_500m: pace = this.pace.value.trim() } = fieldsOf(
      { kind: 'distance', length: '1', pace: this.pace.value });
    const request = {
      name: this.name.value.trim(),
      piece: fieldsOf({ kind: this.kind, length: this.length.value }),
      to: chosen.map(({ gw, slug }) => ({ gw, erg: slug })),
      lanes_fixed: this.order.value === 'fixed', force: chosen.some((line) => line.isActive),
    };
    if (this.location.value.trim()) request.location = this.location.value.trim();
    if (pace !== '') request.pace_s_per_500m = pace;
    if (this.paceName.value.trim()) request.pace_name = this.paceName.value.trim();
    return request;
  }

  async go() {
    const { status, content } = await post('/api/v1/races', this.request);
    if (status === 401) location.reload();
    if (status === 201) {
      location.assign(pageAddress('/race'));
      return;
    }
    this.update();
    this.end.refusal.textContent = requestError(content, this.strings);
  }
}
