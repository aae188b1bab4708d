// What the coach's line of an erg says, and what can be done there. Made of the erg's tile.
import { scale } from './target.js';
import { UNDER_WAY } from './tile.js';
import { fill } from './words.js';

/**
 * `pace`, `rate`, `power` and `heart` are texts, empty where there is nothing to show; `say` what
 * the erg does in words, which takes their place when `isText`; `mark` a result's agreement; `scale`
 * the band that was asked for, with the needle.
 */
export function line(tile, erg, room, view) {
  const { words } = view;
  const state = erg.messages.state ? erg.messages.state.payload : {};
  const name = tile.hasAthlete ? tile.name : state.athlete_id || '';
  const isUnderWay = UNDER_WAY.indexOf(tile.state) >= 0;
  return Object.assign({
    key: tile.key, gw: erg.gw, slug: erg.slug, state: tile.state, isStale: tile.isStale,
    place: tile.place, name, isNobody: name === '', who: name || fill(words.onErg, tile.place),
    athleteId: state.athlete_id || '', message: state, isUnderWay,
    isReleased: tile.state === 'released',
    // Whoever is not there cannot take a command now.
    isThere: ['gone', 'asleep', 'searching', 'released', 'parked'].indexOf(tile.state) < 0
      && !(tile.isStale && erg.messages.availability
        && erg.messages.availability.payload === 'offline'),
    shortly: words[tile.state] || words.searching, curve: tile.curve, tile,
    share: tile.light ? null : tile.share,
    scale: tile.moment && !tile.isStale ? scale(tile.moment, words, tile.machine) : null,
  }, tile.isText && tile.state !== 'resting' ? saying(tile) : figures(tile, words));
}

/** No figures: a sentence across the table. */
function saying(tile) {
  const armed = tile.state === 'armed';
  const parts = [tile.big].concat(armed ? tile.lines.slice(0, 1) : tile.lines);
  return {
    isText: true, pace: '', rate: '', power: '', heart: '', mark: '',
    say: parts.filter(Boolean).join(' \u00b7 '),
  };
}

function figures(tile, words) {
  const value = (name) => {
    const found = tile.row.filter((figure) => figure && figure.label === words.names[name])[0];
    return found ? found.value : '';
  };
  const mark = tile.verified === null ? '' : tile.verified ? 'yes' : 'no';
  return {
    isText: false, pace: tile.isText ? '' : tile.big, rate: value('rate'), power: value('power'),
    heart: value('heart'), mark, say: sayingOf(tile, words, value),
  };
}

function sayingOf(tile, words, value) {
  const parts = {
    rowing: [tile.isStale ? '' : tile.go, tile.word],
    resting: [words.rest, tile.word].concat(tile.lines),
    paused: [tile.word, value('time'), tile.isStale ? '' : tile.go],
    finished: [tile.word].concat(tile.lines),
  }[tile.state] || [tile.word].concat(tile.lines);
  return parts.filter(Boolean).join(' \u00b7 ');
}
