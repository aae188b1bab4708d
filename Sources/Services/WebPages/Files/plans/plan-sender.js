// Sets a planned workout on the monitors of the group, with the coach's workout dialog.
import { coachRow } from '../coach/rows.js';
import { openWorkoutDialog } from '../coach/workout-dialog.js';
import { runCommand } from '../common/api-client.js';
import { AWAY_AFTER, emptyRoom, inOrder } from '../common/room.js';
import { followRoom } from '../common/stream.js';
import { machineOf, tiles as tilesOf } from '../wall/tile.js';

/** Keeps the state of the room; connects on first use. */
export class PlanSender {
  constructor(strings) {
    this.strings = strings;
    this.room = emptyRoom();
    this.isListening = false;
    this.pending = null;
  }

  /** `report(text, isSent)` gets the progress: looking for ergs, no ergs, or sent. */
  set(workout, athletes, report) {
    const { strings } = this;
    const open = () => {
      const lines = this.lines;
      if (!lines.length) {
        report(strings.noErgs, false);
        return;
      }
      report('', false);
      const chosen = lines.filter((one) => one.isThere && !one.isActive
        && (workout.machine || one.machine) === one.machine
        && athletes.indexOf(one.athleteId) >= 0).map((one) => one.key);
      openWorkoutDialog(strings, lines, chosen, async (verb, ergs, fields, rejected) => {
        const { error, detail } = await runCommand(verb, ergs, fields, strings);
        if (error) rejected(detail);
        else report(strings.sentToErgs, true);
        return error;
      }, { given: workout });
    };
    if (this.room.receivedAt !== null) {
      open();
      return;
    }
    report(strings.lookingForErgs, false);
    this.pending = open;
    if (this.isListening) return;
    this.isListening = true;
    followRoom(this.room, () => {
      if (!this.pending || this.room.receivedAt === null) return;
      const pending = this.pending;
      this.pending = null;
      pending();
    });
  }

  get lines() {
    const { room, strings } = this;
    const now = performance.now();
    const view = { strings, now, moves: false, serverOffset: room.serverOffset,
      isAway: room.receivedAt !== null && now - room.receivedAt > AWAY_AFTER };
    const ergs = inOrder(room);
    return tilesOf(ergs, room, view, () => null)
      .map((tile, index) => Object.assign(coachRow(tile, ergs[index], room, view),
        { machine: machineOf(ergs[index]) }));
  }
}
