// The check-in of a phone that is not signed in: the code on the wall, and then a name.
import { get, post, remove, requestError } from '../common/api-client.js';
import { openAthletePicker } from '../common/athlete-picker.js';
import { add, addForm, addRefusal, field, openDialog } from '../common/dialog.js';
import { setAthletes } from '../common/names.js';
import { strings } from '../common/page.js';
import { interpolate } from '../common/strings.js';

export class CheckIn {
  /** `path` is the path of the erg below `/api/v1`, `name` its name for people. */
  constructor(path, name) {
    this.path = path + '/check-in';
    this.name = name;
    /** `open`, `closed` or `elsewhere`, once known; and the athlete of this phone's check-in. */
    this.availability = '';
    this.athleteId = '';
  }

  async load() {
    const { status, content } = await get(this.path);
    this.availability = status === 200 ? content.check_in : 'closed';
    this.athleteId = (status === 200 && content.athlete_id) || '';
  }

  /** Ends the check-in. Returns an error text; on success, the page loads again. */
  async leave() {
    const answer = await remove(this.path);
    if (answer.status !== 202) return requestError(answer.content, strings);
    location.reload();
    return '';
  }

  /** Shows how to row here: the form for the code, or how to get an invitation. */
  draw(place) {
    if (this.availability === 'open') this.drawForm(place);
    else add('p', 'hint', place, strings.checkInHints[this.availability] || strings.checkInHints.closed);
  }

  drawForm(place) {
    const form = add('form', 'panel', place);
    form.id = 'check-in';
    form.noValidate = true;
    add('h2', '', form, interpolate(strings.claimErg, this.name));
    const code = field(form, strings.codeOnWall, { inputmode: 'numeric', maxlength: 8, pattern: '[0-9]*' });
    const refusal = addRefusal(form);
    const refuse = (text) => {
      refusal.textContent = text;
      code.setAttribute('aria-invalid', String(text !== ''));
    };
    const go = add('button', 'main', form, strings.chooseName);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const digits = code.value.replace(/\D/g, '');
      refuse(digits.length === 4 ? '' : strings.fourDigits);
      if (digits.length === 4) {
        go.disabled = true;
        const { status, content } = await post(this.path, { code: digits });
        go.disabled = false;
        if (status === 200) {
          code.value = '';
          this.openNames(content.athletes);
          return;
        }
        refuse(requestError(content, strings));
      }
      code.focus();
      code.select();
    });
  }

  openNames(athletes) {
    setAthletes(athletes);
    openAthletePicker(strings, interpolate(strings.whoRowsOn, this.name), '', (id) => this.choose(id), {
      isFixed: true, load: () => Promise.resolve() });
  }

  async choose(id) {
    const { status, content } = await post(this.path + '/athlete', { athlete_id: id });
    if (content.code === 'occupied') {
      this.confirmReplacement(id);
      return '';
    }
    return this.finish(status, content);
  }

  /** Asks before another athlete is replaced. */
  confirmReplacement(id) {
    openDialog(interpolate(strings.claimErg, this.name), (body, close) => {
      const place = addForm(body, strings, strings.takeErg, close, async () => {
        const { status, content } = await post(this.path + '/athlete', { athlete_id: id, replace: true });
        return this.finish(status, content);
      });
      add('p', 'warning', place, strings.ergIsTaken);
    });
  }

  finish(status, content) {
    if (status !== 202) return requestError(content, strings);
    location.reload();
    return '';
  }
}
