// What is suggested: the workout, why with links to the sessions behind it, and yes, no and not now.
import { post } from './asking.js';
import { sessionAddress } from './bests.js';
import { add, addRefusal, button, closeDialog, field, openDialog } from './dialog.js';
import { eventName } from './event.js';
import * as figures from './figures.js';
import { dayOf, shortDayOf } from './page.js';
import { why } from './reason.js';
import { make } from './view.js';
import { fill } from './words.js';

const DAY = 86400000;
/** Links to sessions that a reason has at most. */
const SESSIONS = 6;
/** Days that something can be put off for. */
const LATER = [1, 3, 7, 28];
/** What stands in the sentence of each finding, in its order. */
const FINDINGS = {
  rowed_often: ['times', 'days'], held_power: ['power_w', 'percent'], target_met: ['percent'],
  level_weeks: ['times', 'time_s', 'percent'], easy_share: ['percent', 'days'],
  usual_piece: ['time_s'], growing_weeks: ['times', 'percent', 'time_s'], paused_for: ['days'],
  before: ['times', 'time_s'], old_result: ['days', 'pace_s_per_500m'], missing_result: [],
  expected_pace: ['pace_s_per_500m'], in_training: ['times', 'days'],
  slower_half: ['percent', 'times'], mean_pace: ['pace_s_per_500m'],
};

/** The suggestions of one athlete, in `place`; `root` is where they are asked for and answered. */
export class Suggestions {
  constructor(place, root, words) {
    this.place = place;
    this.root = root;
    this.words = words;
    this.status = make('p', 'spoken', place.parentNode);
    this.status.setAttribute('role', 'status');
  }

  /** `told` is what the interface told of them. */
  show(told) {
    const { place, words } = this;
    const past = told.past.filter((one) => one.state !== 'expired');
    place.textContent = '';
    place.hidden = !told.open.length && !past.length;
    if (place.hidden) return;
    const title = make('h2', '', place);
    title.tabIndex = -1;
    title.textContent = words.suggestionTitle;
    if (!told.open.length) make('p', 'hint', place).textContent = words.noSuggestion;
    // One is the main thing to say.
    told.open.forEach((one, index) => {
      this.draw(make('article', 'suggestion', place), one, index ? '' : 'main');
    });
    if (past.length) this.drawPast(past);
  }

  draw(place, one, look) {
    const { words } = this;
    const { suggestion } = one;
    const head = make('div', 'bar-of', place);
    make('h3', '', head).textContent = ruleName(suggestion, words);
    const tag = add('button', 'tag', head, words.kindsOfFigure.rule_of_thumb);
    tag.type = 'button';
    const workout = make('p', 'proposed', place);
    workout.textContent = workoutName(suggestion.workout, words);
    const target = targetOf(suggestion.workout, words);
    if (target) make('small', '', workout).textContent = target;
    why(tag, () => add('p', 'because', place, words.howRules[suggestion.rule]), head);
    make('p', 'sure', place).textContent = words.confidences[suggestion.confidence];
    const reasons = make('ul', 'reasons', place);
    for (const reason of suggestion.reasons) drawReason(make('li', '', reasons), reason, words);
    const standing = standingOf(one, words);
    if (standing) make('p', 'standing', place).textContent = standing;
    this.drawButtons(make('div', 'buttons', place), one, look);
  }

  drawButtons(place, one, look) {
    const { words } = this;
    const name = ruleName(one.suggestion, words);
    const label = (element) => {
      element.setAttribute('aria-label', element.textContent.replace('\u2026', '') + ': ' + name);
    };
    if (one.state !== 'accepted') {
      label(button(place, words.accept, () => this.say(one, { say: 'accept' }), look));
    }
    if (one.state === 'offered') label(button(place, words.notNow, () => this.putOff(one)));
    label(button(place, words.decline, () => this.decline(one)));
  }

  putOff(one) {
    const { words } = this;
    openDialog(words.notNow.replace('\u2026', ''), (body) => {
      body.classList.add('menu');
      for (const days of LATER) {
        const until = Date.now() + days * DAY;
        button(body, fill(words.notBefore, dayOf(until)),
          () => this.sayInDialog(body, one, { say: 'snooze', until_ms: until }));
      }
      refusalOf(body);
    });
  }

