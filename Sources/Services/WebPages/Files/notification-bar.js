// The line below the tiles: alerts, new bests and crews.
import { alertPlace, alertText, firingAlerts } from './alerts.js';
import { crewText, rowingCrews } from './crews.js';
import { line, place } from './format.js';
import { interpolate } from './strings.js';

/** Most alerts shown; the coach's page lists all of them. */
const ALERTS = 3;

/**
 * Returns notes with `kind`, `id` and `text`: unacknowledged alerts, newest first, then `best` and the
 * rowing crews.
 */
export function notifications(room, view, best = '') {
  const { strings, now } = view;
  const open = firingAlerts(room).filter((alert) => !alert.isSeen);
  const notes = open.slice(0, ALERTS).map((alert) => ({
    kind: alert.severity === 'critical' ? 'critical' : 'alert', id: alert.id,
    text: alertPlace(alert, strings) + ': ' + alertText(alert, strings) }));
  if (open.length > ALERTS) {
    notes.push({ kind: 'more', id: 'more', text: interpolate(strings.moreAlerts, open.length - ALERTS) });
  }
  if (best) notes.push({ kind: 'best', id: 'best', text: best });
  for (const crew of rowingCrews(room, now)) {
    notes.push({ kind: 'crew', id: crew.gw + '/' + crew.name,
      text: line(place(crew.name), 32) + ' \u00b7 ' + crewText(crew, strings) });
  }
  return notes;
}
