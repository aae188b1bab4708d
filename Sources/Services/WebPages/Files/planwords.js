// The words of the page of plans, in English and German; beside those that all pages share.

const en = {
  plan: 'Plan', week: 'Week of {}', earlier: 'Earlier', later: 'Later', today: 'today',
  workouts: ['one workout', '{} workouts'], people: ['one athlete', '{} athletes'],
  nobody: 'for nobody yet: choose the group', nothing: 'Nothing is planned in these weeks.',
  span: '{} to {}',
  takeFile: 'Import a file\u2026', group: 'Group\u2026', remove: 'Remove\u2026',
  asTable: 'CSV', asCalendar: 'Calendar', setNow: 'Set it on the ergs\u2026',
  saveTable: 'Download the plan as CSV', saveCalendar: 'Download the plan as a calendar',
  verdicts: { done: 'done', partly: 'partly', missed: 'missed', ahead: 'upcoming',
    extra: 'also rowed' },
  shortfalls: { shorter: 'shorter', longer: 'longer', fewer_intervals: 'fewer intervals',
    more_intervals: 'more intervals', other_form: 'different format' },
  everybody: 'everybody',
  howDone: ['What counts as done', 'Computed from the most similar session of its day. '
    + 'Done: the same form and number of intervals, each within 5 % of its length. Partly: 25 to 200 % '
    + 'of it. Where a machine is named, on that alone.'],
  looking: 'Looking for the ergs', noErgs: 'No ergs yet.',
  sent: 'It is sent. What each monitor makes of it is on the coach\u2019s page.',
  importTitle: 'Import a plan', file: 'File: CSV, or a calendar (.ics)',
  id: 'Short name: a-z, 0-9 and -', name: 'Title (optional)',
  takesPlace: 'The workouts of {} are replaced; its group stays.', take: 'Import',
  noFile: 'Choose a file that ends with .csv or .ics.',
  badId: 'The short name has 1 to 32 of a-z, 0-9 and -.',
  tooLong: 'The file is too long for this page. Where the logbook runs, rowgate-logbook plan '
    + 'import takes longer ones.',
  groupTitle: 'Who rows {}', groupName: 'Group name (optional)',
  members: 'Athletes', others: 'Others, with commas between', save: 'Save',
  removeTitle: 'Remove {}?', removeWhy: 'What was rowed stays. The plan can be imported again from '
    + 'a file that was downloaded.', removeIt: 'Remove the plan',
  ownPlans: 'The plans that your coach makes for you appear here.',
  told: { noPlans: ['No plan yet',
    'import one as a table with the columns day and workout, or as a calendar'],
  noPlan: ['No such plan', 'it was removed, or the link is incomplete'],
  refused: ['Not signed in', 'Coaches see all plans. Athletes see the plans of their groups.'] },
  planned: 'Planned', next: 'next: {}', noneAhead: 'nothing upcoming',
  recent: 'last four weeks: {}', nothingRecent: 'nothing yet',
};

const de = {
  plan: 'Plan', week: 'Woche vom {}', earlier: 'Fr\u00fcher', later: 'Sp\u00e4ter', today: 'heute',
  workouts: ['ein Training', '{} Trainings'], people: ['ein Athlet', '{} Athleten'],
  nobody: 'noch f\u00fcr niemanden: die Gruppe w\u00e4hlen',
  nothing: 'In diesen Wochen ist nichts geplant.', span: '{} bis {}',
  takeFile: 'Datei einlesen\u2026', group: 'Gruppe\u2026', remove: 'Entfernen\u2026',
  asTable: 'CSV', asCalendar: 'Kalender', setNow: 'Auf die Ergos setzen\u2026',
  saveTable: 'Den Plan als CSV herunterladen', saveCalendar: 'Den Plan als Kalender herunterladen',
  verdicts: { done: 'erledigt', partly: 'teilweise', missed: 'verpasst', ahead: 'steht an',
    extra: 'au\u00dferdem' },
  shortfalls: { shorter: 'k\u00fcrzer', longer: 'l\u00e4nger',
    fewer_intervals: 'weniger Intervalle', more_intervals: 'mehr Intervalle',
    other_form: 'anderes Format' },
  everybody: 'alle',
  howDone: ['Was als erledigt gilt', 'Berechnet aus der \u00e4hnlichsten Einheit des Tages. '
    + 'Erledigt: dieselbe Form und Zahl der Intervalle, jedes bis auf 5 % so lang. Teilweise: 25 bis '
    + '200 % davon. Wo ein Ger\u00e4t genannt ist, nur darauf.'],
  looking: 'Die Ergos werden gesucht', noErgs: 'Noch keine Ergos.',
  sent: 'Es ist gesendet. Was jeder Monitor daraus macht, steht auf der Trainerseite.',
  importTitle: 'Einen Plan einlesen', file: 'Datei: CSV, oder ein Kalender (.ics)',
  id: 'Kurzname: a-z, 0-9 und -', name: 'Titel (optional)',
  takesPlace: 'Die Trainings von {} werden ersetzt; die Gruppe bleibt.', take: 'Einlesen',
  noFile: 'Eine Datei w\u00e4hlen, die auf .csv oder .ics endet.',
  badId: 'Der Kurzname hat 1 bis 32 Zeichen aus a-z, 0-9 und -.',
  tooLong: 'Die Datei ist zu lang f\u00fcr diese Seite. Wo das Logbuch l\u00e4uft, nimmt '
    + 'rowgate-logbook plan import l\u00e4ngere.',
  groupTitle: 'Wer {} rudert', groupName: 'Name der Gruppe (optional)',
  members: 'Athleten', others: 'Weitere, mit Kommas dazwischen', save: 'Speichern',
  removeTitle: '{} entfernen?', removeWhy: 'Was gerudert wurde, bleibt. Aus einer '
    + 'heruntergeladenen Datei l\u00e4sst sich der Plan wieder einlesen.',
  removeIt: 'Den Plan entfernen',
  ownPlans: 'Hier erscheinen die Pl\u00e4ne, die ein Trainer erstellt.',
  told: { noPlans: ['Noch kein Plan',
    'einen einlesen, als Tabelle mit den Spalten day und workout oder als Kalender'],
  noPlan: ['Kein solcher Plan', 'er wurde entfernt, oder der Link ist unvollst\u00e4ndig'],
  refused: ['Nicht angemeldet',
    'Trainer sehen alle Pl\u00e4ne, Athleten die Pl\u00e4ne ihrer Gruppen.'] },
  planned: 'Geplant', next: 'als N\u00e4chstes: {}', noneAhead: 'nichts steht an',
  recent: 'letzte vier Wochen: {}', nothingRecent: 'noch nichts',
};

/** All words of the page: its own, and those that all pages share. */
export function planWords(shared) {
  const own = shared.lang === 'de' ? de : en;
  return Object.assign({}, shared, own, { told: Object.assign({}, shared.told, own.told) });
}
