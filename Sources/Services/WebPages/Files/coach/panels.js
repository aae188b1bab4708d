// The commands that were sent to the monitors, with the result of each erg.
import { commandError } from '../common/api-client.js';
import { line as textOf, timeOfDay } from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { arrange, Attribute, make, Text } from '../common/view.js';
import { commandName } from './workouts.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('../wall/tile.js').Tile} Tile */

/** Most commands shown. */
const SHOWN = 5;

/** Without a result after this time, the command counts as unanswered: milliseconds. */
const PATIENCE = 70000;

/**
 * The result of one erg: `kind` is `done`, `open` or `failed`, `text` the reason.
 * @type {(part: object, command: object, now: number, strings: Strings, line?: Tile) => { kind: string, text: string }}
 */
export function commandResult(part, command, now, strings, line) {
  if (part.status === 'ok') return { kind: 'done', text: '' };
  if (part.status !== 'error') {
    if (now - command.sent < PATIENCE) return { kind: 'open', text: '' };
    return { kind: 'failed', text: strings.commandErrors.no_reply, code: 'no_reply' };
  }
  const isAway = part.code === 'not_connected' && line;
  const text = isAway && line.state === 'asleep' ? strings.isAsleep
    : isAway && line.state === 'searching' ? strings.isNotFound
      : commandError(part, strings);
  return { kind: 'failed', text, code: part.code };
}

/**
 * A command as shown: counts, pending ergs, and each failure.
 * @type {(command: object, lines: Map<string, Tile>, now: number, strings: Strings) => object}
 */
export function shownCommand(command, lines, now, strings) {
  const parts = (command.ergs || []).map((part) => {
    // A command to the gateway itself has no erg.
    const own = part.erg ? lines.get(part.gw + '/' + part.erg) : null;
    // An assignment changes the name, so it is shown by erg.
    const isAssignment = own && command.verb === 'assign';
    const name = !own ? part.erg || part.gw : isAssignment ? interpolate(strings.onErg, own.place) : own.who;
    return Object.assign({ part, line: own, name }, commandResult(part, command, now, strings, own));
  });
  const of = (kind) => parts.filter((one) => one.kind === kind);
  const done = of('done');
  return {
    id: command.id, command, parts, failed: of('failed'), open: of('open'), done,
    name: commandName(command, strings),
    // Names, if there are few of them.
    doneText: done.length === 0 ? '' : serialTexts(command, done, strings)
      || interpolate(strings.doneBy[command.verb] || strings.doneBy.rate,
      parts.length === 1 ? done[0].name : interpolate(strings.of, done.length, parts.length)),
    openText: of('open').length === 0 ? '' : interpolate(strings.waitingFor,
      of('open').length > 3 ? of('open').length : of('open').map((one) => one.name).join(', ')),
  };
}

/** The monitors' serial numbers; empty for other commands than `identify`. */
function serialTexts(command, done, strings) {
  if (command.verb !== 'identify') return '';
  return done.map((one) => one.name + ': ' + (one.line && one.line.serial
    ? interpolate(strings.identified, one.line.serial) : textOf(one.part.message, 200))).join(', ');
}

/**
 * The newest commands first. Successful acknowledgements are only shown at their alert.
 * @type {(room: Room, lines: Map<string, Tile>, now: number, strings: Strings) => object[]}
 */
export function shownCommands(room, lines, now, strings) {
  return Array.from(room.commands.values()).reverse().sort((a, b) => b.sent - a.sent)
    .map((command) => shownCommand(command, lines, now, strings))
    .filter((shown) => shown.command.verb !== 'ack' || shown.failed.length > 0)
    .slice(0, SHOWN);
}

class FailureView {
  constructor(strings, retry) {
    this.element = document.createElement('li');
    this.element.className = 'failure';
    this.text = new Text(make('span', '', this.element));
    this.retry = make('button', 'link', this.element);
    this.retry.type = 'button';
    this.retry.addEventListener('click', () => retry(this.one, this.retry));
    this.strings = strings;
    this.label = new Attribute(this.retry, 'aria-label');
  }

  show(one, command) {
    this.one = one;
    this.text.put(one.name + ': ' + one.text);
    const verb = one.code === 'rowing' && command.verb === 'workout' ? this.strings.endAndSet
      : one.code === 'rowing' && command.verb === 'release' ? this.strings.endAndRelease
        : this.strings.retry;
    if (this.retry.textContent !== verb) this.retry.textContent = verb;
    this.label.put(verb + ', ' + one.name);
    this.retry.hidden = !one.line && Boolean(one.part.erg);
  }
}

class CommandView {
  constructor(strings, actions) {
    this.strings = strings;
    this.actions = actions;
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
    this.undo.addEventListener('click', () => actions.undo(this.shown));
    this.undo.hidden = true;
  }

  show(shown, offset, canUndo) {
    this.shown = shown;
    const { strings } = this;
    this.name.put(shown.name);
    this.time.put(offset === null ? '' : timeOfDay(shown.command.sent + offset));
    const { by } = shown.command;
    this.by.put(by && by !== this.actions.me() ? interpolate(strings.by, by) : '');
    this.done.put(shown.doneText && '\u2713 ' + shown.doneText);
    this.open.put(shown.openText && '\u2026 ' + shown.openText);
    const keys = shown.failed.map((one) => one.part.gw + '/' + (one.part.erg || ''));
    arrange(this.failures, this.views, keys, () => new FailureView(strings, (one, button) =>
      this.actions.retry(this.shown, one, button)));
    shown.failed.forEach((one, index) => this.views.get(keys[index]).show(one, shown.command));
    const text = shown.command.verb === 'release' ? strings.takeBack : strings.undo;
    if (this.undo.textContent !== text) this.undo.textContent = text;
    if (this.undo.hidden === canUndo) this.undo.hidden = !canUndo;
  }
}

/** The panel; hidden until a command was sent. */
export class CommandsView {
  /**
   * `actions` has `retry(shown, one, button)`, `undo(shown)`, `canUndo(shown)`, and `me()`: the user's
   * name.
   */
  constructor(panel, list, strings, actions) {
    Object.assign(this, { panel, list, strings, actions });
    this.views = new Map();
    // Ids of finished commands that were announced to screen readers.
    this.announced = new Set();
  }

  /** Shows the commands. Returns the text to announce: the first newly finished command. */
  show(commands, offset) {
    if (this.panel.hidden !== (commands.length === 0)) this.panel.hidden = commands.length === 0;
    const make = () => new CommandView(this.strings, this.actions);
    arrange(this.list, this.views, commands.map((shown) => shown.id), make);
    for (const shown of commands) {
      this.views.get(shown.id).show(shown, offset, this.actions.canUndo(shown));
    }
    const over = commands.filter((shown) => shown.open.length === 0 && !this.announced.has(shown.id))[0];
    if (!over) return '';
    this.announced.add(over.id);
    const failures = over.failed.map((one) => one.name + ': ' + one.text);
    return [over.name, over.doneText].concat(failures).filter(Boolean).join(', ');
  }
}
