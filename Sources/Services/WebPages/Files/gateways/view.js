// The card of one gateway. Its nodes are created once, so that the keyboard focus stays; only changed parts
// are written.
import { ergName } from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { Attribute, make, Text } from '../common/view.js';

let cards = 0;

/** A part of a card that is redrawn when its content changes. */
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
 * `fetchMissing(gw)` returns the missing records as lines, null without an answer. `open(shown, button)`
 * opens the menu, and `retry(answer)` repeats a command.
 */
export class GatewayView {
  constructor(strings, fetchMissing, open, retry) {
    Object.assign(this, { strings, fetchMissing, open });
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
      (list, found) => found.forEach((one) => drawErg(list, one, strings)));
    this.ergs.element.setAttribute('role', 'list');
    this.ergs.element.setAttribute('aria-label', strings.ergs);
    this.makeRecords();
    this.answer = new Part(make('div', 'answer', this.element),
      (place, answer) => drawAnswer(place, answer, strings, retry));
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
    this.recordState = new Text(make('span', 'state', this.button));
    this.button.addEventListener('click', () => this.toggle());
    this.wall = make('a', '', foot);
    this.wall.textContent = this.strings.wall;
    this.cards = make('a', '', foot);
    this.cards.textContent = this.strings.ergCards;
    this.diagnoseButton = make('button', 'quiet', foot);
    this.diagnoseButton.type = 'button';
    this.diagnoseButton.textContent = this.strings.diagnoseButton;
    this.diagnoseButton.addEventListener('click', () => this.open(this.shown, this.diagnoseButton));
    this.detail = make('div', 'missing-of', this.element);
    this.detail.hidden = true;
  }

  show(shown) {
    const { strings } = this;
    this.key = shown.key;
    this.shown = shown;
    this.wall.href = shown.wall;
    // Each card has this button; the label tells them apart.
    this.wall.setAttribute('aria-label', this.strings.wall + ', ' + shown.name);
    this.cards.href = shown.cards;
    this.cards.setAttribute('aria-label', this.strings.ergCards + ', ' + shown.name);
    this.diagnoseButton.setAttribute('aria-label', interpolate(this.strings.diagnose, shown.name));
    this.state.put(shown.state);
    this.name.put(shown.name);
    this.word.put(shown.word);
    this.about.put([shown.version, shown.lastSeen].filter(Boolean).join(' \u00b7 '));
    this.problems.put(shown.problems);
    this.past.put(shown.past);
    this.reasons.put(shown.reasons);
    this.old.put(shown.past ? 'yes' : '');
    this.figures.put(shown.figures);
    this.ergs.put(shown.ergs);
    const { records } = shown;
    this.stored.put(records ? records.stored : strings.notStored);
    this.recordState.put(records ? records.text : '');
    this.recordState.element.className = 'state ' + (records ? records.kind : 'open');
    this.button.hidden = !records;
    this.button.setAttribute('aria-label', records
      ? strings.missingTitle + ': ' + records.text : strings.missingTitle);
  }

  /** Shows the result of a command. A focus inside the old result moves to the menu button. */
  showAnswer(answer) {
    const wasThere = this.answer.element.contains(document.activeElement);
    this.answer.put(answer);
    if (wasThere) this.diagnoseButton.focus();
  }

  async toggle() {
    const opens = this.detail.hidden;
    this.button.setAttribute('aria-expanded', opens ? 'true' : 'false');
    this.detail.hidden = !opens;
    if (!opens) return;
    this.detail.textContent = this.strings.pageStatus.loading[0];
    const found = await this.fetchMissing(this.key);
    this.detail.textContent = '';
    if (!found) this.detail.textContent = this.strings.missingFailed;
    else if (!found.lines.length) this.detail.textContent = this.strings.nothingMissing;
    else drawMissing(make('ul', '', this.detail), found, this.strings);
  }
}

function drawAnswer(place, answer, strings, retry) {
  make('b', '', place).textContent = answer.name;
  make('span', 'time', place).textContent = answer.time;
  for (const [name, look] of [['text', 'state ' + answer.kind], ['remedy', 'remedy']]) {
    const paragraph = make('p', look, place);
    paragraph.textContent = answer[name] || '';
    paragraph.hidden = !answer[name];
    if (answer.isForeign && (name === 'remedy' || answer.kind === 'gone')) paragraph.lang = 'en';
    paragraph.dir = 'auto';
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
  button.textContent = strings.retry;
  button.setAttribute('aria-label', strings.retry + ': ' + answer.name);
  button.addEventListener('click', () => retry(answer));
}

function drawProblem(list, problem) {
  const place = make('li', '', list);
  const what = make('p', 'what', place);
  what.textContent = problem.what;
  const remedy = make('p', 'remedy', place);
  remedy.textContent = problem.remedy;
  // Gateways send English texts.
  if (problem.isForeign) what.lang = remedy.lang = 'en';
  what.dir = remedy.dir = 'auto';
  if (!problem.detail) return;
  const detail = make('p', 'detail', place);
  detail.textContent = problem.detail;
  detail.lang = 'en';
  detail.dir = 'auto';
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

function drawErg(list, erg, strings) {
  const place = make('li', 'erg', list);
  place.setAttribute('data-state', erg.state);
  const name = make('b', '', place);
  name.textContent = ergName(erg.slug, strings.erg);
  make('span', 'does', place).textContent = erg.reason ? erg.statusText + ': ' + erg.reason : erg.statusText;
  if (!erg.battery) return;
  const battery = make('span', erg.isLow ? 'low' : 'battery', place);
  battery.textContent = interpolate(erg.isLow ? strings.lowBattery : strings.battery, erg.battery);
}

function drawMissing(list, found, strings) {
  for (const { place, cause } of found.lines) {
    const line = make('li', '', list);
    make('span', '', line).textContent = place;
    make('span', '', line).textContent = cause;
  }
  if (found.hasMore) make('li', '', list).textContent = strings.andMore;
}
