// The texts of the line above the tiles. Needs no DOM.
import * as format from '../common/format.js';
import { timeOfDay } from '../common/format.js';
import { problemText } from '../common/gateway-problems.js';
import { AWAY_AFTER } from '../common/room.js';
import { interpolate } from '../common/strings.js';
import { bannerText } from './new-bests.js';
import { ACTIVE_STATES } from './tile.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Erg} Erg */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('./tile.js').Tile} Tile */
/** @typedef {import('./tile.js').View} View */

/**
 * Returns `title`, `sub`, `mean`, `clock`, the latest `best`, and the `notice` that replaces `sub`. A
 * notice has a text and a `kind`, which stays the same while only its age changes.
 * @type {(room: Room, tiles: Tile[], view: View) => object}
 */
export function header(room, tiles, view) {
  const { strings } = view;
  const active = tiles.filter((tile) => ACTIVE_STATES.indexOf(tile.state) >= 0);
  const rowing = tiles.filter((tile) => tile.state === 'rowing' && !tile.isStale);
  return {
    title: title(active, tiles, strings),
    sub: active.length ? sub(active, rowing, tiles, strings) : '',
    mean: mean(rowing, strings),
    clock: room.serverOffset === null ? '' : timeOfDay(view.now + room.serverOffset),
    notice: notice(room, view) || others(room, strings),
    best: bannerText(room, tiles, view),
  };
}

function title(active, tiles, strings) {
  if (active.length) return common(active.map((tile) => tile.piece)) || strings.mixed;
  const armed = tiles.filter((tile) => tile.state === 'armed');
  return common(armed.map((tile) => tile.piece)) || (tiles.length ? strings.nobodyRows : strings.wall);
}

/** The text that all share; empty if they differ. */
function common(texts) {
  return texts.length && texts.every((text) => text === texts[0]) ? texts[0] : '';
}

function sub(active, rowing, tiles, strings) {
  const interval = common(active.map((tile) => (tile.isStale ? '' : tile.interval)));
  const targetOfAll = commonTarget(rowing);
  return [interval && interpolate(strings.interval, interval),
    targetOfAll && interpolate(strings.target, targetOfAll),
    interpolate(strings.rowing, rowing.length, tiles.length)].filter(Boolean).join(' \u00b7 ');
}

/**
 * The target that all rowers share; empty if they differ or have none.
 * @type {(rowing: Tile[]) => string}
 */
export function commonTarget(rowing) { return common(rowing.map((tile) => tile.targetText)); }

/** The mean pace and rate of the rowers; empty without any. */
function mean(rowing, strings) {
  const { pace, rate } = means(rowing, strings);
  if (!pace) return '';
  const text = interpolate(strings.room, pace);
  if (rate === null) return text;
  return text + ' \u00b7 ' + format.withUnit(format.whole(rate), strings.units.rate);
}

/**
 * Means of two rowers or more on the same kind of machine, because others do not compare: the pace as text, empty
 * without one, and the rate; null without one.
 */
function means(rowing, strings) {
  const average = (name) => {
    const values = rowing.map((tile) => tile[name]).filter(Boolean);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  const machine = common(rowing.map((tile) => tile.machine));
  if (!machine || rowing.filter((tile) => tile.pace).length < 2) return { pace: '', rate: null };
  const pace = format.pace(average('pace'), strings.decimal, machine);
  return { pace: machine === 'bike' ? format.withUnit(pace, strings.units.bikePace) : pace, rate: average('rate') };
}

/**
 * The numbers above the coach's table: rowers, common interval, and means.
 * @type {(tiles: Tile[], strings: Strings) => object}
 */
export function summary(tiles, strings) {
  const active = tiles.filter((tile) => ACTIVE_STATES.indexOf(tile.state) >= 0);
  const rowing = tiles.filter((tile) => tile.state === 'rowing' && !tile.isStale);
  const { pace, rate } = means(rowing, strings);
  const interval = common(active.map((tile) => tile.interval));
  return {
    rowing: interpolate(strings.of, rowing.length, tiles.length), interval: interval || '',
    pace,
    rate: rate === null ? '' : format.whole(rate), active: active.map((tile) => tile.key),
    onTarget: onTargetCount(rowing, strings),
  };
}

/** `4 of 6`: how many rowers are on target. */
function onTargetCount(rowing, strings) {
  const judged = rowing.filter((tile) => tile.light);
  const onTargetTiles = judged.filter((tile) => tile.light.look === 'in');
  return judged.length ? interpolate(strings.of, onTargetTiles.length, judged.length) : '';
}

/** The worst problem that affects more than one tile; null for none. */
function notice(room, view) {
  const { strings, now } = view;
  const ago = (since) => format.age((now - since) / 1000, strings.ages);
  if (room.receivedAt === null) return { kind: 'connecting', text: strings.connecting };
  if (view.isAway) return { kind: 'logbook', text: interpolate(strings.logbookAway, ago(room.receivedAt)) };
  if (room.broker && !room.broker.connected) {
    return { kind: 'broker', text: interpolate(strings.brokerAway, ago(room.broker.since)) };
  }
  const gateways = Array.from(room.gateways.values());
  return absence(gateways, strings, ago) || failure(gateways, strings);
}

/** A wall shows up to 64 ergs; each gateway has its own wall. */
function others({ moreErgs }, strings) {
  return moreErgs ? { kind: 'more', text: interpolate(strings.moreErgs, moreErgs) } : null;
}

function absence(gateways, strings, ago) {
  const away = gateways.filter(({ messages }) =>
    messages.availability && messages.availability.payload === 'offline');
  if (away.length > 1) return { kind: 'gateways', text: interpolate(strings.gatewaysAway, away.length) };
  if (!away.length) return null;
  const { gw, messages } = away[0];
  return { kind: 'gateway', text: interpolate(strings.gatewayAway, gw, ago(messages.availability.receivedAt)) };
}

function failure(gateways, strings) {
  for (const { gw, messages } of gateways) {
    const health = messages.health ? messages.health.payload : {};
    if (health.status === 'failed') {
      const [first] = (Array.isArray(health.problems) ? health.problems : [])
        .filter((problem) => problem && problem.severity === 'critical');
      const reason = first ? problemText(first, health, strings).what
        : format.sentence((health.reasons || [])[0], 240) || format.DASH;
      return { kind: 'failed', text: interpolate(strings.notRecording, gw, reason) };
    }
  }
  return null;
}
