// The content of the coach's table row for an erg, derived from its tile.
import { line as textOf } from './format.js';
import { scale } from './target.js';
import { ACTIVE_STATES } from './tile.js';
import { interpolate } from './strings.js';

/**
 * `pace`, `rate`, `power` and `heart` are texts, empty without a value. `statusText` describes the state, and
 * replaces the values if `isText`. `mark` is whether the monitor confirms the result; `scale` is the target
 * with its needle.
 */
export function coachRow(tile, erg, room, view) {
  const { strings } = view;
  const state = erg.messages.state ? erg.messages.state.payload : {};
  const name = tile.hasAthlete ? tile.name : state.athlete_id || '';
  const isActive = ACTIVE_STATES.indexOf(tile.state) >= 0;
  return Object.assign({
    key: tile.key, gw: erg.gw, slug: erg.slug, state: tile.state, isStale: tile.isStale,
    place: tile.place, name, isNobody: name === '', who: name || interpolate(strings.onErg, tile.place),
    athleteId: state.athlete_id || '', message: state,
    serial: erg.messages.info ? textOf(erg.messages.info.payload.serial, 16) : '', isActive,
    isReleased: tile.state === 'released',
    // An erg that is not connected cannot take commands now.
    isThere: ['gone', 'asleep', 'searching', 'released', 'parked'].indexOf(tile.state) < 0
      && !(tile.isStale && erg.messages.availability
        && erg.messages.availability.payload === 'offline'),
    shortly: strings[tile.state] || strings.searching, curve: tile.curve, tile,
    share: tile.light ? null : tile.share,
    scale: tile.moment && !tile.isStale ? scale(tile.moment, strings, tile.machine) : null,
  }, tile.isText && tile.state !== 'resting' ? textRow(tile) : valueRow(tile, strings));
}

/** A row without values: one sentence across the table. */
function textRow(tile) {
  const armed = tile.state === 'armed';
  const parts = [tile.big].concat(armed ? tile.lines.slice(0, 1) : tile.lines);
  return {
    isText: true, pace: '', rate: '', power: '', heart: '', mark: '',
    statusText: parts.filter(Boolean).join(' \u00b7 '),
  };
}

function valueRow(tile, strings) {
  const value = (name) => {
    const found = tile.row.filter((figure) => figure && figure.label === strings.names[name])[0];
    return found ? found.value : '';
  };
  const mark = tile.verified === null ? '' : tile.verified ? 'yes' : 'no';
  return {
    isText: false, pace: tile.isText ? '' : tile.big, rate: value('rate'), power: value('power'),
    heart: value('heart'), mark, statusText: statusTextOf(tile, strings, value),
  };
}

function statusTextOf(tile, strings, value) {
  const parts = {
    rowing: [tile.isStale ? '' : tile.go, tile.word],
    resting: [strings.rest, tile.word].concat(tile.lines),
    paused: [tile.word, value('time'), tile.isStale ? '' : tile.go],
    finished: [tile.word].concat(tile.lines),
  }[tile.state] || [tile.word].concat(tile.lines);
  return parts.filter(Boolean).join(' \u00b7 ');
}
