// The card of one gateway on the page. Its nodes are made once and kept, so that whoever uses keys
// stays where they are; a part is written anew only when it says something else.
import { fill } from './words.js';
import { Attribute, Text, make } from './view.js';

let cards = 0;

/** A part of a card that is drawn from what it shows, when that changed. */
class Part {
  constructor(element, draw) {
    this.element = element;
    this.draw = draw;
    this.shown = null;
  }

  put(content) {
    const shown = JSON.stringify(content);
    if (this.shown === shown) return;
    this.shown = shown;
    this.element.textContent = '';
    const isEmpty = content === null || (Array.isArray(content) && content.length === 0);
    this.element.hidden = isEmpty;
    if (!isEmpty) this.draw(this.element, content);
  }
}

/**
 * `look(gw)` gets what is missing of a gateway: lines, or null where nobody answers; `open(shown, button)`
 * offers what it can be asked, and `again(answer)` asks it the same once more.
 */
export class GatewayView {
  constructor(words, look, open, again) {
    Object.assign(this, { words, look, open });
    cards += 1;
    this.element = document.createElement('li');
    this.element.className = 'panel gateway';
    this.state = new Attribute(this.element, 'data-state');
    this.old = new Attribute(this.element, 'data-old');
    const head = make('div', 'top-of', this.element);
    const name = make('h2', '', head);
    name.id = 'gateway-' + cards;
    this.element.setAttribute('aria-labelledby', name.id);
    this.name = new Text(make('bdi', '', name));
    this.word = new Text(make('p', 'is', head));
    this.about = new Text(make('p', 'about', head));
    this.problems = this.makeProblems();
    this.past = new Text(make('p', 'past', this.element));
    this.reasons = this.makeProblems();
    this.figures = new Part(make('dl', 'figures-of', this.element), drawFigures);
    this.ergs = new Part(make('ul', 'ergs-of', this.element),
      (list, found) => found.forEach((one) => drawErg(list, one, words)));
    this.ergs.element.setAttribute('role', 'list');
    this.ergs.element.setAttribute('aria-label', words.ergsTitle);
    this.makeRecords();
    this.answer = new Part(make('div', 'answer', this.element),
      (place, answer) => drawAnswer(place, answer, words, again));
    this.answer.element.hidden = true;
  }

  makeProblems() {
    const list = make('ul', 'problems', this.element);
    list.setAttribute('role', 'list');
    return new Part(list, (place, found) => found.forEach((one) => drawProblem(place, one)));
  }

  makeRecords() {
    const foot = make('div', 'records', this.element);
    this.stored = new Text(make('p', '', foot));
    this.button = make('button', 'tag', foot);
    this.button.type = 'button';
    this.button.setAttribute('aria-expanded', 'false');
    this.said = new Text(make('span', 'state', this.button));
    this.button.addEventListener('click', () => this.toggle());
    this.wall = make('a', '', foot);
    this.wall.textContent = this.words.wall;
    this.asks = make('button', 'quiet', foot);
    this.asks.type = 'button';
    this.asks.textContent = this.words.askButton;
    this.asks.addEventListener('click', () => this.open(this.shown, this.asks));
    this.detail = make('div', 'missing-of', this.element);
    this.detail.hidden = true;
  }

  show(shown) {
    const { words } = this;
    this.key = shown.key;
    this.shown = shown;
    this.wall.href = shown.wall;
    // Each card has one, and a list of buttons names the gateway.
    this.wall.setAttribute('aria-label', this.words.wall + ', ' + shown.name);
    this.asks.setAttribute('aria-label', fill(this.words.askIt, shown.name));
    this.state.put(shown.state);
    this.name.put(shown.name);
    this.word.put(shown.word);
    this.about.put([shown.version, shown.heard].filter(Boolean).join(' \u00b7 '));
    this.problems.put(shown.problems);
    this.past.put(shown.past);
    this.reasons.put(shown.reasons);
    this.old.put(shown.past ? 'yes' : '');
    this.figures.put(shown.figures);
    this.ergs.put(shown.ergs);
    const { records } = shown;
    this.stored.put(records ? records.stored : words.notKept);
    this.said.put(records ? records.text : '');
    this.said.element.className = 'state ' + (records ? records.kind : 'open');
    this.button.hidden = !records;
    this.button.setAttribute('aria-label', records
      ? words.whatIsMissing + ': ' + records.text : words.whatIsMissing);
  }

