// The alerts panel of the coach's page. Each alert has a button to acknowledge it.
import { alertPlace, alertText, firingAlerts } from './alerts.js';
import { timeOfDay } from './club-time.js';
import { arrange, Attribute, make, Text } from './view.js';
import { interpolate } from './strings.js';

class AlertView {
  constructor(strings, acknowledge) {
    this.strings = strings;
    this.element = document.createElement('li');
    this.element.className = 'need';
    const text = make('div', 'text', this.element);
    this.whose = new Text(make('h3', '', text));
    this.message = new Text(make('p', 'saying', text));
    this.note = new Text(make('p', 'hint', text));
    this.button = make('button', '', this.element);
    this.button.type = 'button';
    this.button.textContent = strings.acknowledge;
    this.label = new Attribute(this.button, 'aria-label');
    this.looks = ['severity', 'seen'].map((name) => new Attribute(this.element, 'data-' + name));
    this.button.addEventListener('click', async () => {
      this.button.disabled = true;
      await acknowledge(this.alert);
      this.button.disabled = false;
    });
  }

  show(alert, name, offset) {
    this.alert = alert;
    const { strings } = this;
    this.looks[0].put(alert.severity === 'critical' ? 'critical' : 'warning');
    this.looks[1].put(alert.isSeen ? 'yes' : '');
    const text = alertText(alert, strings);
    this.whose.put(alertPlace(alert, strings, name));
    this.message.put(text);
    const time = interpolate(strings.sinceTime, timeOfDay(alert.at));
    const seen = alert.isSeen
      && (alert.by ? interpolate(strings.acknowledgedBy, alert.by) : strings.acknowledged);
    this.note.put([offset === null ? '' : time, seen].filter(Boolean).join(' \u00b7 '));
    this.label.put(interpolate(strings.acknowledgeAlert, this.whose.node.data + ', ' + text));
    if (this.button.hidden !== alert.isSeen) this.button.hidden = alert.isSeen;
  }
}

/** The panel. If there is room next to the table, it also shows that there are no alerts. */
export class AlertsView {
  constructor(panel, list, strings, acknowledge) {
    Object.assign(this, { panel, list, strings, acknowledge });
    this.views = new Map();
    // Ids of alerts that were announced to screen readers.
    this.announced = new Set();
  }

  /** Shows the alerts. Returns the text to announce: the first new alert, or an empty text. */
  show(room, lines, isAway) {
    const alerts = firingAlerts(room);
    // Without a connection, "no alerts" would be a guess: the panel is hidden.
    const isHidden = alerts.length === 0 && (isAway || lines.size === 0);
    if (this.panel.hidden !== isHidden) this.panel.hidden = isHidden;
    this.panel.classList.toggle('calm', alerts.length === 0);
    arrange(this.list, this.views, alerts.map((alert) => alert.id),
      () => new AlertView(this.strings, this.acknowledge));
    const nameOf = (alert) => (lines.has(alert.key) ? lines.get(alert.key).name : '');
    for (const alert of alerts) {
      this.views.get(alert.id).show(alert, nameOf(alert), room.serverOffset);
    }
    for (const id of Array.from(this.announced)) if (!this.views.has(id)) this.announced.delete(id);
    const fresh = alerts.filter((alert) => !alert.isSeen && !this.announced.has(alert.id))[0];
    if (!fresh) return '';
    this.announced.add(fresh.id);
    return alertPlace(fresh, this.strings, nameOf(fresh)) + ': ' + alertText(fresh, this.strings);
  }
}
