// The dialogs of the plans page: import, group, and removal.
import { answerError, get, post, remove } from '../common/api-client.js';
import { add, addForm, addSwitches, field, fileText, openDialog } from '../common/dialog.js';
import { line } from '../common/format.js';
import { athletesByName, loadAthletes, nameOf } from '../common/names.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Longest request that the logbook accepts: bytes. */
export const MOST_BYTES = 32 * 1024;
const SLUG = /^[a-z0-9-]{1,32}$/;

/**
 * The short name for a file name: `winter-2026` for `Winter 2026.csv`.
 * @type {(name: string) => string}
 */
export function slugOf(name) {
  return name.replace(/\.[^.]*$/, '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '').slice(0, 32).replace(/-+$/, '');
}

/**
 * `csv` or `ics` by the file extension; empty for others.
 * @type {(name: string) => string}
 */
export function formatOf(name) {
  const found = /\.(csv|ics)$/i.exec(name);
  return found ? found[1].toLowerCase() : '';
}

/**
 * `plans` are the existing plans, `present` the id of the current one.
 * @type {(strings: Strings, plans: object[], present: string, done: Function) => void}
 */
export function openImport(strings, plans, present, done) {
  openDialog(strings.importTitle, (body, close) => {
    const inputs = {};
    const place = addForm(body, strings, strings.importNow, close, async () => {
      const file = inputs.file.files[0];
      const format = file ? formatOf(file.name) : '';
      const id = inputs.id.value.trim();
      if (!format) return strings.noFile;
      if (!SLUG.test(id)) return strings.badId;
      const request = { format, text: await fileText(file) };
      if (inputs.title.value.trim()) request.title = inputs.title.value.trim();
      const length = new Blob([JSON.stringify(request)]).size;
      if (length > MOST_BYTES) return strings.tooLong;
      const answer = await post('/api/v1/plans/' + id + '/set', request);
      if (answer.status === 200) done(id);
      return answerError(answer, strings);
    });
    inputs.file = field(place, strings.file, { type: 'file', accept: '.csv,.ics' });
    inputs.id = field(place, strings.id, { maxlength: 32, spellcheck: 'false' });
    inputs.title = field(place, strings.planName, { maxlength: 80 });
    const note = add('p', 'hint', place);
    inputs.id.value = present || '';
    const showNote = () => {
      const known = plans.filter(({ id }) => id === inputs.id.value.trim())[0];
      note.textContent = known ? interpolate(strings.replacesWorkouts, line(known.title, 80)) : '';
    };
    inputs.id.addEventListener('input', showNote);
    inputs.file.addEventListener('change', () => {
      const file = inputs.file.files[0];
      if (file && !inputs.id.value) inputs.id.value = slugOf(file.name);
      showNote();
    });
    showNote();
  });
}

/**
 * A choice of the club's groups, switches for all athletes and current members, and a field for others. `apply(group)`
 * gets the group, `{ name, athletes }`, and returns an error text; an empty one closes the dialog.
 * @type {(strings: Strings, plan: object, apply: (group: object) => Promise<string>) => Promise<void>}
 */
export async function openGroup(strings, plan, apply) {
  const [answer] = await Promise.all([get('/api/v1/groups'), loadAthletes()]);
  const groups = (answer.status === 200 && answer.content.groups) || [];
  const known = athletesByName().map((athlete) => athlete.athlete_id);
  const all = known.concat(plan.group.athletes.filter((id) => known.indexOf(id) < 0));
  openDialog(interpolate(strings.groupTitle, line(plan.title, 80)), (body, close) => {
    const place = addForm(body, strings, strings.save, close, async () => {
      const chosen = all.filter((slug) => switches.get(slug).checked);
      const more = others.value.split(/[\s,;]+/).filter(Boolean);
      return apply({ name: name.value.trim(), athletes: chosen.concat(more).sort() });
    });
    const choice = groups.length ? add('label', 'field', place) : null;
    const name = field(place, strings.groupName, { maxlength: 80 });
    name.value = plan.group.name || '';
    const switches = addSwitches(place, strings.members, all.map((slug) => [slug, nameOf(slug)]), plan.group.athletes);
    const others = field(place, strings.others, { spellcheck: 'false' });
    if (!choice) return;
    add('span', '', choice, strings.clubGroup);
    const select = add('select', '', choice);
    add('option', '', select, strings.noClubGroup).value = '';
    for (const group of groups) add('option', '', select, line(group.name, 80)).value = group.group_id;
    select.addEventListener('change', () => {
      const [group] = groups.filter((one) => one.group_id === select.value);
      if (!group) return;
      name.value = group.name;
      for (const [id, input] of switches) input.checked = group.athletes.indexOf(id) >= 0;
      others.value = group.athletes.filter((id) => !switches.has(id)).join(', ');
    });
  });
}

/** @type {(strings: Strings, plan: object, done: Function) => void} */
export function openRemoval(strings, plan, done) {
  openDialog(interpolate(strings.removeTitle, line(plan.title, 80)), (body, close) => {
    const place = addForm(body, strings, strings.removeNow, close, async () => {
      const answer = await remove('/api/v1/plans/' + plan.id);
      if (answer.status === 200) done('');
      return answerError(answer, strings);
    }, 'main danger');
    add('p', '', place, strings.removeHint);
  });
}
