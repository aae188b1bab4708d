// The buttons below a race: the coach's steps, and the order of lanes and the result list for others.
import { get, post, requestError } from '../common/api-client.js';
import { loadAthletes } from '../common/names.js';
import { pageAddress } from '../common/page.js';
import { isAtLeast } from '../common/routes.js';
import { interpolate } from '../common/strings.js';
import { arrange, Attribute, Text } from '../common/view.js';
import { laneKey } from './result.js';

/** How long a second tap confirms a step: milliseconds. */
const CONFIRM_WITHIN = 5000;

/** How long an error is shown: milliseconds. */
const REFUSAL_SHOWN = 15000;

class Control {
  constructor(key) {
    const isLink = ['sheet', 'again', 'archive'].indexOf(key) >= 0;
    this.element = document.createElement(isLink ? 'a' : 'button');
    if (!isLink) this.element.type = 'button';
    this.text = new Text(this.element);
    this.look = new Attribute(this.element, 'class');
  }
}

export class Controls {
  constructor(list, refusal, strings, raceStrings, actions) {
    Object.assign(this, { list, strings, raceStrings, actions });
    this.refusal = new Text(refusal);
    this.views = new Map();
    this.race = null;
    this.isCoach = false;
    this.isChoosing = false;
    this.isBusy = false;
    this.confirming = '';
    // The control that gets the focus once it is shown and enabled.
    this.focusNext = '';
    get('/api/v1/me').then(({ content }) => {
      this.isCoach = isAtLeast(content.role, 'coach');
      if (this.isCoach) loadAthletes().then(() => actions.requestFrame());
      actions.requestFrame();
    });
  }

  /** `lanes` are the lanes of the race with names. */
  show(race, isAway, lanes, isFixed) {
    if (!this.race || !race || this.race.race_id !== race.race_id) this.isChoosing = false;
    this.race = race;
    const controls = race ? this.availableControls(race, lanes, isFixed)
      : [['archive', this.strings.races, '']].concat(this.isCoach ? [['again', '', '']] : []);
    arrange(this.list, this.views, controls.map(([key]) => key), (key) => this.makeControl(key));
    for (const [key, text, look, action] of controls) {
      const control = this.views.get(key);
      control.text.put(key === 'again' ? this.raceStrings.newRace : this.confirming === key
        ? interpolate(this.raceStrings.confirm, text) : text);
      control.look.put(this.confirming === key ? 'danger' : look);
      control.action = action;
      if (key === 'sheet') control.element.href = '/api/v1/races/' + race.race_id + '/results';
      if (key === 'archive') control.element.href = pageAddress('/races');
      if (key === 'again') control.element.href = pageAddress('/coach');
      const isOff = (isAway || this.isBusy) && ['turn', 'print'].indexOf(key) < 0;
      if (control.element.disabled !== isOff) control.element.disabled = isOff;
      if (key === this.focusNext && !isOff) this.returnFocus(control.element);
    }
    // What is not offered any more gets no focus when it comes back.
    if (controls.every(([key]) => key !== this.focusNext)) this.focusNext = '';
  }

  /** Focuses the control unless the user has gone elsewhere. */
  returnFocus(element) {
    this.focusNext = '';
    if (document.activeElement === document.body) element.focus();
  }

  makeControl(key) {
    const control = new Control(key);
    control.element.addEventListener('click', () => { if (control.action) control.action(); });
    return control;
  }

