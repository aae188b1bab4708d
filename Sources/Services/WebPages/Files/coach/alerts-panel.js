// The alerts panel of the coach's page: one row for each alert, and one for the same alert of several ergs. Each
// row has a button that acknowledges all of it.
import { alertGroups, alertPlace, alertText, firingAlerts, groupTitle } from '../common/alerts.js';
import { timeOfDay } from '../common/format.js';
import { interpolate } from '../common/strings.js';
import { arrange, Attribute, make, Text } from '../common/view.js';

/** @typedef {import('../common/strings.js').Strings} Strings */
/** @typedef {import('../common/room.js').Room} Room */
/** @typedef {import('../common/alerts.js').Alert} Alert */

/** One alert of a group: the erg and its value. */
class MemberView {
  constructor() {
    this.element = document.createElement('li');
    this.whose = new Text(make('span', 'whose', this.element));
    this.message = new Text(make('span', 'saying', this.element));
  }

  show(whose, message) {
    this.whose.put(whose);
    this.message.put(message);
  }
}

class AlertGroupView {
  constructor(strings, acknowledge) {
    this.strings = strings;
    this.element = document.createElement('li');
    this.element.className = 'need';
    const text = make('div', 'text', this.element);
    this.title = new Text(make('h3', '', text));
    this.messageElement = make('p', 'saying', text);
    this.message = new Text(this.messageElement);
    this.list = make('ul', 'members', text);
    this.list.setAttribute('role', 'list');
    this.members = new Map();
    this.note = new Text(make('p', 'hint', text));
    this.button = make('button', '', this.element);
    this.button.type = 'button';
    this.label = new Attribute(this.button, 'aria-label');
    this.looks = ['severity', 'seen'].map((name) => new Attribute(this.element, 'data-' + name));
    this.button.addEventListener('click', async () => {
      this.button.disabled = true;
      await acknowledge(this.alerts);
      this.button.disabled = false;
    });
  }

  /** Shows `title`, and the value of one alert or those of several. `nameOf` returns an alert's athlete. */
  show(title, alerts, nameOf, offset) {
    this.alerts = alerts;
    const { strings } = this;
    const [first] = alerts;
    this.looks[0].put(first.severity === 'critical' ? 'critical' : 'warning');
    this.looks[1].put(first.isSeen ? 'yes' : '');
    this.title.put(title);
    const isGroup = alerts.length > 1;
    if (this.messageElement.hidden !== isGroup) this.messageElement.hidden = isGroup;
    const text = alertText(first, strings);
    this.message.put(isGroup ? '' : text);
    this.showMembers(isGroup ? alerts : [], nameOf);
    const time = interpolate(strings.sinceTime, timeOfDay(Math.min(...alerts.map((one) => one.at))));
    this.note.put([offset === null ? '' : time, seenText(alerts, strings)].filter(Boolean).join(' \u00b7 '));
    this.label.put(interpolate(strings.acknowledgeAlert, isGroup ? title : title + ', ' + text));
    const button = isGroup ? strings.acknowledgeAll : strings.acknowledge;
    if (this.button.textContent !== button) this.button.textContent = button;
    if (this.button.hidden !== first.isSeen) this.button.hidden = first.isSeen;
  }

  showMembers(alerts, nameOf) {
    arrange(this.list, this.members, alerts.map((one) => one.id), () => new MemberView());
    for (const one of alerts) {
      this.members.get(one.id).show(alertPlace(one, this.strings, nameOf(one)), alertText(one, this.strings));
    }
  }
}

/** Who acknowledged alerts; empty if nobody did. */
function seenText(alerts, strings) {
  if (!alerts[0].isSeen) return '';
  const names = Array.from(new Set(alerts.map((one) => one.by).filter(Boolean)));
  return names.length ? interpolate(strings.acknowledgedBy, names.join(', ')) : strings.acknowledged;
}

/** The panel. If there is room next to the table, it also shows that there are no alerts. */
export class AlertsView {
  /** `acknowledge(alerts)` sends the commands. */
  constructor(panel, list, strings, acknowledge) {
    Object.assign(this, { panel, list, strings, acknowledge });
    this.views = new Map();
    // Ids of alerts that were announced to screen readers.
    this.announced = new Set();
  }

  /** Shows the alerts. Returns the text to announce: the first new alert, or an empty text. */
  show(room, lines, isAway, now) {
    const { strings } = this;
    const alerts = firingAlerts(room, now);
    const groups = alertGroups(alerts);
    // Without a connection, "no alerts" would be a guess: the panel is hidden.
    const isHidden = alerts.length === 0 && (isAway || lines.size === 0);
    if (this.panel.hidden !== isHidden) this.panel.hidden = isHidden;
    this.panel.classList.toggle('calm', alerts.length === 0);
    arrange(this.list, this.views, groups.map((group) => group.id),
      () => new AlertGroupView(strings, this.acknowledge));
    const nameOf = (alert) => (lines.has(alert.key) ? lines.get(alert.key).name : '');
    const titleOf = (group) => (group.alerts.length > 1 ? groupTitle(group, strings)
      : alertPlace(group.alerts[0], strings, nameOf(group.alerts[0])));
    for (const group of groups) {
      this.views.get(group.id).show(titleOf(group), group.alerts, nameOf, room.serverOffset);
    }
    return this.announcement(groups, nameOf);
  }

  /** A group is announced as a whole when one of its alerts is new. */
  announcement(groups, nameOf) {
    const ids = new Set();
    for (const { alerts } of groups) for (const { id } of alerts) ids.add(id);
    for (const id of Array.from(this.announced)) if (!ids.has(id)) this.announced.delete(id);
    const fresh = groups.filter(({ alerts }) =>
      alerts.some((one) => !one.isSeen && !this.announced.has(one.id)))[0];
    if (!fresh) return '';
    for (const { id } of fresh.alerts) this.announced.add(id);
    if (fresh.alerts.length > 1) return groupTitle(fresh, this.strings);
    const [alert] = fresh.alerts;
    return alertPlace(alert, this.strings, nameOf(alert)) + ': ' + alertText(alert, this.strings);
  }
}
