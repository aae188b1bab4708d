// The settings of this browser are cookies. rowgate-logbook reads language and theme to build each page
// (`PageAppearance`); pages read the others.

/**
 * The values of each setting, besides the automatic one.
 * @type {Object<string, string[]>}
 */
export const SETTINGS = { language: ['en', 'de'], theme: ['light', 'dark'], value: ['power'] };

/** How long a browser keeps a setting: seconds. */
const A_YEAR = 365 * 86400;

/**
 * The chosen value of a setting; empty if it is automatic.
 * @type {(name: string, cookies: string) => string}
 */
export function chosenValue(name, cookies) {
  const found = new RegExp('(?:^|; )rowgate-' + name + '=(\\w+)').exec(cookies);
  return found && SETTINGS[name].indexOf(found[1]) >= 0 ? found[1] : '';
}

/**
 * The cookie that stores a setting; an empty value removes it.
 * @type {(name: string, value: string) => string}
 */
export function settingCookie(name, value) {
  return 'rowgate-' + name + '=' + value + '; Path=/; Max-Age=' + (value ? A_YEAR : 0) + '; SameSite=Strict';
}
