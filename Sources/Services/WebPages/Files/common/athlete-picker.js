// The choice of an athlete by name.
import { answerError, post } from './api-client.js';
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { athletesByName, choiceLabel, loadAthletes, matches } from './names.js';
import { isAthleteId } from './page.js';
import { interpolate } from './strings.js';

/** @typedef {import('./strings.js').Strings} Strings */

/** Most athletes in the list below the search. */
const LISTED = 50;

/**
 * Opens a dialog to choose an athlete. `pick(id)` gets the athlete, or an empty id for nobody, and returns an error
 * text; an empty one closes the dialog. `more(form)` adds inputs. `load` loads the list again. A name that no athlete
 * has can be added, unless `isFixed`. `only()` returns the athletes to choose from; with it, none can be added.
 * @type {(strings: Strings, title: string, current: string, pick: (id: string) => Promise<string>,
 *   options?: { more?: (form: Element) => void, load?: () => Promise<any>, isFixed?: boolean,
 *     only?: () => import('./names.js').Athlete[] }) => void}
 */
export function openAthletePicker(strings, title, current, pick, options = {}) {
  const { more = () => {}, load = loadAthletes, isFixed = false, only } = options;
  openDialog(title, (body, close) => {
    const form = add('form', '', body);
    const search = field(form, strings.searchAthlete, {
      type: 'search', maxlength: 60, autocapitalize: 'words', spellcheck: 'false' });
    const list = add('ul', 'athletes', form);
    list.setAttribute('role', 'list');
    more(form);
    const refusal = addRefusal(form);
    const choose = async (id) => {
      refusal.textContent = await pick(id);
      // The choice may have opened another dialog.
      if (!refusal.textContent && document.contains(form)) close();
    };
    const addNew = async (name) => {
      const answer = await post('/api/v1/athletes', { name });
      if (answer.status === 200) {
        await loadAthletes();
        await choose(answer.content.athlete_id);
      } else if (answer.content.code === 'no_store' && isAthleteId(name)) {
        // Without a store there are no athletes; the gateway may have a roster.
        await choose(name);
      } else {
        refusal.textContent = answerError(answer, strings);
      }
    };
    let first = null;
    const draw = () => {
      list.textContent = '';
      const text = search.value.trim();
      const found = (only || athletesByName)().filter((athlete) => matches(athlete, text));
      first = text && found.length ? () => choose(found[0].athlete_id) : null;
      for (const athlete of found.slice(0, LISTED)) {
        const one = button(add('li', '', list), choiceLabel(athlete), () => choose(athlete.athlete_id), 'athlete');
        one.dir = 'auto';
        if (athlete.athlete_id === current) one.setAttribute('aria-current', 'true');
      }
      if (found.length > LISTED) add('li', 'hint', list, strings.moreFound);
      if (!found.length && only) {
        add('li', 'hint', list, strings.noAthleteFound);
      } else if (!found.length && isFixed) {
        add('li', 'hint', list, text ? strings.noSuchAthlete : strings.askCoachToAdd);
      } else if (!found.length && text) {
        first = () => addNew(text);
        button(add('li', '', list), interpolate(strings.addNamed, text), first, 'athlete');
      } else if (!found.length) {
        add('li', 'hint', list, strings.noAthletesToChoose);
      }
    };
    const buttons = add('div', 'buttons', form);
    if (current) button(buttons, strings.clearAssignment, () => choose(''));
    button(buttons, strings.cancel, close);
    search.addEventListener('input', draw);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (first) first();
    });
    draw();
    // The list may be old: another coach may have added an athlete.
    load().then(draw);
  });
}
