// The dialog with the settings of this browser.
import { add, addForm, openDialog } from './dialog.js';
import { club, currentAddress, strings } from './page.js';
import { chosenValue, settingCookie, SETTINGS } from './preferences.js';

/**
 * Opens the dialog with the settings. The page is loaded again when they are saved.
 * @type {() => void}
 */
export function openSettings() {
  const texts = strings.settings;
  openDialog(texts.title, (body, close) => {
    const fields = addForm(body, strings, texts.save, close, async () => {
      for (const name of Object.keys(SETTINGS)) document.cookie = settingCookie(name, choices[name].value);
      location.replace(currentAddress());
      return '';
    });
    const choices = {};
    for (const [name, title, automatic] of [
      ['language', texts.language, texts.languageAutomatic], ['theme', texts.theme, texts.themeAutomatic],
      ['value', texts.value, texts.valueAutomatic]]) {
      const label = add('label', 'field', fields);
      add('span', '', label, title);
      choices[name] = add('select', '', label);
      add('option', '', choices[name], automatic).value = '';
      for (const value of SETTINGS[name]) add('option', '', choices[name], texts[value]).value = value;
      choices[name].value = chosenValue(name, document.cookie);
    }
    add('p', 'hint', fields, texts.hint);
    const zone = document.documentElement.getAttribute('data-zone');
    add('p', 'hint', fields, (club ? texts.club + ': ' + club + ' \u00b7 ' : '') + texts.zone + ': ' + zone + '. '
      + texts.clubHint).id = 'club-settings';
    // On small screens the header has no name, which leads there.
    const own = document.querySelector('#me a');
    if (own && !own.parentNode.hidden) add('a', '', fields, own.title).href = own.href;
  });
}
