// Two athletes who are one person: the dialogs to merge them, and the list of merges that can be undone.
import { answerError, get, post, remove } from '../common/api-client.js';
import { openAthletePicker } from '../common/athlete-picker.js';
import { add, addForm, button, openDialog } from '../common/dialog.js';
import { line } from '../common/format.js';
import { choiceLabel, nameOf } from '../common/names.js';
import { shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';
import { previewSentences, undoableMerges } from './merge-text.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/names.js').Athlete} Athlete */

/**
 * Merges `athlete` with one of `others`, after a choice and a preview. `done()` is called after the merge.
 * @type {(strings: Strings, athlete: Athlete, others: Athlete[], done: () => void) => void}
 */
export function openMerge(strings, athlete, others, done) {
  openAthletePicker(strings, interpolate(strings.mergeTitle, choiceLabel(athlete)), '', async (id) => {
    const other = others.filter((one) => one.athlete_id === id)[0];
    if (other) openPreview(strings, athlete, other, done);
    return '';
  }, { only: () => others });
}

/** Shows the effect of a merge. The user can change the athlete who is kept. */
function openPreview(strings, athlete, other, done) {
  const pair = [athlete, other];
  openDialog(interpolate(strings.mergePreviewTitle, choiceLabel(athlete), choiceLabel(other)), (body, close) => {
    const send = (isDryRun) => {
      const [kept, merged] = choice.value === other.athlete_id ? [other, athlete] : pair;
      const request = { athlete_id: merged.athlete_id };
      if (isDryRun) request.dry_run = true;
      return post('/api/v1/athletes/' + encodeURIComponent(kept.athlete_id) + '/merge', request)
        .then((answer) => ({ answer, kept, merged }));
    };
    const place = addForm(body, strings, strings.merge, close, async () => {
      const { answer } = await send(false);
      if (answer.status === 200) done();
      return answerError(answer, strings);
    });
    const label = add('label', 'field', place);
    add('span', '', label, strings.mergeKeep);
    const choice = add('select', '', label);
    for (const one of pair) add('option', '', choice, choiceLabel(one)).value = one.athlete_id;
    const preview = add('div', '', place);
    preview.setAttribute('role', 'status');
    const draw = async () => {
      const { answer, kept, merged } = await send(true);
      preview.textContent = '';
      const sentences = answer.status === 200
        ? previewSentences(answer.content, choiceLabel(merged), choiceLabel(kept), strings)
        : [answerError(answer, strings)];
      for (const sentence of sentences) add('p', '', preview, sentence).dir = 'auto';
    };
    choice.addEventListener('change', draw);
    draw();
  });
}

/**
 * Lists the merges that can be undone in `place`, and hides it without one.
 * @type {(strings: Strings, place: HTMLElement, done: () => void) => Promise<void>}
 */
export async function showMerges(strings, place, done) {
  const answer = await get('/api/v1/merges');
  const merges = answer.status === 200 ? undoableMerges(answer.content.merges) : [];
  place.textContent = '';
  place.hidden = !merges.length;
  make('h2', '', place).textContent = strings.mergedAthletes;
  const list = make('ul', 'unassigned', place);
  list.setAttribute('role', 'list');
  for (const merge of merges) {
    const row = make('li', '', list);
    const name = line(merge.name || merge.athlete_id, 64);
    const text = add('span', 'what', row, interpolate(strings.mergedInto, name,
      nameOf(merge.current_athlete_id || merge.kept_athlete_id)));
    text.dir = 'auto';
    add('span', 'hint', row, interpolate(strings.undoUntil, shortDayOf(merge.undo_until_ms)));
    button(row, strings.undoMerge, () => openUndo(strings, merge, name, done), 'quiet')
      .setAttribute('aria-label', interpolate(strings.undoMergeOf, name));
  }
}

function openUndo(strings, merge, name, done) {
  openDialog(interpolate(strings.undoMergeOf, name), (body, close) => {
    const place = addForm(body, strings, strings.undoMerge, close, async () => {
      const answer = await remove('/api/v1/merges/' + encodeURIComponent(merge.athlete_id));
      if (answer.status === 200) done();
      return answerError(answer, strings);
    });
    add('p', '', place, interpolate(strings.undoMergeHint, name));
  });
}
