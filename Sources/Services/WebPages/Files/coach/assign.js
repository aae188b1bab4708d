// Who rows at which erg: one athlete by name, or all ergs at once.
import { answerError, post } from '../common/api-client.js';
import { add, addForm, addRefusal, button, field, openDialog } from '../common/dialog.js';
import { athletesByName, isAmbiguous, labelOf, loadAthletes, matches, nameOf } from '../common/names.js';
import { isAthleteId } from '../common/page.js';
import { interpolate } from '../common/strings.js';

/** @typedef {(verb: string, ergs: object[], fields: object) => Promise<string>} Send */
/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../wall/tile.js').Tile} Tile */

/** Most athletes in the list below the search. */
const LISTED = 50;
/** The key of the last assignment of all ergs in the browser's storage. */
const REMEMBERED = 'rowgate-assigned';

/** `Anna Müller`, with the id if another athlete has the same name. */
const choiceLabel = (athlete) => (isAmbiguous(athlete)
  ? labelOf(athlete) + ' \u00b7 ' + athlete.athlete_id : labelOf(athlete));

// ---- One erg

/**
 * Assigns an athlete, chosen by name. A name that no athlete has can be added.
 * @type {(strings: Strings, line: Tile, actions: { send: Send }) => void}
 */
export function openAssign(strings, line, actions) {
  openDialog(interpolate(strings.assignTitle, line.place), (body, close) => {
    const form = add('form', '', body);
    const search = field(form, strings.searchAthlete, {
      type: 'search', maxlength: 60, autocapitalize: 'words', spellcheck: 'false' });
    const list = add('ul', 'athletes', form);
    list.setAttribute('role', 'list');
    const until = add('label', 'check', form);
    const box = add('input', '', until);
    box.type = 'checkbox';
    add('span', '', until, strings.thisPieceOnly);
    const refusal = addRefusal(form);
    const assign = async (id) => {
      const fields = id ? { athlete_id: id } : {};
      if (box.checked) fields.until = 'session_end';
      const send = async () => actions.send('assign', [line], fields);
      if (line.isActive && id !== line.athleteId) {
        confirmChange(strings, line, id, send);
        return;
      }
      refusal.textContent = await send();
      if (!refusal.textContent) close();
    };
    const addNew = async (name) => {
      const answer = await post('/api/v1/athletes', { name });
      if (answer.status === 200) {
        await loadAthletes();
        await assign(answer.content.athlete_id);
      } else if (answer.content.code === 'no_store' && isAthleteId(name)) {
        // Without a store there are no athletes; the gateway may have a roster.
        await assign(name);
      } else {
        refusal.textContent = answerError(answer, strings);
      }
    };
    let first = null;
    const draw = () => {
      list.textContent = '';
      const text = search.value.trim();
      const found = athletesByName().filter((athlete) => matches(athlete, text));
      first = text && found.length ? () => assign(found[0].athlete_id) : null;
      for (const athlete of found.slice(0, LISTED)) {
        const one = button(add('li', '', list), choiceLabel(athlete), () => assign(athlete.athlete_id), 'athlete');
        one.dir = 'auto';
        if (athlete.athlete_id === line.athleteId) one.setAttribute('aria-current', 'true');
      }
      if (found.length > LISTED) add('li', 'hint', list, strings.moreFound);
      if (!found.length && text) {
        first = () => addNew(text);
        button(add('li', '', list), interpolate(strings.addNamed, text), first, 'athlete');
      } else if (!found.length) {
        add('li', 'hint', list, strings.noAthletesToChoose);
      }
    };
    const buttons = add('div', 'buttons', form);
    if (line.athleteId) button(buttons, strings.clearAssignment, () => assign(''));
    button(buttons, strings.cancel, close);
    search.addEventListener('input', draw);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (first) first();
    });
    draw();
    // The list may be old: another coach may have added an athlete.
    loadAthletes().then(draw);
  });
}

