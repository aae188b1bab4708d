// The dialog that names crews: which ergs row as one, and which crews there are.
import { Choice } from './choosing.js';
import { knownCrews } from './crews.js';
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { line as textOf, place } from './figures.js';
import { fill } from './words.js';

/**
 * Opens it. `send(verb, places, fields)` comes to an error in words, or to none; a crew is one of its
 * gateway's ergs, so that each gateway is asked for its own.
 */
export function openCrews(words, lines, room, send) {
  openDialog(words.crews, (body, close) => {
    body.classList.add('wide');
    const form = add('form', '', body);
    const input = field(form, words.crewName, { maxlength: 32, autocapitalize: 'none',
      spellcheck: 'false' });
    add('p', 'hint', form, words.crewWhy);
    const refusal = addRefusal(form);
    const ask = async (gw, fields) => {
      refusal.textContent = await send('crew', [{ gw }], fields);
      return !refusal.textContent;
    };
    listKnown(form, words, knownCrews(room), lines, ask, close);
    const choice = new Choice(form, words, lines, [], () => {});
    const buttons = add('div', 'buttons', form);
    button(buttons, words.cancel, close);
    add('button', 'main', buttons, words.nameCrew);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const { chosen } = choice;
      if (chosen.length === 0) {
        refusal.textContent = words.choose;
        return;
      }
      for (const gw of new Set(chosen.map((one) => one.gw))) {
        const members = chosen.filter((one) => one.gw === gw).map((one) => one.slug);
        if (!await ask(gw, { crew: input.value.trim(), members })) return;
      }
      close();
    });
  });
}

/** The crews that row or rowed, with what takes a name back. */
function listKnown(form, words, crews, lines, ask, close) {
  if (!crews.length) return;
  const list = add('ul', 'crews', form);
  list.setAttribute('role', 'list');
  for (const crew of crews) {
    const entry = add('li', '', list);
    add('b', '', entry, textOf(crew.name, 32));
    add('span', 'hint', entry, crew.members.map((slug) => place(String(slug))).join(', '));
    button(entry, words.forgetCrew, async () => {
      if (await ask(crew.gw, { crew: crew.name })) close();
    }, 'link').setAttribute('aria-label', fill(words.forgetCrewOf, crew.name));
  }
}
