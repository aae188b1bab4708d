// The words of a race, in English and German. `{}` stands for what is filled in.

const en = {
  none: 'No race yet', noneWhy: 'a coach makes one on the page Coach',
  ready: '{} of {} ready', started: '{} to go for the leader', left: '{} left',
  over: 'Result', underWay: '{} of {} are done', notAll: 'Places so far',
  // The call.
  sitReady: 'Sit ready', attention: 'Attention', row: 'Row', called: 'The start is called',
  // What a lane says in place of figures.
  waiting: 'not ready', armed: 'ready', moved: 'moved early', early: 'false start, {} s early',
  falseStart: 'false start', falseStarts: '{} false starts',
  finished: 'finished', leads: 'leads', level: 'level', away: '{} ago',
  didNotStart: 'did not start', didNotFinish: 'did not finish', scratched: 'taken out',
  place: 'Place', of: 'lane {}', monitorTimes: 'each monitor\u2019s own time',
  monitorMetres: 'each monitor\u2019s own distance',
  stopped: 'stopped after {}', behind: '+{}', aheadBoat: '{} behind the leader',
  boatAhead: '{} ahead of the leader', boatLevel: 'level with the leader', boat: 'pace boat',
  finish: 'finish',
  // What a coach does.
  start: 'Start', startWithout: 'Start without {}', arm: 'Set again', recall: 'Call back',
  end: 'End the race', takeOut: 'Take out\u2026', choose: 'Tap who is taken out', keep: 'Nobody',
  sure: 'Sure: {}', again: 'New race', sheet: 'CSV', print: 'Print', fixed: 'Fixed lanes',
  byPlace: 'By place', toRace: 'See the race', takeOutOf: 'Take out {}',
  // Making one.
  make: 'Race\u2026', title: 'Race', name: 'Name (may stay empty)', kind: 'What ends it',
  distance: 'Distance, m', time: 'Time, min:s', pace: 'Pace boat, min:s (may stay empty)',
  paceName: 'Its name', order: 'Lanes', makeIt: 'Race of {}', two: 'Choose two monitors',
  endAndRace: 'End and race',
};

const de = {
  none: 'Noch kein Rennen', noneWhy: 'ein Trainer legt eines auf der Seite Trainer an',
  ready: '{} von {} bereit', started: 'Spitze noch {}', left: 'noch {}',
  over: 'Ergebnis', underWay: '{} von {} sind im Ziel', notAll: 'Zwischenstand',
  sitReady: 'Bereit machen', attention: 'Achtung', row: 'Los', called: 'Der Start läuft',
  waiting: 'nicht bereit', armed: 'bereit', moved: 'zu früh', early: 'Fehlstart, {} s zu früh',
  falseStart: 'Fehlstart', falseStarts: '{} Fehlstarts',
  finished: 'im Ziel', leads: 'führt', level: 'gleichauf', away: 'vor {}',
  didNotStart: 'nicht gestartet', didNotFinish: 'nicht im Ziel', scratched: 'herausgenommen',
  place: 'Platz', of: 'Bahn {}', monitorTimes: 'Zeit des eigenen Monitors',
  monitorMetres: 'Strecke des eigenen Monitors',
  stopped: 'aufgehört nach {}', behind: '+{}', aheadBoat: '{} hinter der Spitze',
  boatAhead: '{} vor der Spitze', boatLevel: 'gleichauf mit der Spitze', boat: 'Tempoboot',
  finish: 'Ziel',
  start: 'Start', startWithout: 'Start ohne {}', arm: 'Neu einstellen', recall: 'Zurückrufen',
  end: 'Rennen beenden', takeOut: 'Herausnehmen\u2026', choose: 'Antippen, wer herausgenommen wird',
  keep: 'Niemand', sure: 'Sicher: {}', again: 'Neues Rennen', sheet: 'CSV', print: 'Drucken',
  fixed: 'Feste Bahnen', byPlace: 'Nach Platz', toRace: 'Zum Rennen',
  takeOutOf: '{} herausnehmen',
  make: 'Rennen\u2026', title: 'Rennen', name: 'Name (darf leer bleiben)', kind: 'Was es beendet',
  distance: 'Strecke, m', time: 'Zeit, min:s', pace: 'Tempoboot, min:s (darf leer bleiben)',
  paceName: 'Sein Name', order: 'Bahnen', makeIt: 'Rennen mit {}', two: 'Zwei Monitore wählen',
  endAndRace: 'Beenden und rennen',
};

/** Those of the language that `words` has. */
export const raceWords = (words) => (words.lang === 'de' ? de : en);