  decline(one) {
    const { words } = this;
    openDialog(words.decline.replace('\u2026', ''), (body, close) => {
      const form = add('form', '', body);
      const list = add('datalist', '', form);
      list.id = 'whys';
      for (const text of words.whys) add('option', '', list).value = text;
      const input = field(form, words.whyNot, { list: 'whys', maxlength: 200, required: '' });
      refusalOf(form);
      const buttons = add('div', 'buttons', form);
      button(buttons, words.cancel, close);
      add('button', 'main', buttons, words.declineIt);
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        this.sayInDialog(form, one, { say: 'dismiss', why: input.value.trim() });
      });
    });
  }

  async sayInDialog(body, one, answer) {
    const error = await this.send(one, answer);
    if (error) body.querySelector('.refusal').textContent = error;
    else closeDialog();
    if (!error) this.place.querySelector('h2').focus();
  }

  async say(one, answer) {
    const error = await this.send(one, answer);
    this.status.textContent = error || this.status.textContent;
    const refusal = this.place.querySelector('.refusal') || refusalOf(this.place);
    refusal.textContent = error;
    if (!error) this.place.querySelector('h2').focus();
  }

  /** Says it to the logbook, and shows how things stand then; why it could not be said, else. */
  async send(one, answer) {
    const { status, content } = await post(this.root + '/' + encodeURIComponent(one.id), answer);
    if (status === 401) location.reload();
    if (status !== 200) return content.detail || this.words.unreachable;
    this.show(content);
    this.status.textContent = this.words.answered[answer.say];
    return '';
  }

  drawPast(past) {
    const { words } = this;
    const all = make('details', '', this.place);
    make('summary', '', all).textContent = words.pastSuggestions;
    const list = make('ul', 'reasons', all);
    for (const one of past) {
      const entry = make('li', '', list);
      make('span', '', entry).textContent = [ruleName(one.suggestion, words),
        workoutName(one.suggestion.workout, words), standingOf(one, words)].join(' \u00b7 ');
      if (one.outcome) link(entry, one.outcome, shortDayOf(one.outcome.at_ms), words);
    }
  }
}

function refusalOf(place) {
  const refusal = addRefusal(place);
  return refusal;
}

function ruleName(suggestion, words) {
  const of = suggestion.machine === 'rower' ? '' : words.machines[suggestion.machine] + ' \u00b7 ';
  return of + words.rules[suggestion.rule];
}

/** `4 \u00d7 500 m, 1:00 rest`, of `4x500m/1:00r`. */
function workoutName({ plain }, words) {
  return figures.line(plain, 200).split('+').map((part) => {
    const [, times, length, rest] = /^(?:(\d+)x)?([^/]*)(?:\/(.*)r)?$/.exec(part) || [];
    const extent = eventName(length || '') || length;
    return (times ? times + ' \u00d7 ' : '') + extent
      + (rest ? fill(words.withRest, rest) : '');
  }).join(' + ');
}

/** `195\u2013211 W`, of what stands behind the @. */
function targetOf({ row }, words) {
  const target = (figures.line(row, 400).split('@')[1] || '').split('+')[0].replace('-', '\u2013');
  if (/w$/.test(target)) return figures.withUnit(target.slice(0, -1), words.units.power);
  if (/spm$/.test(target)) return figures.withUnit(target.slice(0, -3), words.units.rate);
  return figures.withUnit(target.replace(/\./g, words.decimal), words.units.pace);
}

function drawReason(place, reason, words) {
  const values = (FINDINGS[reason.finding] || []).map((name) => valueOf(name, reason[name], words));
  make('span', '', place).textContent = fill(words.findings[reason.finding] || '', ...values)
    + ' \u00b7 ' + words.kindsOfFigure[reason.kind];
  const sessions = reason.inputs.slice(-SESSIONS);
  sessions.forEach((session, index) => {
    link(place, session, sessions.length === 1 ? words.theSession : String(index + 1), words);
  });
}

function link(place, session, text, words) {
  const found = make('a', 'when', place);
  found.href = sessionAddress(session);
  found.textContent = text;
  found.setAttribute('aria-label', fill(words.sessionNumber, text));
}

function valueOf(name, value, words) {
  switch (name) {
    case 'power_w': return figures.withUnit(String(Math.round(value)), 'W');
    case 'percent': return figures.decimal(value, 1, words.decimal) + '\u202f%';
    case 'time_s': return figures.duration(value);
    case 'pace_s_per_500m':
      return figures.withUnit(figures.pace(value, words.decimal), words.units.pace);
    default: return String(value);
  }
}

/** How it stands, in a sentence; empty for what is offered. */
function standingOf(one, words) {
  const day = (ms) => shortDayOf(ms);
  switch (one.state) {
    case 'accepted': return one.set_ms ? fill(words.isSet, day(one.set_ms)) : words.willBeSet;
    case 'snoozed': return fill(words.putOffUntil, day(one.until_ms));
    case 'dismissed': return fill(words.declinedBecause, figures.line(one.why || '', 200));
    case 'done': {
      const off = figures.decimal(Math.abs(one.outcome.percent || 0), 1, words.decimal);
      const isMet = Number(off.replace(words.decimal, '.')) === 0
        && ['below', 'above'].indexOf(one.outcome.verdict) >= 0;
      return fill(words.verdicts[isMet ? 'met' : one.outcome.verdict], off + '\u202f%');
    }
    case 'withdrawn': return words.isWithdrawn;
    default: return '';
  }
}
