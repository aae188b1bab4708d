// Suggested workouts with their reasons, and buttons to accept, postpone or decline them.
import { post, requestError } from '../common/api-client.js';
import { add, addRefusal, button, closeDialog, field, openDialog } from '../common/dialog.js';
import * as format from '../common/format.js';
import { dayOf, shortDayOf } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { addDisclosure, make } from '../common/view.js';
import { sessionAddress } from './bests.js';

const DAY = 86400000;
/** Most linked sessions per reason. */
const SESSIONS = 6;
/** Days for which a suggestion can be postponed. */
const POSTPONE_DAYS = [1, 3, 7, 28];
/** The values in the sentence of each finding, in order. */
const FINDINGS = {
  rowed_often: ['times', 'days'], held_power: ['power_w', 'percent'], target_met: ['percent'],
  level_weeks: ['times', 'time_s', 'percent'], easy_share: ['percent', 'days'],
  usual_piece: ['time_s'], growing_weeks: ['times', 'percent', 'time_s'], paused_for: ['days'],
  before: ['times', 'time_s'], old_result: ['days', 'pace_s_per_500m'], missing_result: [],
  expected_pace: ['pace_s_per_500m'], in_training: ['times', 'days'],
  slower_half: ['percent', 'times'], mean_pace: ['pace_s_per_500m'],
};

/** The suggestions of one athlete; `root` is their address in the interface. */
export class Suggestions {
  constructor(place, root, strings) {
    this.place = place;
    this.root = root;
    this.strings = strings;
    this.status = make('p', 'spoken', place.parentNode);
    this.status.setAttribute('role', 'status');
  }

  /** Shows the answer of the interface. */
  show(response) {
    const { place, strings } = this;
    const past = response.past.filter((one) => one.state !== 'expired');
    place.textContent = '';
    place.hidden = !response.open.length && !past.length;
    if (place.hidden) return;
    const title = make('h2', '', place);
    title.tabIndex = -1;
    title.textContent = strings.suggestionTitle;
    if (!response.open.length) make('p', 'hint', place).textContent = strings.noSuggestion;
    // Only the first one is highlighted.
    response.open.forEach((one, index) => {
      this.draw(make('article', 'suggestion', place), one, index ? '' : 'main');
    });
    if (past.length) this.drawPast(past);
  }

  draw(place, one, look) {
    const { strings } = this;
    const { suggestion } = one;
    const head = make('div', 'bar-of', place);
    make('h3', '', head).textContent = ruleName(suggestion, strings);
    const tag = add('button', 'tag', head, strings.valueKinds.rule_of_thumb);
    tag.type = 'button';
    const workout = make('p', 'proposed', place);
    workout.textContent = workoutName(suggestion.workout, strings);
    const target = targetOf(suggestion, strings);
    if (target) make('small', '', workout).textContent = target;
    addDisclosure(tag, () => add('p', 'because', place, strings.howRules[suggestion.rule]), head);
    make('p', 'sure', place).textContent = strings.confidences[suggestion.confidence];
    const reasons = make('ul', 'reasons', place);
    for (const reason of suggestion.reasons) drawReason(make('li', '', reasons), reason, suggestion.machine, strings);
    const statusLine = statusText(one, strings);
    if (statusLine) make('p', 'standing', place).textContent = statusLine;
    this.drawButtons(make('div', 'buttons', place), one, look);
  }

  drawButtons(place, one, look) {
    const { strings } = this;
    const name = ruleName(one.suggestion, strings);
    const label = (element) => {
      element.setAttribute('aria-label', element.textContent.replace('\u2026', '') + ': ' + name);
    };
    if (one.state !== 'accepted') {
      label(button(place, strings.accept, () => this.respond(one, { say: 'accept' }), look));
    }
    if (one.state === 'offered') label(button(place, strings.notNow, () => this.postpone(one)));
    label(button(place, strings.decline, () => this.decline(one)));
  }

  postpone(one) {
    const { strings } = this;
    openDialog(strings.notNow.replace('\u2026', ''), (body) => {
      body.classList.add('menu');
      for (const days of POSTPONE_DAYS) {
        const until = Date.now() + days * DAY;
        button(body, interpolate(strings.notBefore, dayOf(until)),
          () => this.respondInDialog(body, one, { say: 'snooze', until_ms: until }));
      }
      refusalOf(body);
    });
  }

