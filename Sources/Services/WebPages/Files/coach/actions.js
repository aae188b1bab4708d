// The menu of one erg in the coach's table.
import { add, addRefusal, button, field, openDialog } from '../common/dialog.js';
import { line as textOf, place } from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { knownCrews } from '../wall/notifications.js';
import { confirmEnd, ErgPicker, openEndPiece } from './erg-picker.js';
import { DEFAULT_RELEASE_S } from './workouts.js';

/** @typedef {(verb: string, ergs: object[], fields: object) => Promise<string>} Send */
/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('../wall/tile.js').Tile} Tile */

/** Selectable update rates: milliseconds between two messages. */
const RATES = [1000, 500, 250, 100];

/**
 * Opens the menu of a row. `actions` has `send(verb, lines, fields)`, `run` for the same without a dialog,
 * `set(line)` for a workout, `assign(line)` for an athlete, and `relay(line)` for a phone.
 * @type {(strings: Strings, line: Tile, anchor: Element, actions: object) => void}
 */
export function openActions(strings, line, anchor, actions) {
  const title = line.name ? interpolate(strings.onErg, line.place) + ' \u00b7 ' + line.name
    : interpolate(strings.onErg, line.place);
  openDialog(title, (body, close) => {
    body.classList.add('menu');
    const closeAndThen = (action) => () => {
      close();
      action();
    };
    button(body, strings.setWorkout, closeAndThen(() => actions.set(line)));
    button(body, strings.assignAthlete, closeAndThen(() => actions.assign(line)));
    if (line.isActive) {
      button(body, strings.endPiece, closeAndThen(() => openEndPiece(strings, [line], actions.send)), 'danger');
    }
    if (line.isReleased) {
      button(body, strings.takeBack, closeAndThen(() => actions.send('release', [line], { for_s: 0 })));
    } else {
      button(body, strings.release, closeAndThen(() => openRelease(strings, line, actions)));
    }
    if (line.relays.length > 0) button(body, strings.relay, closeAndThen(() => actions.relay(line)));
    button(body, strings.updateRate, closeAndThen(() => openRate(strings, line, actions)));
    button(body, strings.identify, closeAndThen(() => actions.run('identify', [line], {})));
  }, anchor);
}

/** Sets the update rate of the monitor. */
function openRate(strings, line, actions) {
  openDialog(strings.updateRate.replace('\u2026', ''), (body, close) => {
    add('p', '', body, strings.updateRateHint);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    for (const ms of RATES) {
      button(buttons, interpolate(strings.everyMs, ms), async () => {
        refusal.textContent = await actions.send('rate', [line], { ms });
        if (!refusal.textContent) close();
      });
    }
  });
}

/** Releases the monitor to a phone app. */
function openRelease(strings, line, actions) {
  openDialog(strings.release.replace('\u2026', ''), (body, close) => {
    add('p', '', body, strings.releaseHint);
    const input = field(body, strings.releaseMinutes, { inputmode: 'decimal', maxlength: 8 });
    input.value = String(DEFAULT_RELEASE_S / 60);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, strings.cancel, close);
    button(buttons, strings.releaseNow, async () => {
      const fields = { for_s: Math.round(Number(input.value.replace(',', '.')) * 60) || input.value };
      if (!line.isActive) {
        refusal.textContent = await actions.send('release', [line], fields);
        if (!refusal.textContent) close();
        return;
      }
      fields.force = true;
      confirmEnd(strings, [line], strings.release.replace('\u2026', ''), strings.releaseEndsPiece,
        strings.releaseNow,
        () => actions.send('release', [line], fields));
    }, 'main');
  });
}

// ---- The dialog for crews: which ergs row together, and the existing crews.

/**
 * Opens the dialog. `send(verb, places, fields)` returns an error text or an empty one. A crew belongs to
 * one gateway, so each gateway gets its own command.
 * @type {(strings: Strings, lines: Tile[], room: Room, send: Send) => void}
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
