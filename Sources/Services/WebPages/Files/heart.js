// Zones by heart rate, and the two rates that they are made of, which somebody gives.
import { post } from './asking.js';
import { add, addRefusal, button, closeDialog, field, openDialog } from './dialog.js';
import { fill } from './words.js';
import { drawZones } from './zones.js';

/** Draws the zones; rates that are given are kept at `path`, and then `kept` is called. */
export function drawHeart(place, zones, times, by, path, kept, words) {
  drawZones(place, words.heartZones, zones, times, by, words);
  const title = fill(words.giveHeart, words.units.heart);
  button(place, title + '\u2026', () => openDialog(title, (body, close) => {
    const form = add('form', '', body);
    const row = add('div', 'inputs', form);
    const [resting, maximal] = [[words.heartAtRest, zones.resting_bpm],
      [words.heartAtMost, zones.maximal_bpm]].map(([label, value = '']) =>
      field(row, label, { inputmode: 'numeric', maxlength: 3, value }));
    const refusal = addRefusal(form);
    const buttons = add('div', 'buttons', form);
    button(buttons, words.cancel, close);
    add('button', 'main', buttons, words.keepIt);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const { status, content } = await post(path, resting.value || maximal.value
        ? { resting_bpm: Number(resting.value), maximal_bpm: Number(maximal.value) } : {});
      if (status === 401) location.reload();
      refusal.textContent = status === 200 ? '' : content.detail || words.unreachable;
      if (status !== 200) return;
      closeDialog();
      kept();
    });
  }));
}
