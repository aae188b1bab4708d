// Every word of the pages, in English and German. `{}` stands for what is filled in.

const en = {
  lang: 'en',
  decimal: '.',
  title: 'Wall',
  units: { pace: '/500\u202fm', rate: 'spm', power: 'W', heart: 'bpm', metres: 'm' },
  ages: { s: 's', min: 'min', h: 'h', d: 'd' },
  names: { pace: 'Pace', rate: 'Stroke rate', power: 'Power', heart: 'Heart rate',
    distance: 'Distance', time: 'Time', average: 'Average pace' },
  erg: 'Erg {}',
  room: 'room {}',
  // The large word of a tile without a figure, and what stands below it.
  free: 'free', sit: 'sit down and row', start: 'ready when you are',
  armed: 'ready', row: 'row to start',
  asleep: 'asleep', asleepSince: 'asleep since {}', wakes: 'any button wakes it',
  searching: 'searching', searchingSince: 'searching since {}',
  press: 'press any button on the monitor',
  notHeard: 'not heard yet', wake: 'wake the monitor, disconnect phones from it',
  released: 'with a phone', phone: 'given to a phone app',
  parked: 'not connected', gone: 'gateway away', goneSince: 'gateway away since {}',
  values: 'it comes back by itself, or look at {}',
  // The word in a tile's corner.
  paused: 'paused', finished: 'finished', early: 'stopped early',
  silent: 'not heard for {}', ago: '{} ago',
  lost: 'searching for {}', away: 'gateway away {}',
  rest: 'rest', average: 'average', last: 'last', next: 'next {}',
  whenReady: 'row when you are ready',
  interval: 'interval {}', verified: 'verified', differs: 'differs from the monitor',
  lastResult: 'last {}',
  toGo: '{} to go', soFar: '{} so far',
  // What is rowed.
  justRow: 'Just row', intervals: 'Intervals', each: '{} intervals', workout: 'Workout',
  mixed: 'Different pieces', nobody: 'Nobody is rowing', rowing: '{} of {} rowing',
  // The top line.
  connecting: 'Looking for the logbook',
  logbookAway: 'Logbook away for {} \u00b7 the figures are the last ones heard',
  brokerAway: 'Broker away for {} \u00b7 the figures are the last ones heard',
  gatewayAway: 'Gateway {} away for {}', gatewaysAway: '{} gateways away',
  failed: '{}: nothing is recorded: {}',
  empty: 'No erg has been heard of', emptyWhy: 'they appear when a gateway reaches the broker',
};

const de = {
  lang: 'de',
  decimal: ',',
  title: 'Wand',
  units: { pace: '/500\u202fm', rate: '/min', power: 'W', heart: 'bpm', metres: 'm' },
  ages: { s: 's', min: 'min', h: 'h', d: 'T' },
  names: { pace: 'Tempo', rate: 'Schlagzahl', power: 'Leistung', heart: 'Puls',
    distance: 'Strecke', time: 'Zeit', average: 'Tempo im Schnitt' },
  erg: 'Ergo {}',
  room: 'Raum {}',
  free: 'frei', sit: 'hinsetzen und losrudern', start: 'einfach anfangen',
  armed: 'bereit', row: 'losrudern startet',
  asleep: 'schl\u00e4ft', asleepSince: 'schl\u00e4ft seit {}', wakes: 'jede Taste weckt es',
  searching: 'wird gesucht', searchingSince: 'gesucht seit {}',
  press: 'eine Taste am Monitor dr\u00fccken',
  notHeard: 'noch nicht gefunden', wake: 'Monitor wecken, Handys davon trennen',
  released: 'am Handy', phone: 'f\u00fcr eine Handy-App freigegeben',
  parked: 'nicht verbunden', gone: 'Gateway weg', goneSince: 'Gateway weg seit {}',
  values: 'kommt von selbst wieder, sonst nach {} sehen',
  paused: 'angehalten', finished: 'fertig', early: 'abgebrochen',
  silent: 'seit {} nichts geh\u00f6rt', ago: 'vor {}',
  lost: 'gesucht seit {}', away: 'Gateway weg {}',
  rest: 'Pause', average: 'im Schnitt', last: 'zuletzt', next: 'dann {}',
  whenReady: 'weiter, wenn du willst',
  interval: 'Intervall {}', verified: 'best\u00e4tigt', differs: 'weicht vom Monitor ab',
  lastResult: 'zuletzt {}',
  toGo: 'noch {}', soFar: 'bisher {}',
  justRow: 'Freies Rudern', intervals: 'Intervalle', each: 'Intervalle {}', workout: 'Training',
  mixed: 'Verschiedene St\u00fccke', nobody: 'Niemand rudert', rowing: '{} von {} rudern',
  connecting: 'Das Logbuch wird gesucht',
  logbookAway: 'Logbuch seit {} weg \u00b7 alles steht, wie zuletzt geh\u00f6rt',
  brokerAway: 'Broker seit {} weg \u00b7 alles steht, wie zuletzt geh\u00f6rt',
  gatewayAway: 'Gateway {} seit {} weg', gatewaysAway: '{} Gateways weg',
  failed: '{}: nichts wird aufgezeichnet: {}',
  empty: 'Noch kein Ergo geh\u00f6rt',
  emptyWhy: 'sie erscheinen, sobald ein Gateway den Broker erreicht',
};

/** The words of the first language that is spoken here; English where none is. */
export function words(languages) {
  for (const language of languages) {
    const base = String(language).slice(0, 2).toLowerCase();
    if (base === 'de') return de;
    if (base === 'en') return en;
  }
  return en;
}

/** `text` with each `{}` replaced by the next of `values`. */
export function fill(text, ...values) {
  let index = 0;
  return text.replace(/\{\}/g, () => values[index++]);
}
