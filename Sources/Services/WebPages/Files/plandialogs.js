// The dialogs of the page of plans: a file that is imported, the group, and what is removed.
import { get, post } from './asking.js';
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { line } from './figures.js';
import { fill } from './words.js';

/** Bytes of a request that the logbook takes. */
export const MOST_BYTES = 32 * 1024;
const SLUG = /^[a-z0-9-]{1,32}$/;

/** The short name that a file's name leads to: `Winter 2026.csv` to `winter-2026`. */
export function slugOf(name) {
  return name.replace(/\.[^.]*$/, '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '').slice(0, 32).replace(/-+$/, '');
}

/** `csv` or `ics`, by the end of a file's name; empty for any other. */
export function formatOf(name) {
  const found = /\.(csv|ics)$/i.exec(name);
  return found ? found[1].toLowerCase() : '';
}

/** A form with a place for what is wrong; `go` comes to an error in words, or to none. */
function form(body, words, submit, close, go, look = 'main') {
  const made = add('form', '', body);
  const fields = add('div', 'asked', made);
  const refusal = addRefusal(made);
  const buttons = add('div', 'buttons', made);
  button(buttons, words.cancel, close);
  const main = add('button', look, buttons, submit);
  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    main.disabled = true;
    const error = await go();
    main.disabled = false;
    refusal.textContent = error;
    if (!error) close();
  });
  return fields;
}

/** The words of a refusal; empty for an answer. */
function refusalOf(answer, words) {
  if (answer.status === 200) return '';
  return answer.content.detail || words.unreachable;
}

/** `plans` are those that there are, `present` the id of the one that is shown. */
export function openImport(words, plans, present, done) {
  openDialog(words.importTitle, (body, close) => {
    const inputs = {};
    const place = form(body, words, words.take, close, async () => {
      const file = inputs.file.files[0];
      const format = file ? formatOf(file.name) : '';
      const id = inputs.id.value.trim();
      if (!format) return words.noFile;
      if (!SLUG.test(id)) return words.badId;
      const asked = { format, text: await textOf(file) };
      if (inputs.title.value.trim()) asked.title = inputs.title.value.trim();
      const length = new Blob([JSON.stringify(asked)]).size;
      if (length > MOST_BYTES) return words.tooLong;
      const answer = await post('/api/v1/plans/' + id + '/set', asked);
      if (answer.status === 200) done(id);
      return refusalOf(answer, words);
    });
    inputs.file = field(place, words.file, { type: 'file', accept: '.csv,.ics' });
    inputs.id = field(place, words.id, { maxlength: 32, spellcheck: 'false' });
    inputs.title = field(place, words.name, { maxlength: 80 });
    const note = add('p', 'hint', place);
    inputs.id.value = present || '';
    const tell = () => {
      const known = plans.filter(({ id }) => id === inputs.id.value.trim())[0];
      note.textContent = known ? fill(words.takesPlace, line(known.title, 80)) : '';
    };
    inputs.id.addEventListener('input', tell);
    inputs.file.addEventListener('change', () => {
      const file = inputs.file.files[0];
      if (file && !inputs.id.value) inputs.id.value = slugOf(file.name);
      tell();
    });
    tell();
  });
}

function textOf(file) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => resolve('');
    reader.readAsText(file);
  });
}

/** Everybody who rowed, and who is in the group already, as switches; others by their slugs. */
export async function openGroup(words, plan, done) {
  const answer = await get('/api/v1/athletes?limit=1000');
  const rowed = (answer.content.athletes || []).map((one) => one.athlete_id);
  const all = Array.from(new Set(rowed.concat(plan.group.athletes))).sort();
  openDialog(fill(words.groupTitle, line(plan.title, 80)), (body, close) => {
    const switches = new Map();
    const place = form(body, words, words.save, close, async () => {
      const chosen = all.filter((slug) => switches.get(slug).checked);
      const more = others.value.split(/[\s,;]+/).filter(Boolean);
      const group = { name: name.value.trim(), athletes: chosen.concat(more) };
      const told = await post('/api/v1/plans/' + plan.id + '/set', { group });
      if (told.status === 200) done(plan.id);
      return refusalOf(told, words);
    });
    const name = field(place, words.groupName, { maxlength: 80 });
    name.value = plan.group.name || '';
    const choice = add('fieldset', 'choice', place);
    add('legend', '', choice, words.members);
    const list = add('div', 'switches', choice);
    for (const slug of all) {
      const label = add('label', 'switch', list);
      const input = add('input', '', label);
      input.type = 'checkbox';
      input.checked = plan.group.athletes.indexOf(slug) >= 0;
      add('span', '', label, line(slug, 32));
      switches.set(slug, input);
    }
    const others = field(place, words.others, { spellcheck: 'false' });
  });
}

export function openRemoval(words, plan, done) {
  openDialog(fill(words.removeTitle, line(plan.title, 80)), (body, close) => {
    const place = form(body, words, words.removeIt, close, async () => {
      const answer = await post('/api/v1/plans/' + plan.id + '/remove', {});
      if (answer.status === 200) done('');
      return refusalOf(answer, words);
    }, 'main danger');
    add('p', '', place, words.removeWhy);
  });
}
