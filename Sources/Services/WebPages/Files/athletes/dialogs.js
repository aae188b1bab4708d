// The dialogs of the list of athletes: add, edit, import, and remove a group.
import { answerError, post, remove } from '../common/api-client.js';
import { add, addForm, addSwitches, button, field, fileText, openDialog } from '../common/dialog.js';
import { labelOf } from '../common/names.js';
import { interpolate, pluralize } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/names.js').Athlete} Athlete */
/** @typedef {{ group_id: string, name: string, athletes: string[] }} Group */

/** Longest request that the logbook accepts: bytes. */
const MOST_BYTES = 32 * 1024;

/**
 * Adds an athlete, or changes `athlete`. `done()` is called after a change; `merge()` begins a merge with another one.
 * @type {(strings: Strings, athlete: ?Athlete, groups: Group[], done: () => void, merge?: ?() => void) => void}
 */
export function openAthlete(strings, athlete, groups, done, merge = null) {
  openDialog(athlete ? labelOf(athlete) : strings.addAthleteTitle, (body, close) => {
    body.classList.add('wide');
    const known = athlete || {};
    const inputs = {};
    const place = addForm(body, strings, strings.save, close, async () => {
      const profile = profileOf(inputs);
      const path = athlete ? '/api/v1/athletes/' + encodeURIComponent(athlete.athlete_id) : '/api/v1/athletes';
      const answer = await post(path, profile);
      if (answer.status !== 200) return answerError(answer, strings);
      const error = await saveGroups(strings, answer.content.athlete_id, groups, switches, newGroup.value.trim());
      done();
      return error;
    });
    const text = (name, attributes) => {
      inputs[name] = field(place, strings.profile[name], attributes);
      inputs[name].value = known[name] === undefined ? '' : known[name];
    };
    const choice = (name) => {
      const label = add('label', 'field', place);
      add('span', '', label, strings.profile[name]);
      const select = add('select', '', label);
      inputs[name] = select;
      add('option', '', select, '\u2013').value = '';
      for (const value of Object.keys(strings.profileValues[name])) {
        add('option', '', select, strings.profileValues[name][value]).value = value;
      }
      select.value = known[name] || '';
    };
    text('name', { maxlength: 60, autocapitalize: 'words', required: '' });
    text('short_name', { maxlength: 20, autocapitalize: 'words' });
    text('birth_year', { maxlength: 4, inputmode: 'numeric' });
    choice('gender');
    choice('weight_class');
    text('weight_kg', { maxlength: 5, inputmode: 'decimal' });
    text('power_2k_w', { maxlength: 4, inputmode: 'numeric' });
    text('power_6k_w', { maxlength: 4, inputmode: 'numeric' });
    text('belt_id', { maxlength: 32, autocapitalize: 'none', spellcheck: 'false' });
    text('note', { maxlength: 300 });
    const switches = groups.length ? addSwitches(place, strings.groups,
      groups.map((group) => [group.group_id, group.name]), known.groups || []) : new Map();
    const newGroup = field(place, strings.newGroup, { maxlength: 40 });
    if (!athlete) return;
    inputs.archived = addCheck(place, strings.archived, known.archived);
    add('p', 'hint', place, interpolate(strings.idOfAthlete, athlete.athlete_id));
    if (merge) button(place, strings.mergeAthlete, merge);
    if (athlete.sessions === 0) {
      button(place, strings.removeAthlete, async () => {
        const answer = await remove('/api/v1/athletes/' + encodeURIComponent(athlete.athlete_id));
        if (answer.status === 200) close();
        done();
      }, 'danger');
    }
  });
}

function addCheck(place, text, isOn) {
  const label = add('label', 'check', place);
  const input = add('input', '', label);
  input.type = 'checkbox';
  input.checked = Boolean(isOn);
  add('span', '', label, text);
  return input;
}

/** The fields as the logbook takes them. Numbers that are none are sent as texts, which it rejects. */
function profileOf(inputs) {
  const profile = {};
  for (const name of Object.keys(inputs)) {
    const { value } = inputs[name];
    if (name === 'archived') {
      if (inputs[name].checked) profile.archived = true;
    } else if (/_year$|_kg$|_w$/.test(name)) {
      const number = Number(value.trim().replace(',', '.'));
      if (value.trim()) profile[name] = Number.isFinite(number) ? number : value;
    } else if (value.trim() || name === 'name') {
      profile[name] = value.trim();
    }
  }
  return profile;
}

/** Stores the groups that change; returns an error text or an empty one. */
async function saveGroups(strings, id, groups, switches, newName) {
  const requests = [];
  for (const group of groups) {
    const isIn = group.athletes.indexOf(id) >= 0;
    const isWanted = switches.get(group.group_id).checked;
    if (isIn === isWanted) continue;
    // Another coach may change the same group meanwhile.
    requests.push([group.group_id, isWanted ? { add: [id] } : { remove: [id] }]);
  }
  if (newName) {
    requests.push([newGroupId(newName, groups.map((group) => group.group_id)), { name: newName, athletes: [id] }]);
  }
  for (const [group, change] of requests) {
    const answer = await post('/api/v1/groups/' + group, change);
    if (answer.status !== 200) return answerError(answer, strings);
  }
  return '';
}

/**
 * A new id for a group, from its name.
 * @type {(name: string, used: string[]) => string}
 */
export function newGroupId(name, used) {
  const stem = name.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '').replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '').slice(0, 28).replace(/-+$/, '') || 'group';
  let id = stem;
  for (let number = 2; used.indexOf(id) >= 0; number += 1) id = stem + '-' + number;
  return id;
}

/**
 * Imports a table; checks it first and says what it would change.
 * @type {(strings: Strings, done: () => void) => void}
 */
export function openRosterImport(strings, done) {
  openDialog(strings.importAthletes, (body, close) => {
    let checked = '';
    const place = addForm(body, strings, strings.importNow, close, async () => {
      const file = input.files[0];
      if (!file) return strings.noRosterFile;
      const text = await fileText(file);
      if (new Blob([JSON.stringify({ text })]).size > MOST_BYTES) return strings.rosterTooLong;
      const isChecked = checked === text;
      const answer = await post('/api/v1/roster', isChecked ? { text } : { text, dry_run: true });
      if (answer.status !== 200) return (answer.content.code === 'bad_value' && answer.content.detail)
        || answerError(answer, strings);
      if (isChecked) {
        done();
        return '';
      }
      checked = text;
      const { added, changed } = answer.content;
      note.textContent = interpolate(strings.importWould,
        pluralize(strings.athletesAdded, added), pluralize(strings.athletesChanged, changed));
      return strings.importAgain;
    });
    const input = field(place, strings.rosterFile, { type: 'file', accept: '.csv' });
    input.addEventListener('change', () => { checked = ''; note.textContent = ''; });
    add('p', 'hint', place, strings.rosterHint);
    const note = add('p', '', place);
    note.setAttribute('role', 'status');
  });
}

/**
 * Removes a group after a confirmation.
 * @type {(strings: Strings, group: Group, done: () => void) => void}
 */
export function openGroupRemoval(strings, group, done) {
  openDialog(interpolate(strings.removeGroupTitle, group.name), (body, close) => {
    const place = addForm(body, strings, strings.removeGroup, close, async () => {
      const answer = await remove('/api/v1/groups/' + group.group_id);
      if (answer.status === 200) done();
      return answerError(answer, strings);
    }, 'main danger');
    add('p', '', place, strings.removeGroupHint);
  });
}
