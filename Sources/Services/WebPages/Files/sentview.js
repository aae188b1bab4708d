// What was sent to the monitors, and what each of them made of it.
import { timeOfDay } from './clubtime.js';
import { line as textOf } from './figures.js';
import { Attribute, Text, arrange, make } from './view.js';
import { fill } from './words.js';
import { commandName } from './workouts.js';

/** More stand for what happened long ago. */
const SHOWN = 5;

/** An answer that has not come by then does not come, even where nobody says so any more. */
const PATIENCE = 70000;

/** What one erg made of a command: `kind` is `done`, `open` or `failed`; `text` says why. */
export function outcome(part, command, now, words, line) {
  if (part.status === 'ok') return { kind: 'done', text: '' };
  if (part.status !== 'error') {
    if (now - command.sent < PATIENCE) return { kind: 'open', text: '' };
    return { kind: 'failed', text: words.outcome.no_reply, code: 'no_reply' };
  }
  const isAway = part.code === 'not_connected' && line;
  const text = isAway && line.state === 'asleep' ? words.isAsleep
    : isAway && line.state === 'searching' ? words.isLost
      : words.outcome[part.code] || part.message || part.code;
  return { kind: 'failed', text, code: part.code };
}

/** A command as it is shown: counts, what is open, and each that failed. */
export function shownCommand(command, lines, now, words) {
  const parts = (command.ergs || []).map((part) => {
    // What a gateway does itself has no erg.
    const own = part.erg ? lines.get(part.gw + '/' + part.erg) : null;
    // Who sits there is what an assignment changes.
    const isSeat = own && command.verb === 'assign';
    const name = !own ? part.erg || part.gw : isSeat ? fill(words.onErg, own.place) : own.who;
    return Object.assign({ part, line: own, name }, outcome(part, command, now, words, own));
  });
  const of = (kind) => parts.filter((one) => one.kind === kind);
  const done = of('done');
  return {
    id: command.id, command, parts, failed: of('failed'), open: of('open'), done,
    name: commandName(command, words),
    // The names where there are few of them.
    doneText: done.length === 0 ? '' : told(command, done) || fill(words.done[command.verb] || words.done.rate,
      parts.length === 1 ? done[0].name : fill(words.of, done.length, parts.length)),
    openText: of('open').length === 0 ? '' : fill(words.waiting,
      of('open').length > 3 ? of('open').length : of('open').map((one) => one.name).join(', ')),
  };
}

/** What a monitor says of itself is the answer; of everything else, who took it is. */
function told(command, done) {
  if (command.verb !== 'identify') return '';
  return done.map((one) => one.name + ': ' + textOf(one.part.message, 200)).join(', ');
}

/** The newest first. That somebody has seen an alert is told where the alert is, unless it failed. */
export function shownCommands(room, lines, now, words) {
  return Array.from(room.commands.values()).reverse().sort((a, b) => b.sent - a.sent)
    .map((command) => shownCommand(command, lines, now, words))
    .filter((shown) => shown.command.verb !== 'ack' || shown.failed.length > 0)
    .slice(0, SHOWN);
}

class FailureView {
  constructor(words, again) {
    this.element = document.createElement('li');
    this.element.className = 'failure';
    this.text = new Text(make('span', '', this.element));
    this.again = make('button', 'link', this.element);
    this.again.type = 'button';
    this.again.addEventListener('click', () => again(this.one, this.again));
    this.words = words;
    this.label = new Attribute(this.again, 'aria-label');
  }

  show(one, command) {
    this.one = one;
    this.text.put(one.name + ': ' + one.text);
    const verb = one.code === 'rowing' && command.verb === 'workout' ? this.words.endAndSet
      : one.code === 'rowing' && command.verb === 'release' ? this.words.endAndRelease
        : this.words.again;
    if (this.again.textContent !== verb) this.again.textContent = verb;
    this.label.put(verb + ', ' + one.name);
    this.again.hidden = !one.line && Boolean(one.part.erg);
  }
}

class CommandView {
  constructor(words, doing) {
    this.words = words;
    this.doing = doing;
    this.element = document.createElement('li');
    this.element.className = 'command';
    const top = make('h3', '', this.element);
    this.name = new Text(make('span', 'name', top));
    this.time = new Text(make('span', 'time', top));
    this.by = new Text(make('p', 'hint', this.element));
    this.done = new Text(make('p', 'done', this.element));
    this.open = new Text(make('p', 'open', this.element));
    this.failures = make('ul', '', this.element);
    this.failures.setAttribute('role', 'list');
    this.views = new Map();
    this.undo = make('button', 'link', this.element);
    this.undo.type = 'button';
    this.undo.addEventListener('click', () => doing.undo(this.shown));
    this.undo.hidden = true;
  }

  show(shown, offset, canUndo) {
    this.shown = shown;
    const { words } = this;
    this.name.put(shown.name);
    this.time.put(offset === null ? '' : timeOfDay(shown.command.sent + offset));
    const { by } = shown.command;
    this.by.put(by && by !== this.doing.me() ? fill(words.by, by) : '');
    this.done.put(shown.doneText && '\u2713 ' + shown.doneText);
    this.open.put(shown.openText && '\u2026 ' + shown.openText);
    const keys = shown.failed.map((one) => one.part.gw + '/' + (one.part.erg || ''));
    arrange(this.failures, this.views, keys, () => new FailureView(words, (one, button) =>
      this.doing.again(this.shown, one, button)));
    shown.failed.forEach((one, index) => this.views.get(keys[index]).show(one, shown.command));
    const text = shown.command.verb === 'release' ? words.takeBack : words.undo;
    if (this.undo.textContent !== text) this.undo.textContent = text;
    if (this.undo.hidden === canUndo) this.undo.hidden = !canUndo;
  }
}

/** The panel; it is not there while nothing was sent. */
export class SentView {
  /**
   * `doing` has `again(shown, one, button)`, `undo(shown)`, `canUndo(shown)`, and `me()`: who
   * looks.
   */
  constructor(panel, list, words, doing) {
    Object.assign(this, { panel, list, words, doing });
    this.views = new Map();
    // Commands whose end was read aloud.
    this.told = new Set();
  }

  /** Returns what is to be read aloud: a command whose last answer has come. */
  show(commands, offset) {
    if (this.panel.hidden !== (commands.length === 0)) this.panel.hidden = commands.length === 0;
    const make = () => new CommandView(this.words, this.doing);
    arrange(this.list, this.views, commands.map((shown) => shown.id), make);
    for (const shown of commands) {
      this.views.get(shown.id).show(shown, offset, this.doing.canUndo(shown));
    }
    const over = commands.filter((shown) => shown.open.length === 0 && !this.told.has(shown.id))[0];
    if (!over) return '';
    this.told.add(over.id);
    const failures = over.failed.map((one) => one.name + ': ' + one.text);
    return [over.name, over.doneText].concat(failures).filter(Boolean).join(', ');
  }
}
