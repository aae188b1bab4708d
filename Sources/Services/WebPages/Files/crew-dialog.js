// The dialog for crews: which ergs row together, and the existing crews.
import { ErgPicker } from './erg-picker.js';
import { knownCrews } from './crews.js';
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { line as textOf, place } from './format.js';
import { interpolate } from './strings.js';

/**
 * Opens the dialog. `send(verb, places, fields)` returns an error text or an empty one. A crew belongs to
 * one gateway, so each gateway gets its own command.
 */
export function openCrews(strings, lines, room, send) {
  openDialog(strings.crews, (body, close) => {
    body.classList.add('wide');
    const form = add('form', '', body);
    const input = field(form, strings.crewName, { maxlength: 32, autocapitalize: 'none',
      spellcheck: 'false' });
    add('p', 'hint', form, strings.crewNameHint);
    const refusal = addRefusal(form);
    const sendCrew = async (gw, fields) => {
      refusal.textContent = await send('crew', [{ gw }], fields);
      return !refusal.textContent;
    };
    listKnown(form, strings, knownCrews(room), lines, sendCrew, close);
    const choice = new ErgPicker(form, strings, lines, [], () => {});
    const buttons = add('div', 'buttons', form);
    button(buttons, strings.cancel, close);
    add('button', 'main', buttons, strings.createCrew);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const { chosen } = choice;
      if (chosen.length === 0) {
        refusal.textContent = strings.chooseMonitor;
        return;
      }
      for (const gw of new Set(chosen.map((one) => one.gw))) {
        const members = chosen.filter((one) => one.gw === gw).map((one) => one.slug);
        if (!await sendCrew(gw, { crew: input.value.trim(), members })) return;
      }
      close();
    });
  });
}

/** Lists the known crews, each with a button to remove it. */
function listKnown(form, strings, crews, lines, sendCrew, close) {
  if (!crews.length) return;
  const list = add('ul', 'crews', form);
  list.setAttribute('role', 'list');
  for (const crew of crews) {
    const entry = add('li', '', list);
    add('b', '', entry, textOf(crew.name, 32));
    add('span', 'hint', entry, crew.members.map((slug) => place(String(slug))).join(', '));
    button(entry, strings.removeCrew, async () => {
      if (await sendCrew(crew.gw, { crew: crew.name })) close();
    }, 'link').setAttribute('aria-label', interpolate(strings.removeCrewNamed, crew.name));
  }
}
