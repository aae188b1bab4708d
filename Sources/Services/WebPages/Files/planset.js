// A planned workout onto the monitors of those who sit: by the coach's own dialog and command.
import { command } from './asking.js';
import { AWAY_AFTER } from './header.js';
import { line } from './line.js';
import { emptyRoom, inOrder } from './room.js';
import { openSetting } from './setting.js';
import { listen } from './stream.js';
import { machineOf, tiles as tilesOf } from './tile.js';

/** The room as it is now, listened to from the first time that somebody asks. */
export class Sitting {
  constructor(words) {
    this.words = words;
    this.room = emptyRoom();
    this.isListening = false;
    this.waiting = null;
  }

  /** `told` hears that the ergs are looked for, that there are none, and what was sent. */
  set(workout, athletes, told) {
    const { words } = this;
    const open = () => {
      const lines = this.lines;
      if (!lines.length) {
        told(words.noErgs, false);
        return;
      }
      told('', false);
      const chosen = lines.filter((one) => one.isThere && !one.isUnderWay
        && (workout.machine || one.machine) === one.machine
        && athletes.indexOf(one.athleteId) >= 0).map((one) => one.key);
      openSetting(words, lines, chosen, async (verb, ergs, fields) => {
        const { error } = await command(verb, ergs, fields, words);
        if (!error) told(words.sent, true);
        return error;
      }, { given: workout });
    };
    if (this.room.heard !== null) {
      open();
      return;
    }
    told(words.looking, false);
    this.waiting = open;
    if (this.isListening) return;
    this.isListening = true;
    listen(this.room, () => {
      if (!this.waiting || this.room.heard === null) return;
      const waiting = this.waiting;
      this.waiting = null;
      waiting();
    });
  }

  get lines() {
    const { room, words } = this;
    const now = performance.now();
    const view = { words, now, moves: false, serverOffset: room.serverOffset,
      isAway: room.heard !== null && now - room.heard > AWAY_AFTER };
    const ergs = inOrder(room);
    return tilesOf(ergs, room, view, () => null)
      .map((tile, index) => Object.assign(line(tile, ergs[index], room, view),
        { machine: machineOf(ergs[index]) }));
  }
}
