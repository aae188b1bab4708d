// Days and times in the club's time zone, wherever the browser is.

/** The club's time zone: an IANA name that the logbook puts into the page. */
const zone = document.documentElement.dataset.zone || 'UTC';

/** A browser that does not know the zone falls back to its own. */
function formatter(form) {
  try {
    return new Intl.DateTimeFormat('en-GB', Object.assign({ timeZone: zone }, form));
  } catch (error) {
    return new Intl.DateTimeFormat('en-GB', form);
  }
}

const times = formatter({ hour: '2-digit', minute: '2-digit', hour12: false });
const days = formatter({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** `18:42` for a moment in Unix milliseconds. */
export const timeOfDay = (milliseconds) => times.format(milliseconds).replace(/^24/, '00');

/** `2026-11-22` for a moment in Unix milliseconds. */
export const dayText = (milliseconds) => days.format(milliseconds).split('/').reverse().join('-');

/** Midnight in UTC of a day such as `2026-11-22`: pages count days this way. */
export const midnight = (day) => Date.parse(day + 'T00:00:00Z');
