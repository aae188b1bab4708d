// The words of a race, in English and German. `{}` stands for what is filled in.

const en = {
  none: 'No race yet', noneWhy: 'Coaches create races on the Coach page',
  ready: '{} of {} ready', started: '{} to go for the leader', left: '{} left',
  over: 'Result', underWay: '{} of {} finished', notAll: 'Places so far',
  // The call.
  sitReady: 'Sit ready', attention: 'Attention', row: 'Row', called: 'The start is called',
  // What a lane says in place of figures.
  waiting: 'not ready', armed: 'ready', moved: 'moved early', early: 'false start, {} s early',
  falseStart: 'false start', falseStarts: '{} false starts',
  finished: 'finished', leads: 'leads', level: 'level', away: '{} ago',
  didNotStart: 'did not start', didNotFinish: 'did not finish', scratched: 'scratched',
  place: 'Place', of: 'lane {}', monitorTimes: 'each monitor\u2019s own time',
  monitorMetres: 'each monitor\u2019s own distance',
  stopped: 'stopped after {}', behind: '+{}', aheadBoat: '{} behind the leader',
  boatAhead: '{} ahead of the leader', boatLevel: 'level with the leader', boat: 'pace boat',
  finish: 'finish',
  // What a coach does.
  start: 'Start', startWithout: 'Start without {}', arm: 'Reset monitors', recall: 'Recall',
  end: 'End the race', takeOut: 'Scratch\u2026', choose: 'Tap who is scratched', keep: 'Nobody',
  sure: 'Sure: {}', again: 'New race', sheet: 'CSV', print: 'Print', fixed: 'Fixed lanes',
  byPlace: 'By place', toRace: 'See the race', takeOutOf: 'Scratch {}',
  // Making one.
  make: 'Race\u2026', title: 'Race', name: 'Name (optional)', kind: 'What ends it',
  distance: 'Distance, m', time: 'Time, min:s', pace: 'Pace boat, min:s (optional)',
  paceName: 'Pace boat name', order: 'Lanes', makeIt: 'Race of {}', two: 'Choose at least two',
  endAndRace: 'End and race',
};

const de = {
  none: 'Noch kein Rennen', noneWhy: 'Trainer legen Rennen auf der Seite Trainer an',
  ready: '{} von {} bereit', started: 'Spitze noch {}', left: 'noch {}',
  over: 'Ergebnis', underWay: '{} von {} sind im Ziel', notAll: 'Zwischenstand',
  sitReady: 'Bereit machen', attention: 'Achtung', row: 'Los', called: 'Der Start läuft',
  waiting: 'nicht bereit', armed: 'bereit', moved: 'zu früh', early: 'Fehlstart, {} s zu früh',
  falseStart: 'Fehlstart', falseStarts: '{} Fehlstarts',
  finished: 'im Ziel', leads: 'führt', level: 'gleichauf', away: 'vor {}',
  didNotStart: 'nicht gestartet', didNotFinish: 'nicht im Ziel', scratched: 'abgemeldet',
  place: 'Platz', of: 'Bahn {}', monitorTimes: 'Zeit des eigenen Monitors',
  monitorMetres: 'Strecke des eigenen Monitors',
  stopped: 'aufgehört nach {}', behind: '+{}', aheadBoat: '{} hinter der Spitze',
  boatAhead: '{} vor der Spitze', boatLevel: 'gleichauf mit der Spitze', boat: 'Tempoboot',
  finish: 'Ziel',
  start: 'Start', startWithout: 'Start ohne {}', arm: 'Monitore zurücksetzen', recall: 'Zurückrufen',
  end: 'Rennen beenden', takeOut: 'Abmelden\u2026', choose: 'Antippen, wer abgemeldet wird',
  keep: 'Niemand', sure: 'Sicher: {}', again: 'Neues Rennen', sheet: 'CSV', print: 'Drucken',
  fixed: 'Feste Bahnen', byPlace: 'Nach Platz', toRace: 'Zum Rennen',
  takeOutOf: '{} abmelden',
  make: 'Rennen\u2026', title: 'Rennen', name: 'Name (optional)', kind: 'Was es beendet',
  distance: 'Strecke, m', time: 'Zeit, min:s', pace: 'Tempoboot, min:s (optional)',
  paceName: 'Name des Tempoboots', order: 'Bahnen', makeIt: 'Rennen mit {}', two: 'Mindestens zwei wählen',
  endAndRace: 'Beenden und rennen',
};

/** Those of the language that `words` has. */
export const raceWords = (words) => (words.lang === 'de' ? de : en);
