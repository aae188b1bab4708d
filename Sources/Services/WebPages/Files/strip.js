// The line below the tiles: alerts, new bests and crews, as notes of a `kind` and a `text`.
import { firing, saying, whose } from './alerts.js';
import { crewSaying, rowingCrews } from './crews.js';
import { line, place } from './figures.js';
import { fill } from './words.js';

/** Alerts that a wall tells; the rest are a number, and on the coach's page. */
const ALERTS = 3;

/** Alerts that nobody has acknowledged, the newest first, then `best` and the crews that row. */
export function strip(room, view, best = '') {
  const { words, now } = view;
  const open = firing(room).filter((alert) => !alert.isSeen);
  const notes = open.slice(0, ALERTS).map((alert) => ({
    kind: alert.severity === 'critical' ? 'critical' : 'alert', id: alert.id,
    text: whose(alert, words) + ': ' + saying(alert, words) }));
  if (open.length > ALERTS) {
    notes.push({ kind: 'more', id: 'more', text: fill(words.moreAlerts, open.length - ALERTS) });
  }
  if (best) notes.push({ kind: 'best', id: 'best', text: best });
  for (const crew of rowingCrews(room, now)) {
    notes.push({ kind: 'crew', id: crew.gw + '/' + crew.name,
      text: line(place(crew.name), 32) + ' \u00b7 ' + crewSaying(crew, words) });
  }
  return notes;
}
