// What can be done with one erg: behind the button of its line.
import { add, addRefusal, button, field, openDialog } from './dialog.js';
import { confirmEnd, openEnding } from './ending.js';
import { fill } from './words.js';

/** How often a monitor can tell what it shows: milliseconds between two messages. */
const RATES = [1000, 500, 250, 100];

/**
 * Opens the menu of a line. `doing` has `send(verb, lines, fields)`, `tell` for the same where no
 * dialog is open, `set(line)` for a workout, and the `athletes` that were seen.
 */
export function openActions(words, line, anchor, doing) {
  const title = line.name ? fill(words.onErg, line.place) + ' \u00b7 ' + line.name
    : fill(words.onErg, line.place);
  openDialog(title, (body, close) => {
    body.classList.add('menu');
    const then = (action) => () => {
      close();
      action();
    };
    button(body, words.setWorkout, then(() => doing.set(line)));
    button(body, words.assignTo, then(() => openSeat(words, line, doing)));
    if (line.isUnderWay) {
      button(body, words.endPiece, then(() => openEnding(words, [line], doing.send)), 'danger');
    }
    if (line.isReleased) {
      button(body, words.takeBack, then(() => doing.send('release', [line], { for_s: 0 })));
    } else {
      button(body, words.release, then(() => openLoan(words, line, doing)));
    }
    button(body, words.rateButton, then(() => openRate(words, line, doing)));
    button(body, words.which, then(() => doing.tell('identify', [line], {})));
  }, anchor);
}

/** Who sits there. */
export function openSeat(words, line, doing) {
  openDialog(fill(words.seatOn, line.place), (body, close) => {
    const form = add('form', '', body);
    const input = field(form, words.athleteId, {
      list: 'athletes', maxlength: 64, autocapitalize: 'none', spellcheck: 'false' });
    const list = add('datalist', '', form);
    list.id = 'athletes';
    for (const athlete of doing.athletes()) add('option', '', list).value = athlete;
    input.value = line.athleteId;
    add('p', 'hint', form, words.idWhy);
    const until = add('label', 'check', form);
    const box = add('input', '', until);
    box.type = 'checkbox';
    add('span', '', until, words.untilEnd);
    const refusal = addRefusal(form);
    const seat = async (athlete) => {
      const fields = athlete ? { athlete_id: athlete } : {};
      if (box.checked) fields.until = 'session_end';
      refusal.textContent = await doing.send('assign', [line], fields);
      if (!refusal.textContent) close();
    };
    const buttons = add('div', 'buttons', form);
    if (line.athleteId) button(buttons, words.seatNobody, () => seat(''));
    else button(buttons, words.cancel, close);
    add('button', 'main', buttons, words.assign);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      // An empty id means nobody, which has a button of its own: the server says what an id is.
      seat(input.value.trim() || ' ');
    });
    input.select();
  });
}

/** How often the monitor tells what it shows. */
function openRate(words, line, doing) {
  openDialog(words.rateButton.replace('\u2026', ''), (body, close) => {
    add('p', '', body, words.rateWhy);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    for (const ms of RATES) {
      button(buttons, fill(words.everyMs, ms), async () => {
        refusal.textContent = await doing.send('rate', [line], { ms });
        if (!refusal.textContent) close();
      });
    }
  });
}

/** The monitor is given to a phone app. */
function openLoan(words, line, doing) {
  openDialog(words.release.replace('\u2026', ''), (body, close) => {
    add('p', '', body, words.lendWhy);
    const input = field(body, words.howLong, { inputmode: 'decimal', maxlength: 8 });
    input.value = '15';
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, words.cancel, close);
    button(buttons, words.give, async () => {
      const fields = { for_s: Math.round(Number(input.value.replace(',', '.')) * 60) || input.value };
      if (!line.isUnderWay) {
        refusal.textContent = await doing.send('release', [line], fields);
        if (!refusal.textContent) close();
        return;
      }
      fields.force = true;
      confirmEnd(words, [line], words.release.replace('\u2026', ''), words.lendEnds, words.give,
        () => doing.send('release', [line], fields));
    }, 'main');
  });
}
