// The texts of the line above the tiles. No page in here.
import { timeOfDay } from './clubtime.js';
import * as figures from './figures.js';
import { bestText } from './newbest.js';
import { UNDER_WAY } from './tile.js';
import { fill } from './words.js';

/** A stream that has been silent for so long is gone: milliseconds. The server speaks every 2 s. */
export const AWAY_AFTER = 5000;

/**
 * `title`, `sub`, `mean` and `clock`, the `best` that was rowed a moment ago, and the `notice` that
 * takes the place of `sub`: its text, and the `kind`, which stays the same while only the age in the
 * text counts.
 */
export function header(room, tiles, view) {
  const { words } = view;
  const active = tiles.filter((tile) => UNDER_WAY.indexOf(tile.state) >= 0);
  const rowing = tiles.filter((tile) => tile.state === 'rowing' && !tile.isStale);
  return {
    title: title(active, tiles, words),
    sub: active.length ? sub(active, rowing, tiles, words) : '',
    mean: mean(rowing, words),
    clock: room.serverOffset === null ? '' : timeOfDay(view.now + room.serverOffset),
    notice: notice(room, view) || others(room, words),
    best: bestText(room, tiles, view),
  };
}

function title(active, tiles, words) {
  if (active.length) return common(active.map((tile) => tile.piece)) || words.mixed;
  const armed = tiles.filter((tile) => tile.state === 'armed');
  return common(armed.map((tile) => tile.piece)) || (tiles.length ? words.nobody : words.title);
}

/** What all say; empty when they differ or there are none. */
function common(texts) {
  return texts.length && texts.every((text) => text === texts[0]) ? texts[0] : '';
}

function sub(active, rowing, tiles, words) {
  const interval = common(active.map((tile) => (tile.isStale ? '' : tile.interval)));
  const asked = commonTarget(rowing);
  return [interval && fill(words.interval, interval), asked && fill(words.target, asked),
    fill(words.rowing, rowing.length, tiles.length)].filter(Boolean).join(' \u00b7 ');
}

/** What all who row are asked for; empty where they are asked for different things, or nothing. */
export function commonTarget(rowing) { return common(rowing.map((tile) => tile.asked)); }

/** The mean of the paces and of the rates of those that row; empty when nobody does. */
function mean(rowing, words) {
  const { pace, rate } = means(rowing);
  if (pace === null) return '';
  const text = fill(words.room, figures.pace(pace, words.decimal));
  if (rate === null) return text;
  return text + ' \u00b7 ' + figures.withUnit(figures.whole(rate), words.units.rate);
}

/** From two on; null where there are none. */
function means(rowing) {
  const average = (name) => {
    const values = rowing.map((tile) => tile[name]).filter(Boolean);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  const isRoom = rowing.filter((tile) => tile.pace).length > 1;
  return { pace: isRoom ? average('pace') : null, rate: isRoom ? average('rate') : null };
}

/** The room in figures: how many row of how many, in which interval all are, and the means. */
export function summary(tiles, words) {
  const active = tiles.filter((tile) => UNDER_WAY.indexOf(tile.state) >= 0);
  const rowing = tiles.filter((tile) => tile.state === 'rowing' && !tile.isStale);
  const { pace, rate } = means(rowing);
  const interval = common(active.map((tile) => tile.interval));
  return {
    rowing: fill(words.of, rowing.length, tiles.length), interval: interval || '',
    pace: pace === null ? '' : figures.pace(pace, words.decimal),
    rate: rate === null ? '' : figures.whole(rate), active: active.map((tile) => tile.key),
    band: inBand(rowing, words),
  };
}

/** `4 of 6`: how many keep to what they were asked for. */
function inBand(rowing, words) {
  const judged = rowing.filter((tile) => tile.light);
  const kept = judged.filter((tile) => tile.light.look === 'in');
  return judged.length ? fill(words.of, kept.length, judged.length) : '';
}

/** What is wrong with more than one tile, worst first; null when nothing is. */
function notice(room, view) {
  const { words, now } = view;
  const ago = (since) => figures.age((now - since) / 1000, words.ages);
  if (room.heard === null) return { kind: 'connecting', text: words.connecting };
  if (view.isAway) return { kind: 'logbook', text: fill(words.logbookAway, ago(room.heard)) };
  if (room.broker && !room.broker.connected) {
    return { kind: 'broker', text: fill(words.brokerAway, ago(room.broker.since)) };
  }
  const gateways = Array.from(room.gateways.values());
  return absence(gateways, words, ago) || failure(gateways, words);
}

/** A wall has room for 64; each gateway has one of its own. */
function others({ moreErgs }, words) {
  return moreErgs ? { kind: 'more', text: fill(words.moreErgs, moreErgs) } : null;
}

function absence(gateways, words, ago) {
  const away = gateways.filter(({ messages }) =>
    messages.availability && messages.availability.payload === 'offline');
  if (away.length > 1) return { kind: 'gateways', text: fill(words.gatewaysAway, away.length) };
  if (!away.length) return null;
  const { gw, messages } = away[0];
  return { kind: 'gateway', text: fill(words.gatewayAway, gw, ago(messages.availability.heard)) };
}

function failure(gateways, words) {
  for (const { gw, messages } of gateways) {
    const health = messages.health ? messages.health.payload : {};
    if (health.status === 'failed') {
      const reason = figures.sentence((health.reasons || [])[0], 240) || figures.DASH;
      return { kind: 'failed', text: fill(words.failed, gw, reason) };
    }
  }
  return null;
}
