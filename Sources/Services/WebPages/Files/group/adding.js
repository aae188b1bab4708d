// The dialogs with which a coach adds a result to a group piece, and removes it.
import { answerError, get, post, remove } from '../common/api-client.js';
import { openAthletePicker } from '../common/athlete-picker.js';
import { add, addForm, button, field, openDialog } from '../common/dialog.js';
import { dayText, metres, midnight, timeOfDay, withUnit } from '../common/format.js';
import { nameOf } from '../common/names.js';
import { byId, shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { paceOf, sessionTitle } from '../session/format.js';
import { workoutName, workSeconds } from './facts.js';

const DAY = 86400000;
/** Sessions within so many days of the piece can be made-up pieces. */
const DAYS = 30;

/**
 * Adds the button that adds a result to `place`. `root` is the path of the piece; `current` returns its last answer;
 * `reload` loads it again. Returns the function that asks before it removes a result.
 * @type {(place: HTMLElement, root: string, strings: import('../common/strings.js').Strings, current: () => object,
 *   reload: () => Promise<void>) => (addition: object) => void}
 */
export function makeAdding(place, root, strings, current, reload) {
  const path = root + '/additions';
  const opener = button(place, strings.addResult + '\u2026', () => openAthletePicker(strings, strings.addResult, '',
    async (athlete) => openResult(athlete)));

  /** The sessions that can be chosen: finished ones that are not in the piece, the newest first. */
  async function sessionsOf(athlete) {
    const { piece, additions } = current();
    const start = midnight(dayText(piece.started_ms));
    const day = (days) => new Date(start + days * DAY).toISOString().slice(0, 10);
    const answer = await get('/api/v1/sessions?limit=200&athlete_id=' + encodeURIComponent(athlete)
      + '&from=' + day(-DAYS) + '&to=' + day(DAYS));
    const used = piece.sessions.concat(additions).map((one) => one.gw + ' ' + one.session_id);
    const sessions = answer.status === 200 ? answer.content.sessions : [];
    return sessions.filter((one) => one.state !== 'open' && used.indexOf(one.gw + ' ' + one.session_id) < 0);
  }

  const sessionText = (one) => [shortDayOf(one.started_ms) + ', ' + timeOfDay(one.started_ms),
    sessionTitle(one, {}, [], strings), paceOf(one, strings)].filter(Boolean).join(' \u00b7 ');

  /** Opens the second dialog. Returns an error text for the first one. */
  async function openResult(athlete) {
    const sessions = await sessionsOf(athlete);
    const { piece, work = {} } = current();
    const isOfTime = Boolean(work.duration_s);
    const canType = isOfTime || Boolean(work.distance_m);
    if (!canType && !sessions.length) return strings.nothingToAdd;
    openDialog(interpolate(strings.resultOf, nameOf(athlete)), (body, close) => {
      const fields = addForm(body, strings, strings.add, close, save);
      const kind = add('label', 'field', fields);
      add('span', '', kind, strings.resultFrom);
      const source = add('select', '', kind);
      source.dataset.first = '';
      if (canType) add('option', '', source, strings.writtenByHand).value = '';
      sessions.forEach((one, index) => { add('option', '', source, sessionText(one)).value = String(index); });
      const hand = add('div', 'by-hand', fields);
      const value = field(hand, isOfTime ? strings.workDistance : strings.workTime, isOfTime
        ? { inputmode: 'numeric', maxlength: 6 } : { maxlength: 9, placeholder: '7:11' + strings.decimal + '3' });
      const day = field(hand, strings.rowedOn, { type: 'date', max: dayText(Date.now()) });
      day.value = dayText(piece.started_ms);
      const name = workoutName(piece.workout, strings);
      const far = withUnit(metres(work.distance_m || 0), strings.units.metres);
      add('p', 'hint', hand, isOfTime ? interpolate(strings.ofWorkout, name)
        : interpolate(strings.ofWork, name, far));
      const note = field(fields, strings.additionNote, { maxlength: 120 });
      add('p', 'hint', fields, strings.notRanked);
      const show = () => { hand.hidden = source.value !== ''; };
      source.addEventListener('change', show);
      show();

      async function save() {
        const request = { athlete_id: athlete, note: note.value.trim() };
        if (source.value) {
          const { gw, session_id } = sessions[Number(source.value)];
          request.made_up = { gw, session_id };
        } else {
          const typed = isOfTime ? Number(/^\s*\d+\s*$/.test(value.value) && value.value) : workSeconds(value.value);
          if (!typed || !day.value) {
            (typed ? day : value).focus();
            return typed ? strings.enterDay : isOfTime ? strings.enterMetres : strings.enterTime;
          }
          request.by_hand = Object.assign({ day: day.value }, isOfTime ? { distance_m: typed } : { time_s: typed });
        }
        const answer = await post(path, request);
        if (answer.status === 200) await reload();
        return answerError(answer, strings);
      }
    });
    return '';
  }

  return (addition) => openDialog(interpolate(strings.removeAdditionOf, nameOf(addition.athlete_id)), (body, close) => {
    const leave = () => {
      close();
      // The button of the result is gone.
      if (!document.activeElement || document.activeElement === document.body) {
        (byId('additions').querySelector('button') || opener).focus();
      }
    };
    const text = addForm(body, strings, strings.removeAddition, leave, async () => {
      const answer = await remove(path + '/' + addition.addition_id);
      // Another coach was faster.
      if (answer.status !== 200 && answer.content.code !== 'unknown_addition') return answerError(answer, strings);
      await reload();
      return '';
    }, 'main danger');
    add('p', 'hint', text, addition.kind === 'made_up' ? strings.removeMadeUpHint : strings.removeByHandHint);
  });
}