  /** Key, text, look and action of each button. */
  availableControls(race, lanes, isFixed) {
    const { raceStrings } = this;
    if (race.phase === 'over') {
      const list = [['sheet', this.strings.formats.csv, ''],
        ['print', this.strings.print, '', () => window.print()],
        ['archive', this.strings.races, '']];
      if (!this.isCoach) return list;
      if (this.isChoosing) return this.decisions(lanes);
      const decide = ['decide', raceStrings.disqualify, '', () => this.choose(true)];
      return list.concat(race.regatta_id || !this.actions.canDecide ? [] : [decide], [['again', raceStrings.newRace, 'main']]);
    }
    const turn = ['turn', isFixed ? raceStrings.byPlace : raceStrings.fixed, '', this.actions.turn];
    if (!this.isCoach) return [turn];
    if (this.isChoosing) return this.choices(lanes);
    const out = ['out', raceStrings.scratch, '', () => this.choose(true)];
    const end = ['end', raceStrings.end, '', () => this.confirmThen('end', { do: 'end' })];
    const recall = ['recall', raceStrings.recall, 'main', () => this.step({ do: 'recall' })];
    if (race.phase === 'countdown') return [recall, out];
    if (race.phase === 'rowing') {
      const back = ['recall', raceStrings.recall, '', () => this.confirmThen('recall', { do: 'recall' })];
      return [back, out, end, turn];
    }
    return [this.start(lanes), ['arm', raceStrings.arm, '', () => this.step({ do: 'arm' })], out, end, turn];
  }

  /** Starting without ergs that are not ready names them and needs a second tap. */
  start(lanes) {
    const waiting = lanes.filter((lane) => lane.standing === 'waiting');
    if (!waiting.length) {
      return ['start', this.raceStrings.start, 'main', () => this.step({ do: 'start' })];
    }
    const who = waiting.length > 2 ? String(waiting.length)
      : waiting.map((lane) => lane.name).join(', ');
    return ['start', interpolate(this.raceStrings.startWithout, who), '',
      () => this.confirmThen('start', { do: 'start', force: true })];
  }

  choices(lanes) {
    const all = lanes.filter((lane) => lane.standing !== 'scratched').map((lane) =>
      ['lane ' + laneKey(lane), interpolate(this.raceStrings.scratchOf, lane.name), '', () => {
        this.choose(false);
        this.step({ do: 'scratch', erg: { gw: lane.gw, erg: lane.erg } });
      }]);
    return all.concat([['keep', this.raceStrings.scratchNone, 'main', () => this.choose(false)]]);
  }

  /** Who rowed can be disqualified after the race; that can be undone. */
  decisions(lanes) {
    const all = lanes.filter((lane) => lane.result).map((lane) => {
      const isOut = lane.standing === 'disqualified';
      const text = isOut ? this.raceStrings.reinstateOf : this.raceStrings.disqualifyOf;
      return ['lane ' + laneKey(lane), interpolate(text, lane.name), '', () => {
        this.choose(false);
        this.step({ do: isOut ? 'reinstate' : 'disqualify', erg: { gw: lane.gw, erg: lane.erg } });
      }];
    });
    return all.concat([['keep', this.raceStrings.scratchNone, 'main', () => this.choose(false)]]);
  }

  /** The focus goes to the choice of nobody: an Enter key that is held down chooses nobody. */
  choose(isOn) {
    this.isChoosing = isOn;
    this.focusNext = isOn ? 'keep' : this.race.phase === 'over' ? 'decide' : 'out';
    this.actions.requestFrame();
  }

  confirmThen(key, content) {
    if (this.confirming === key) {
      this.confirming = '';
      this.step(content);
      return;
    }
    this.confirming = key;
    this.actions.requestFrame();
    setTimeout(() => {
      if (this.confirming === key) this.confirming = '';
      this.actions.requestFrame();
    }, CONFIRM_WITHIN);
  }

  async step(content) {
    // A button that is disabled loses the focus, and gets it again afterwards.
    const focused = Array.from(this.views.entries()).find(([, one]) => one.element === document.activeElement);
    if (focused && !this.focusNext) [this.focusNext] = focused;
    this.isBusy = true;
    this.actions.requestFrame();
    const answer = await post('/api/v1/races/' + this.race.race_id, content);
    this.isBusy = false;
    if (answer.status === 401) location.reload();
    const error = answer.status === 200 ? ''
      : interpolate(this.strings.notSent, requestError(answer.content, this.strings));
    this.refusal.put(error);
    this.actions.requestFrame();
    if (error) setTimeout(() => this.refusal.put(''), REFUSAL_SHOWN);
  }
}
