// The menu of files to download.
import { make } from '../common/view.js';

/**
 * Appends the menu, with a text for each format of `root + '/export'`. Returns the links by format.
 * @type {(place: HTMLElement, root: string, strings: import('../common/strings.js').Strings) => Object<string, Element>}
 */
export function makeDownloads(place, root, { download, downloads }) {
  const files = {};
  const menu = make('details', 'downloads', place);
  const opener = make('summary', '', menu);
  opener.textContent = download;
  // Without the triangle of the style sheet.
  opener.setAttribute('aria-label', download);
  const list = make('ul', '', menu);
  for (const format of Object.keys(downloads)) {
    const link = make('a', 'file', make('li', '', list));
    files[format] = link;
    link.href = root + '/export?format=' + format;
    link.textContent = downloads[format];
    link.setAttribute('download', '');
  }
  // The menu closes after a choice, with Escape, and when something else is pressed.
  document.addEventListener('click', ({ target }) => {
    if (!menu.contains(target) || target.closest('.file')) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return;
    menu.open = false;
    opener.focus();
  });
  return files;
}
