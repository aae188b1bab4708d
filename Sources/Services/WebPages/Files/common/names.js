// The names of athletes. Pages show names; ids are shown only where an athlete has no name.
import { get } from './api-client.js';
import { line } from './format.js';

/**
 * @typedef {{ athlete_id: string, name?: string, short_name?: string, archived?: boolean, sessions?: number,
 *   groups?: string[], merged_ids?: string[], power_2k_w?: number, power_6k_w?: number }} Athlete
 */

/** Longest name, in characters. */
const LONGEST = 64;
/** @type {Map<string, Athlete>} */
const known = new Map();
/** The athletes of merged ids, by these ids. Records and gateways may still name them. */
const merged = new Map();
/** How many athletes have a name, by the folded name. */
const namesakes = new Map();

/**
 * Loads all athletes that this user may see; replaces those loaded before.
 * @returns {Promise<{ status: number, content: any, athletes: Athlete[] }>} with the last answer
 */
export async function loadAthletes() {
  let [athletes, cursor] = [[], ''];
  let answer;
  do {
    answer = await get('/api/v1/athletes?limit=1000' + (cursor && '&cursor=' + cursor));
    if (answer.status !== 200) break;
    athletes = athletes.concat(answer.content.athletes || []);
    cursor = answer.content.next || '';
  } while (cursor);
  if (answer.status === 200) setAthletes(athletes);
  return Object.assign(answer, { athletes });
}

/**
 * Replaces the known athletes.
 * @type {(athletes: Athlete[]) => void}
 */
export function setAthletes(athletes) {
  known.clear();
  merged.clear();
  namesakes.clear();
  for (const athlete of athletes) {
    known.set(athlete.athlete_id, athlete);
    for (const id of athlete.merged_ids || []) merged.set(id, athlete);
    const name = foldedText(labelOf(athlete));
    namesakes.set(name, (namesakes.get(name) || 0) + 1);
  }
}

/**
 * A loaded athlete, also by a merged id; undefined if none is known.
 * @type {(id: any) => Athlete|undefined}
 */
export const athleteOf = (id) => known.get(id) || merged.get(id);

/**
 * The name of an athlete; the id for an athlete without a name, empty for no athlete.
 * @type {(id: any) => string}
 */
export function nameOf(id) {
  const athlete = athleteOf(id);
  return line((athlete && athlete.name) || id, LONGEST);
}

/**
 * The name of an athlete; empty if none is known.
 * @type {(id: any) => string}
 */
export function knownName(id) {
  const athlete = athleteOf(id);
  return athlete ? line(athlete.name, LONGEST) : '';
}

/**
 * The athletes that can be chosen, by name.
 * @type {() => Athlete[]}
 */
export function athletesByName() {
  return sortedByName(Array.from(known.values()).filter((athlete) => !athlete.archived));
}

/** @type {(athletes: Athlete[]) => Athlete[]} */
export function sortedByName(athletes) {
  return athletes.slice().sort((one, other) =>
    labelOf(one).localeCompare(labelOf(other), undefined, { numeric: true, sensitivity: 'base' })
    || (one.athlete_id < other.athlete_id ? -1 : 1));
}

/**
 * The name, or the id, of a loaded athlete.
 * @type {(athlete: Athlete) => string}
 */
export const labelOf = (athlete) => line(athlete.name || athlete.athlete_id, LONGEST);

/**
 * The text of a choice: `Anna Müller`, with the id if another athlete has the same name.
 * @type {(athlete: Athlete) => string}
 */
export function choiceLabel(athlete) {
  const label = labelOf(athlete);
  return namesakes.get(foldedText(label)) > 1 ? label + ' \u00b7 ' + athlete.athlete_id : label;
}

/** Letters that have no accent to remove. */
const PLAIN = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', þ: 'th', ð: 'd', ı: 'i',
};

/**
 * A text in lower case without accents, for searching.
 * @type {(text: string) => string}
 */
export function foldedText(text) {
  return text.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßæœøđłþðı]/g, (letter) => PLAIN[letter]);
}

/**
 * Whether every word of a search begins a word of the athlete's name or id.
 * @type {(athlete: Athlete, search: string) => boolean}
 */
export function matches(athlete, search) {
  const words = foldedText(labelOf(athlete) + ' ' + athlete.athlete_id + ' '
    + (athlete.short_name || '')).split(/[\s-]+/);
  return foldedText(search).split(/[\s-]+/).filter(Boolean)
    .every((part) => words.some((word) => word.indexOf(part) === 0));
}