  /** What it made of what it was asked; whoever was at the old answer does not lose their place. */
  say(answer) {
    const wasThere = this.answer.element.contains(document.activeElement);
    this.answer.put(answer);
    if (wasThere) this.asks.focus();
  }

  async toggle() {
    const opens = this.detail.hidden;
    this.button.setAttribute('aria-expanded', opens ? 'true' : 'false');
    this.detail.hidden = !opens;
    if (!opens) return;
    this.detail.textContent = this.words.looking;
    const found = await this.look(this.key);
    this.detail.textContent = '';
    if (!found) this.detail.textContent = this.words.noAnswer;
    else if (!found.lines.length) this.detail.textContent = this.words.nothingMissing;
    else drawMissing(make('ul', '', this.detail), found, this.words);
  }
}

function drawAnswer(place, answer, words, again) {
  make('b', '', place).textContent = answer.name;
  make('span', 'time', place).textContent = answer.time;
  for (const [name, look] of [['text', 'state ' + answer.kind], ['remedy', 'remedy']]) {
    const said = make('p', look, place);
    said.textContent = answer[name] || '';
    said.hidden = !answer[name];
    if (answer.isTheirs && (name === 'remedy' || answer.kind === 'gone')) said.lang = 'en';
    said.dir = 'auto';
  }
  if ((answer.reasons || []).length) {
    const list = make('ul', 'problems', place);
    list.setAttribute('role', 'list');
    for (const one of answer.reasons) drawProblem(list, one);
  }
  if (answer.figures) drawFigures(make('dl', 'figures-of', place), answer.figures);
  if (answer.kind !== 'gone') return;
  const button = make('button', 'link', place);
  button.type = 'button';
  button.textContent = words.again;
  button.setAttribute('aria-label', words.again + ': ' + answer.name);
  button.addEventListener('click', () => again(answer));
}

function drawProblem(list, problem) {
  const place = make('li', '', list);
  const what = make('p', 'what', place);
  what.textContent = problem.what;
  const remedy = make('p', 'remedy', place);
  remedy.textContent = problem.remedy;
  // A gateway speaks English to everybody.
  if (problem.isTheirs) what.lang = remedy.lang = 'en';
  what.dir = remedy.dir = 'auto';
}

function drawFigures(list, found) {
  for (const figure of found) {
    const place = make('div', figure.isBad ? 'bad' : '', list);
    make('dt', '', place).textContent = figure.label;
    const value = make('dd', '', place);
    make('span', '', value).textContent = figure.text;
    if (figure.note) make('small', '', value).textContent = figure.note;
  }
}

function drawErg(list, erg, words) {
  const place = make('li', 'erg', list);
  place.setAttribute('data-state', erg.state);
  const name = make('b', '', place);
  name.textContent = /^\d+$/.test(erg.place) ? fill(words.erg, erg.place) : erg.place;
  make('span', 'does', place).textContent = erg.reason ? erg.say + ': ' + erg.reason : erg.say;
  if (!erg.battery) return;
  const battery = make('span', erg.isLow ? 'low' : 'battery', place);
  battery.textContent = fill(erg.isLow ? words.low : words.battery, erg.battery);
}

function drawMissing(list, found, words) {
  for (const { place, cause } of found.lines) {
    const line = make('li', '', list);
    make('span', '', line).textContent = place;
    make('span', '', line).textContent = cause;
  }
  if (found.hasMore) make('li', '', list).textContent = words.more;
}