  decline(one) {
    const { strings } = this;
    openDialog(strings.decline.replace('\u2026', ''), (body, close) => {
      const form = add('form', '', body);
      const list = add('datalist', '', form);
      list.id = 'whys';
      for (const text of strings.declineReasons) add('option', '', list).value = text;
      const input = field(form, strings.declineReason, { list: 'whys', maxlength: 200, required: '' });
      refusalOf(form);
      const buttons = add('div', 'buttons', form);
      button(buttons, strings.cancel, close);
      add('button', 'main', buttons, strings.decline.replace('\u2026', ''));
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        this.respondInDialog(form, one, { say: 'dismiss', why: input.value.trim() });
      });
    });
  }

  async respondInDialog(body, one, answer) {
    const error = await this.send(one, answer);
    if (error) body.querySelector('.refusal').textContent = error;
    else closeDialog();
    if (!error) this.place.querySelector('h2').focus();
  }

  async respond(one, answer) {
    const error = await this.send(one, answer);
    this.status.textContent = error || this.status.textContent;
    const refusal = this.place.querySelector('.refusal') || refusalOf(this.place);
    refusal.textContent = error;
    if (!error) this.place.querySelector('h2').focus();
  }

  /** Sends the answer and shows the new state. Returns an error text, empty on success. */
  async send(one, answer) {
    const { status, content } = await post(this.root + '/' + encodeURIComponent(one.id), answer);
    if (status === 401) location.reload();
    if (status !== 200) return requestError(content, this.strings);
    this.show(content);
    this.status.textContent = this.strings.suggestionAnswered[answer.say];
    return '';
  }

  drawPast(past) {
    const { strings } = this;
    const all = make('details', '', this.place);
    make('summary', '', all).textContent = strings.pastSuggestions;
    const list = make('ul', 'reasons', all);
    for (const one of past) {
      const entry = make('li', '', list);
      make('span', '', entry).textContent = [ruleName(one.suggestion, strings),
        workoutName(one.suggestion.workout, strings), statusText(one, strings)].join(' \u00b7 ');
      if (one.outcome) link(entry, one.outcome, shortDayOf(one.outcome.at_ms), strings);
    }
  }
}

function refusalOf(place) {
  const refusal = addRefusal(place);
  return refusal;
}

function ruleName(suggestion, strings) {
  const of = suggestion.machine === 'rower' ? '' : strings.machines[suggestion.machine] + ' \u00b7 ';
  return of + strings.suggestionRules[suggestion.rule];
}

/** `4 \u00d7 500 m, 1:00 rest` for `4x500m/1:00r`. */
function workoutName({ plain }, strings) {
  return format.line(plain, 200).split('+').map((part) => {
    const [, times, length, rest] = /^(?:(\d+)x)?([^/]*)(?:\/(.*)r)?$/.exec(part) || [];
    const extent = format.eventName(length || '') || length;
    return (times ? times + ' \u00d7 ' : '') + extent
      + (rest ? interpolate(strings.withRest, rest) : '');
  }).join(' + ');
}

/** `195\u2013211 W`: the target behind the @. */
function targetOf({ machine, workout }, strings) {
  const target = (format.line(workout.row, 400).split('@')[1] || '').split('+')[0].replace('-', '\u2013');
  if (/w$/.test(target)) return format.withUnit(target.slice(0, -1), strings.units.power);
  if (/spm$/.test(target)) return format.withUnit(target.slice(0, -3), strings.units.rate);
  const paces = target.split('\u2013').filter(Boolean).map((text) => text.split(':'))
    .map(([minutes, seconds]) => format.pace(minutes * 60 + Number(seconds), strings.decimal, machine));
  return format.withUnit(paces.join('\u2013'), format.paceUnit(machine, strings.units));
}

function drawReason(place, reason, machine, strings) {
  const values = (FINDINGS[reason.finding] || []).map((name) => valueOf(name, reason[name], machine, strings));
  make('span', '', place).textContent = interpolate(strings.findings[reason.finding] || '', ...values)
    + ' \u00b7 ' + strings.valueKinds[reason.kind];
  const sessions = reason.inputs.slice(-SESSIONS);
  sessions.forEach((session, index) => {
    link(place, session, sessions.length === 1 ? strings.theSession : String(index + 1), strings);
  });
}

function link(place, session, text, strings) {
  const found = make('a', 'when', place);
  found.href = sessionAddress(session);
  found.textContent = text;
  found.setAttribute('aria-label', interpolate(strings.sessionNumber, text));
}

function valueOf(name, value, machine, strings) {
  switch (name) {
    case 'power_w': return format.withUnit(String(Math.round(value)), 'W');
    case 'percent': return format.decimal(value, 1, strings.decimal) + '\u202f%';
    case 'time_s': return format.duration(value);
    case 'pace_s_per_500m':
      return format.withUnit(format.pace(value, strings.decimal, machine), format.paceUnit(machine, strings.units));
    default: return String(value);
  }
}

/** The state of a suggestion; empty if it is new. */
function statusText(one, strings) {
  const day = (ms) => shortDayOf(ms);
  switch (one.state) {
    case 'accepted': return one.set_ms ? interpolate(strings.wasSetOn, day(one.set_ms)) : strings.willBeSet;
    case 'snoozed': return interpolate(strings.postponedUntil, day(one.until_ms));
    case 'dismissed': return interpolate(strings.declinedBecause, format.line(one.why || '', 200));
    case 'done': {
      const off = format.decimal(Math.abs(one.outcome.percent || 0), 1, strings.decimal);
      const isMet = Number(off.replace(strings.decimal, '.')) === 0
        && ['below', 'above'].indexOf(one.outcome.verdict) >= 0;
      return interpolate(strings.suggestionVerdicts[isMet ? 'met' : one.outcome.verdict], off + '\u202f%');
    }
    case 'withdrawn': return strings.isWithdrawn;
    default: return '';
  }
}
