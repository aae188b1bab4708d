// What a coach does with a race, below it; others find the list and the order of the lanes there.
import { get, post } from './asking.js';
import { address } from './page.js';
import { keyOf } from './raceresult.js';
import { Attribute, Text, arrange, make } from './view.js';
import { fill } from './words.js';

/** What cannot be taken back is asked once more for so long: milliseconds. */
const SURE = 5000;

/** A refusal stays for so long: milliseconds. */
const TOLD = 15000;

class Way {
  constructor(key) {
    const isLink = key === 'sheet' || key === 'again';
    this.element = document.createElement(isLink ? 'a' : 'button');
    if (!isLink) this.element.type = 'button';
    this.text = new Text(this.element);
    this.look = new Attribute(this.element, 'class');
  }
}

export class Controls {
  constructor(list, told, words, said, doing) {
    Object.assign(this, { list, words, said, doing });
    this.told = new Text(told);
    this.views = new Map();
    this.race = null;
    this.isCoach = false;
    this.isChoosing = false;
    this.isBusy = false;
    this.sure = '';
    get('/api/v1/session').then(({ content }) => {
      this.isCoach = content.role === 'coach';
      doing.soon();
    });
  }

  /** `lanes` are those of the race, with their names. */
  show(race, isAway, lanes, isFixed) {
    if (!this.race || !race || this.race.race_id !== race.race_id) this.isChoosing = false;
    this.race = race;
    const ways = race ? this.ways(race, lanes, isFixed) : this.isCoach ? [['again', '', '']] : [];
    arrange(this.list, this.views, ways.map(([key]) => key), (key) => this.makeWay(key));
    for (const [key, text, look, action] of ways) {
      const way = this.views.get(key);
      way.text.put(key === 'again' ? this.said.again : this.sure === key
        ? fill(this.said.sure, text) : text);
      way.look.put(this.sure === key ? 'danger' : look);
      way.action = action;
      if (key === 'sheet') way.element.href = '/api/v1/races/' + race.race_id + '/results';
      if (key === 'again') way.element.href = address('/coach');
      const isOff = (isAway || this.isBusy) && ['turn', 'print'].indexOf(key) < 0;
      if (way.element.disabled !== isOff) way.element.disabled = isOff;
    }
  }

  makeWay(key) {
    const way = new Way(key);
    way.element.addEventListener('click', () => { if (way.action) way.action(); });
    return way;
  }

  /** Key, text, look and action of each. */
  ways(race, lanes, isFixed) {
    const { said } = this;
    if (race.phase === 'over') {
      const list = [['sheet', said.sheet, ''], ['print', said.print, '', () => window.print()]];
      return this.isCoach ? list.concat([['again', said.again, 'main']]) : list;
    }
    const turn = ['turn', isFixed ? said.byPlace : said.fixed, '', this.doing.turn];
    if (!this.isCoach) return [turn];
    if (this.isChoosing) return this.choices(lanes);
    const out = ['out', said.takeOut, '', () => this.choose(true)];
    const end = ['end', said.end, '', () => this.twice('end', { do: 'end' })];
    const recall = ['recall', said.recall, 'main', () => this.step({ do: 'recall' })];
    if (race.phase === 'countdown') return [recall, out];
    if (race.phase === 'rowing') {
      const back = ['recall', said.recall, '', () => this.twice('recall', { do: 'recall' })];
      return [back, out, end, turn];
    }
    return [this.start(lanes), ['arm', said.arm, '', () => this.step({ do: 'arm' })], out, end, turn];
  }

  /** Who is not ready is named on the button, and asked about once. */
  start(lanes) {
    const waiting = lanes.filter((lane) => lane.standing === 'waiting');
    if (!waiting.length) {
      return ['start', this.said.start, 'main', () => this.step({ do: 'start' })];
    }
    const who = waiting.length > 2 ? String(waiting.length)
      : waiting.map((lane) => lane.name).join(', ');
    return ['start', fill(this.said.startWithout, who), '',
      () => this.twice('start', { do: 'start', force: true })];
  }

  choices(lanes) {
    const all = lanes.filter((lane) => lane.standing !== 'scratched').map((lane) =>
      ['lane ' + keyOf(lane), fill(this.said.takeOutOf, lane.name), '', () => {
        this.isChoosing = false;
        this.step({ do: 'scratch', erg: { gw: lane.gw, erg: lane.erg } });
      }]);
    return all.concat([['keep', this.said.keep, 'main', () => this.choose(false)]]);
  }

  choose(isOn) {
    this.isChoosing = isOn;
    this.doing.soon();
  }

  twice(key, content) {
    if (this.sure === key) {
      this.sure = '';
      this.step(content);
      return;
    }
    this.sure = key;
    this.doing.soon();
    setTimeout(() => {
      if (this.sure === key) this.sure = '';
      this.doing.soon();
    }, SURE);
  }

  async step(content) {
    this.isBusy = true;
    this.doing.soon();
    const answer = await post('/api/v1/races/' + this.race.race_id, content);
    this.isBusy = false;
    if (answer.status === 401) location.reload();
    const error = answer.status === 200 ? ''
      : fill(this.words.failedSend, answer.content.detail || this.words.unreachable);
    this.told.put(error);
    this.doing.soon();
    if (error) setTimeout(() => this.told.put(''), TOLD);
  }
}
