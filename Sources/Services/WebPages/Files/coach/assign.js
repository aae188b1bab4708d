// Who rows at which erg: one athlete by name, or all ergs at once.
import { openAthletePicker } from '../common/athlete-picker.js';
import { add, addForm, addRefusal, button, openDialog } from '../common/dialog.js';
import { athletesByName, choiceLabel, loadAthletes, nameOf } from '../common/names.js';
import { interpolate } from '../common/strings.js';

/** @typedef {(verb: string, ergs: object[], fields: object) => Promise<string>} Send */
/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../wall/tile.js').Tile} Tile */

/** The logbook accepts 30 commands at once, and then one each second: milliseconds between further ones. */
const [AT_ONCE, PAUSE] = [25, 1100];
/** The key of the last assignment of all ergs in the browser's storage. */
const REMEMBERED = 'rowgate-assigned';

// ---- One erg

/**
 * Assigns an athlete, chosen by name.
 * @type {(strings: Strings, line: Tile, actions: { send: Send }) => void}
 */
export function openAssign(strings, line, actions) {
  let box = null;
  openAthletePicker(strings, interpolate(strings.assignTitle, line.place), line.athleteId, async (id) => {
    const fields = id ? { athlete_id: id } : {};
    if (box.checked) fields.until = 'session_end';
    if (!line.isActive || id === line.athleteId) return actions.send('assign', [line], fields);
    confirmChange(strings, line, id, () => actions.send('assign', [line], fields));
    return '';
  }, { more: (form) => { box = addPieceOnly(strings, form); } });
}

/**
 * Adds the choice whether an assignment ends with the session. Returns the input.
 * @type {(strings: Strings, form: Element) => HTMLInputElement}
 */
export function addPieceOnly(strings, form) {
  const until = add('label', 'check', form);
  const box = add('input', '', until);
  box.type = 'checkbox';
  add('span', '', until, strings.thisPieceOnly);
  return box;
}

/**
 * Asks before the athlete changes in the middle of a piece.
 * @type {(strings: Strings, line: Tile, id: string, send: () => Promise<string>) => void}
 */
export function confirmChange(strings, line, id, send) {
  openDialog(interpolate(strings.assignTitle, line.place), (body, close) => {
    add('p', 'warning', body, interpolate(strings.rowsNow, line.name || line.who));
    add('p', '', body, id ? interpolate(strings.pieceReassigned, nameOf(id)) : strings.pieceUnassigned);
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
    const sameButton = button(tools, strings.sameAsLastTime, () => put((line) => last[line.key]), 'chip');
    sameButton.disabled = !Object.keys(last).length;
    button(tools, strings.shuffle, () => {
      const ids = shuffled(lines.map((line) => selects.get(line.key).value).filter(Boolean));
      put((line, index) => ids[index]);
    }, 'chip');
    button(tools, strings.clearAll, () => put(() => ''), 'chip');
    const athletes = athletesByName();
    const isKnown = (id) => athletes.some((athlete) => athlete.athlete_id === id);
    const others = new Set(lines.map((line) => line.athleteId).filter((id) => id && !isKnown(id)));
    const places = add('div', 'erg-choices', fields);
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
  const assigned = changed.filter((line) => selects.get(line.key).value);
  for (let index = 0; index < assigned.length; index += 1) {
    if (index >= AT_ONCE) await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    const line = assigned[index];
    const error = await send('assign', [line], { athlete_id: selects.get(line.key).value });
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
