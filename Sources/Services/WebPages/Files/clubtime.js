// Days and times as the clocks of the club show them, wherever the page is looked at.

/** The club's time zone, an IANA name, from the logbook. */
const zone = document.documentElement.dataset.zone || 'UTC';

/** For a browser that does not know the zone: its own time. */
function formatter(form) {
  try {
    return new Intl.DateTimeFormat('en-GB', Object.assign({ timeZone: zone }, form));
  } catch (error) {
    return new Intl.DateTimeFormat('en-GB', form);
  }
}

const times = formatter({ hour: '2-digit', minute: '2-digit', hour12: false });
const days = formatter({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** `18:42` of a moment in Unix milliseconds. */
export const timeOfDay = (milliseconds) => times.format(milliseconds).replace(/^24/, '00');

/** The day of a moment in Unix milliseconds: `2026-11-22`. */
export const dayText = (milliseconds) => days.format(milliseconds).split('/').reverse().join('-');

/** Midnight in UTC of a day that is written as `2026-11-22`: how pages count days. */
export const midnight = (day) => Date.parse(day + 'T00:00:00Z');
