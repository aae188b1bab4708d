// An event of a regatta: heats side by side, the finalists, and the results.
import { button } from '../common/dialog.js';
import { pageAddress } from '../common/page.js';
import { interpolate, pluralize } from '../common/strings.js';
import { make } from '../common/view.js';
import { ergsOfLane, heatText, kindText, lineText, membersText, pieceText, progressionText } from './texts.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/**
 * Draws an event. `coach` has the actions of a coach; null for others.
 * @type {(parent: Element, regatta: object, event: object, strings: Strings, coach: ?object) => void}
 */
export function drawEvent(parent, regatta, event, strings, coach) {
  const section = make('section', 'event', parent);
  const head = make('div', 'head', section);
  const title = make('div', '', head);
  make('h2', '', title).textContent = event.name;
  make('p', '', title).textContent = [pieceText(event, strings), kindText(event, strings),
    pluralize(strings.entryCount, event.entries.length), progressionText(event, strings)].filter(Boolean).join(' \u00b7 ');
  if (coach) drawEventActions(make('p', 'race-actions', head), event, strings, coach);
  const names = new Map(event.entries.map((entry) => [entry.entry_id, entry]));
  const heats = make('div', 'heats', section);
  for (const heat of event.heats) drawHeat(heats, event, heat, names, strings, coach);
  if (!event.heats.length) drawEntries(heats, event, strings, coach);
  else drawUndrawn(heats, event, strings, coach);
  if (event.finalists && event.finalists.length) drawFinalists(heats, event, names, strings);
  const isDecided = event.heats.length > 1 && event.results.some((line) => line.place);
  if (!isDecided) return;
  const panel = make('div', 'panel results', section);
  make('h3', '', panel).textContent = strings.resultsOf;
  drawLines(panel, event, event.results, names, strings);
}

/** What identifies a button or link when the page draws again; see `focusAgain`. */
const focusKey = (name, event, heat, line) => [name, event.event_id, heat ? heat.heat_id : '', line ? line.entry_id : '']
  .join(' ');

function drawEventActions(place, event, strings, coach) {
  const isRowed = event.heats.some((heat) => heat.race_id || heat.annulled.length);
  if (!isRowed && event.entries.length > 1) {
    button(place, strings.draw, () => coach.dialogs(({ openDraw }) => openDraw(strings, event, coach.act)))
      .dataset.focus = focusKey('draw', event);
  }
  button(place, strings.editEvent, () => coach.dialogs(({ openEvent }) => openEvent(strings, event, coach.act)))
    .dataset.focus = focusKey('edit', event);
}

function drawHeat(parent, event, heat, names, strings, coach) {
  const panel = make('div', 'panel', parent);
  panel.dataset.state = heat.state;
  make('h3', '', panel).textContent = heatText(heat, strings) + ' \u00b7 ' + strings.heatStates[heat.state];
  drawLines(panel, event, heat.lanes, names, strings, coach && ((line) => coach.dialogs(({ openEntry }) =>
    openEntry(strings, event, heat, line, names.get(line.entry_id), coach.act))), heat);
  for (const { reason } of heat.annulled) {
    make('p', 'hint', panel).textContent = reason ? interpolate(strings.annulledWhy, reason) : strings.annulled;
  }
  const actions = make('p', 'heat-actions', panel);
  if (heat.state === 'over' && heat.race_id) {
    const page = make('a', '', actions);
    page.textContent = strings.resultsOf;
    page.href = pageAddress('/race?id=' + heat.race_id);
    page.dataset.focus = focusKey('page', event, heat);
    const file = make('a', '', actions);
    file.textContent = strings.ergRaceFile;
    file.href = '/api/v1/races/' + heat.race_id + '/ergrace';
    file.dataset.focus = focusKey('file', event, heat);
  }
  if (!coach) return;
  const id = { event_id: event.event_id, heat_id: heat.heat_id };
  if (heat.state === 'drawn' || heat.state === 'set_up') {
    const name = (event.name + ', ' + heatText(heat, strings)).slice(0, 60);
    button(actions, heat.state === 'drawn' ? strings.setUp : strings.setUpAgain,
      () => coach.actNow(Object.assign({ do: 'set_up', name }, id))).dataset.focus = focusKey('up', event, heat);
  } else if (heat.state === 'over' && heat.race_id) {
    button(actions, strings.rowAgain, () => coach.dialogs(({ openAgain }) => openAgain(strings, id, coach.act)))
      .dataset.focus = focusKey('again', event, heat);
  }
}

