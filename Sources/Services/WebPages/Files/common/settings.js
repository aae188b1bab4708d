// The settings of this browser: language and theme. They are cookies, because rowgate-logbook reads them to build
// each page (`PageAppearance`).
import { add, addForm, openDialog } from './dialog.js';
import { currentAddress, strings } from './page.js';

/** The values of each setting, besides the automatic one. */
const VALUES = { language: ['en', 'de'], theme: ['light', 'dark'] };

/** How long a browser keeps a setting: seconds. */
const A_YEAR = 365 * 86400;

/**
 * The chosen value of a setting; empty if it is automatic.
 * @type {(name: string, cookies: string) => string}
 */
export function chosenValue(name, cookies) {
  const found = new RegExp('(?:^|; )rowgate-' + name + '=(\\w+)').exec(cookies);
  return found && VALUES[name].indexOf(found[1]) >= 0 ? found[1] : '';
}

/**
 * The cookie that stores a setting; an empty value removes it.
 * @type {(name: string, value: string) => string}
 */
export function settingCookie(name, value) {
  return 'rowgate-' + name + '=' + value + '; Path=/; Max-Age=' + (value ? A_YEAR : 0) + '; SameSite=Strict';
}

/**
 * Opens the dialog with the settings. The page is loaded again when they are saved.
 * @type {() => void}
 */
export function openSettings() {
  const texts = strings.settings;
  openDialog(texts.title, (body, close) => {
    const fields = addForm(body, strings, texts.save, close, async () => {
      for (const name of Object.keys(VALUES)) document.cookie = settingCookie(name, choices[name].value);
      location.replace(currentAddress());
      return '';
    });
    const choices = {};
    for (const [name, title, automatic] of [
      ['language', texts.language, texts.languageAutomatic], ['theme', texts.theme, texts.themeAutomatic]]) {
      const label = add('label', 'field', fields);
      add('span', '', label, title);
      choices[name] = add('select', '', label);
      add('option', '', choices[name], automatic).value = '';
      for (const value of VALUES[name]) add('option', '', choices[name], texts[value]).value = value;
      choices[name].value = chosenValue(name, document.cookie);
    }
    add('p', 'hint', fields, texts.hint);
    // On small screens the header has no name, which leads there.
    const own = document.querySelector('#me a');
    if (own && !own.parentNode.hidden) add('a', '', fields, own.title).href = own.href;
  });
}