/** Asks before the athlete changes in the middle of a piece. */
function confirmChange(strings, line, id, send) {
  openDialog(interpolate(strings.assignTitle, line.place), (body, close) => {
    add('p', 'warning', body, interpolate(strings.rowsNow, line.name || line.who));
    add('p', '', body, id ? interpolate(strings.restGoesTo, nameOf(id)) : strings.restGoesToNobody);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, strings.cancel, close).setAttribute('data-first', '');
    const go = button(buttons, strings.assign, async () => {
      go.disabled = true;
      refusal.textContent = await send();
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main');
  });
}

// ---- All ergs

/**
 * Assigns athletes to all ergs at once.
 * @type {(strings: Strings, lines: Tile[], send: Send) => void}
 */
export async function openAssignAll(strings, lines, send) {
  await loadAthletes();
  openDialog(strings.assignAllTitle, (body, close) => {
    body.classList.add('wide');
    const selects = new Map();
    const fields = addForm(body, strings, strings.assign, close, async () => {
      const error = await sendAll(lines, selects, send);
      if (!error) remember(lines, selects);
      return error;
    });
    const tools = add('div', 'templates', fields);
    const put = (idOf) => {
      lines.forEach((line, index) => { selects.get(line.key).value = idOf(line, index) || ''; });
      check();
    };
    const last = remembered();
    const again = button(tools, strings.sameAsLastTime, () => put((line) => last[line.key]), 'chip');
    again.disabled = !Object.keys(last).length;
    button(tools, strings.shuffle, () => {
      const ids = shuffled(lines.map((line) => selects.get(line.key).value).filter(Boolean));
      put((line, index) => ids[index]);
    }, 'chip');
    button(tools, strings.clearAll, () => put(() => ''), 'chip');
    const athletes = athletesByName();
    const isKnown = (id) => athletes.some((athlete) => athlete.athlete_id === id);
    const others = new Set(lines.map((line) => line.athleteId).filter((id) => id && !isKnown(id)));
    const places = add('div', 'seats', fields);
    for (const line of lines) {
      const place = add('label', 'field', places);
      add('span', '', place, interpolate(strings.onErg, line.place));
      const select = add('select', '', place);
      selects.set(line.key, select);
      addOption(select, '', strings.nobody);
      for (const athlete of athletes) addOption(select, athlete.athlete_id, choiceLabel(athlete));
      for (const id of others) addOption(select, id, nameOf(id));
      select.value = line.athleteId;
      select.addEventListener('change', () => {
        // An athlete rows at one erg: the newer choice holds.
        for (const other of selects.values()) {
          if (other !== select && other.value === select.value) other.value = '';
        }
        check();
      });
    }
    const warning = add('p', 'warning', fields);
    const check = () => {
      const changed = lines.filter((line) => line.isActive && selects.get(line.key).value !== line.athleteId);
      warning.textContent = changed.length
        ? interpolate(strings.rowsNow, changed.map((line) => line.name || line.who).join(', ')) : '';
    };
    check();
  });
}

function addOption(select, value, text) {
  const option = add('option', '', select, text);
  option.value = value;
}

/** Sends a command for each erg that changes; athletes leave their former ergs first. */
async function sendAll(lines, selects, send) {
  const changed = lines.filter((line) => selects.get(line.key).value !== line.athleteId);
  const cleared = changed.filter((line) => line.athleteId);
  if (cleared.length) {
    const error = await send('assign', cleared, {});
    if (error) return error;
  }
  for (const line of changed) {
    const id = selects.get(line.key).value;
    const error = id ? await send('assign', [line], { athlete_id: id }) : '';
    if (error) return error;
  }
  return '';
}

function remember(lines, selects) {
  const assigned = {};
  for (const line of lines) assigned[line.key] = selects.get(line.key).value;
  // Private windows may have no storage.
  try { localStorage.setItem(REMEMBERED, JSON.stringify(assigned)); } catch (error) { /* forgotten */ }
}

/** The last assignment of this browser: athlete ids by erg. */
function remembered() {
  try { return Object(JSON.parse(localStorage.getItem(REMEMBERED))); } catch (error) { return {}; }
}

/** The same elements in a random order (Fisher and Yates). */
function shuffled(elements) {
  const all = elements.slice();
  for (let index = all.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [all[index], all[other]] = [all[other], all[index]];
  }
  return all;
}