/** The lines of a heat or an event; `edit(line)` opens the dialog of an entry. */
function drawLines(panel, event, lines, names, strings, edit, heat) {
  const body = make('tbody', '', make('table', '', panel));
  const isOpen = heat && (heat.state === 'drawn' || heat.state === 'set_up');
  const shown = isOpen ? lines.slice().sort((a, b) => a.lane - b.lane) : lines;
  for (const line of shown) {
    const entry = names.get(line.entry_id);
    const row = make('tr', '', body);
    make('td', '', row).textContent = isOpen ? line.lane : line.place || '';
    const rower = make('td', 'rower', row);
    rower.dir = 'auto';
    rower.textContent = entry.name || strings.erased;
    const more = [entry.club, isOpen ? ergsOfLane(event, line.lane, strings) : '', line.reason,
      line.false_starts ? strings.falseStarted : ''].filter(Boolean).join(' \u00b7 ');
    for (const text of [membersText(event, line, entry, strings), more]) {
      if (text) make('small', '', rower).textContent = text;
    }
    const isOut = ['finished', 'waiting', 'rowing'].indexOf(line.standing) < 0;
    make('td', isOut ? 'out' : 'big', row).textContent = lineText(event, line, strings);
    const mark = make('td', 'good', row);
    mark.textContent = line.advances ? strings.advances[line.advances] : '';
    if (!edit) continue;
    const actions = button(make('td', '', row), '\u2026', () => edit(line));
    actions.setAttribute('aria-label', interpolate(strings.actionsFor, entry.name));
    actions.dataset.focus = focusKey('entry', event, heat, line);
  }
}

/** Before the draw: the entries with their seed times. */
function drawEntries(parent, event, strings, coach) {
  if (!event.entries.length) return;
  const lines = event.entries.map((entry) => ({ entry_id: entry.entry_id, lane: 0,
    standing: entry.scratched === undefined ? 'waiting' : 'scratched', reason: entry.scratched }));
  drawPart(parent, strings.entriesTitle, event, lines, strings, coach);
}

/** Entries that are in no heat, as late ones. */
function drawUndrawn(parent, event, strings, coach) {
  const drawn = new Set(event.heats.flatMap((heat) => heat.lanes.map((line) => line.entry_id)));
  const lines = event.entries.filter((entry) => !drawn.has(entry.entry_id) && entry.scratched === undefined)
    .map((entry) => ({ entry_id: entry.entry_id, lane: 0, standing: 'waiting' }));
  if (lines.length) drawPart(parent, strings.notDrawn, event, lines, strings, coach);
}

function drawPart(parent, title, event, lines, strings, coach) {
  const panel = make('div', 'panel', parent);
  make('h3', '', panel).textContent = title;
  const names = new Map(event.entries.map((entry) => [entry.entry_id, entry]));
  drawLines(panel, event, lines, names, strings, coach && ((line) => coach.dialogs(({ openEntry }) =>
    openEntry(strings, event, null, line, names.get(line.entry_id), coach.act))));
}

function drawFinalists(parent, event, names, strings) {
  const panel = make('div', 'panel', parent);
  make('h3', '', panel).textContent = strings.finalSoFar;
  make('p', '', panel).textContent = event.finalists.map((id) => names.get(id).name).join(' \u00b7 ');
}
