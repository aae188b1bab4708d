// What needs a person: the alerts that fire, each with a button that says somebody has seen it.
import { firing, saying, whose } from './alerts.js';
import { timeOfDay } from './clubtime.js';
import { Attribute, Text, arrange, make } from './view.js';
import { fill } from './words.js';

class NeedView {
  constructor(words, acknowledge) {
    this.words = words;
    this.element = document.createElement('li');
    this.element.className = 'need';
    const text = make('div', 'text', this.element);
    this.whose = new Text(make('h3', '', text));
    this.saying = new Text(make('p', 'saying', text));
    this.note = new Text(make('p', 'hint', text));
    this.button = make('button', '', this.element);
    this.button.type = 'button';
    this.button.textContent = words.seen;
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
    const { words } = this;
    this.looks[0].put(alert.severity === 'critical' ? 'critical' : 'warning');
    this.looks[1].put(alert.isSeen ? 'yes' : '');
    const said = saying(alert, words);
    this.whose.put(whose(alert, words, name));
    this.saying.put(said);
    const time = fill(words.sinceTime, timeOfDay(alert.at));
    const seen = alert.isSeen && (alert.by ? fill(words.seenBy, alert.by) : words.seenAlready);
    this.note.put([offset === null ? '' : time, seen].filter(Boolean).join(' \u00b7 '));
    this.label.put(fill(words.seenOf, this.whose.node.data + ', ' + said));
    if (this.button.hidden !== alert.isSeen) this.button.hidden = alert.isSeen;
  }
}

/** The panel; where there is room beside the table it says that nothing fires. */
export class NeedsView {
  constructor(panel, list, words, acknowledge) {
    Object.assign(this, { panel, list, words, acknowledge });
    this.views = new Map();
    // Alerts that were read aloud.
    this.told = new Set();
  }

  /** Returns what is to be read aloud: an alert that was not there before. */
  show(room, lines, isAway) {
    const alerts = firing(room);
    // Of a room that is not heard nobody can say that all is well.
    const isHidden = alerts.length === 0 && (isAway || lines.size === 0);
    if (this.panel.hidden !== isHidden) this.panel.hidden = isHidden;
    this.panel.classList.toggle('calm', alerts.length === 0);
    arrange(this.list, this.views, alerts.map((alert) => alert.id),
      () => new NeedView(this.words, this.acknowledge));
    const nameOf = (alert) => (lines.has(alert.key) ? lines.get(alert.key).name : '');
    for (const alert of alerts) {
      this.views.get(alert.id).show(alert, nameOf(alert), room.serverOffset);
    }
    for (const id of Array.from(this.told)) if (!this.views.has(id)) this.told.delete(id);
    const fresh = alerts.filter((alert) => !alert.isSeen && !this.told.has(alert.id))[0];
    if (!fresh) return '';
    this.told.add(fresh.id);
    return whose(fresh, this.words, nameOf(fresh)) + ': ' + saying(fresh, this.words);
  }
}
