// What ends somebody's piece asks once, and says whose.
import { Choice } from './choosing.js';
import { add, addRefusal, button, openDialog } from './dialog.js';
import { fill } from './words.js';

/** `Ends the piece of Li Wei, erg 3.` in words. */
export function pieces(lines, words) {
  const names = lines.map((line) =>
    (line.name ? fill(words.who, line.name, line.place) : line.who));
  const what = lines.length === 1 ? fill(words.pieceOf, names[0])
    : fill(words.piecesOf, lines.length);
  return lines.length === 1 ? fill(words.endsThem, what).replace(/:$/, '.')
    : fill(words.endsThem, what) + ' ' + names.join(', ') + '.';
}

/** The end of a form that is for ergs: whose pieces it ends, what was refused, and its buttons. */
export class FormEnd {
  /** `go()` does what the form is for; `update` has the button pressed once more. */
  constructor(form, words, close, go) {
    this.words = words;
    this.warning = add('p', 'warning', form);
    this.refusal = addRefusal(form);
    const buttons = add('div', 'buttons', form);
    button(buttons, words.cancel, close);
    this.submit = add('button', 'main', buttons);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      this.submit.disabled = true;
      await go();
    });
  }

  /** What the button says: `few` where fewer than `fewest` are chosen, `ends` where pieces end. */
  update(chosen, fewest, { few, ends, does }) {
    const rowing = chosen.filter((line) => line.isUnderWay);
    const { submit } = this;
    this.warning.textContent = rowing.length ? pieces(rowing, this.words) : '';
    submit.disabled = chosen.length < fewest;
    submit.textContent = submit.disabled ? few : rowing.length ? ends : does;
    submit.classList.toggle('danger', rowing.length > 0);
  }
}

/** Asks before `act()` ends what `lines` row; `more` says what else happens. */
export function confirmEnd(words, lines, title, more, yes, act) {
  openDialog(title, (body, close) => {
    add('p', 'warning', body, pieces(lines, words));
    if (more) add('p', '', body, more);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, words.keep, close).setAttribute('data-first', '');
    const go = button(buttons, yes, async () => {
      go.disabled = true;
      refusal.textContent = await act();
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main danger');
  });
}

/** Which of the pieces that are rowed end now. */
export function openEnding(words, lines, send) {
  if (lines.length === 1) {
    const more = words.keeps + ' ' + words.rearmed;
    confirmEnd(words, lines, words.ended, more, words.endNow, () => send('terminate', lines, {}));
    return;
  }
  openDialog(words.ended, (body, close) => {
    const warning = add('p', 'warning', body);
    const choice = new Choice(body, words, lines, lines.map((line) => line.key), () => update());
    add('p', '', body, words.keeps + ' ' + words.rearmed);
    const refusal = addRefusal(body);
    const buttons = add('div', 'buttons', body);
    button(buttons, words.keep, close).setAttribute('data-first', '');
    const go = button(buttons, '', async () => {
      go.disabled = true;
      refusal.textContent = await send('terminate', choice.chosen, {});
      go.disabled = false;
      if (!refusal.textContent) close();
    }, 'main danger');
    function update() {
      const { chosen } = choice;
      warning.textContent = chosen.length ? pieces(chosen, words) : '';
      go.disabled = chosen.length === 0;
      go.textContent = chosen.length === 0 ? words.choose
        : chosen.length === 1 ? words.endNow : fill(words.endAll, chosen.length);
    }
    update();
  });
}
