// An invitation: the QR code and the link that sign a device in.
import { add, button, field, openDialog } from './dialog.js';
import { timeOfDay } from './format.js';
import { shortDayOf } from './page.js';
import { interpolate } from './strings.js';

/** @typedef {import('./strings.js').Strings} Strings */
/** @typedef {{ size: number, path: string }} QRCode Dark modules as the path of an SVG with `size` units. */
/** @typedef {{ name: string, link: string, expires_ms: number, qr: QRCode }} Invitation */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Appends a QR code, dark on white in both themes, with a text for screen readers.
 * @type {(parent: Element, qr: ?QRCode, label: string) => void}
 */
export function addQRCode(parent, qr, label) {
  if (!qr) return;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 ' + qr.size + ' ' + qr.size);
  svg.setAttribute('class', 'qr');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  svg.setAttribute('shape-rendering', 'crispEdges');
  for (const [d, color] of [['M0 0H' + qr.size + 'V' + qr.size + 'H0z', '#fff'], [qr.path, '#000']]) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    path.setAttribute('fill', color);
    svg.appendChild(path);
  }
  parent.appendChild(svg);
}

/**
 * Whether an address leads to the own machine on every device, so that a phone cannot use it.
 * @type {(link: string) => boolean}
 */
export const isLocal = (link) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(link);

/**
 * Appends a link with a button that copies it, and the button that closes the dialog.
 * @type {(body: Element, strings: Strings, address: string, close: () => void) => void}
 */
export function addLink(body, strings, address, close) {
  if (isLocal(address)) add('p', 'warning', body, strings.localAddress);
  const link = field(body, strings.link, { readonly: '' });
  link.value = address;
  link.addEventListener('focus', () => link.select());
  const buttons = add('div', 'buttons', body);
  const copy = button(buttons, strings.copyLink, () => {
    link.select();
    // Pages without TLS have no clipboard of their own.
    if (document.execCommand('copy')) copy.textContent = strings.copied;
  });
  copy.setAttribute('aria-live', 'polite');
  copy.setAttribute('data-first', '');
  button(buttons, strings.done, close, 'main');
}

/**
 * Shows a new invitation.
 * @type {(strings: Strings, invitation: Invitation) => void}
 */
export function openInvitation(strings, invitation) {
  openDialog(interpolate(strings.invitationFor, invitation.name), (body, close) => {
    addQRCode(body, invitation.qr, strings.invitationCode);
    const until = shortDayOf(invitation.expires_ms) + ', ' + timeOfDay(invitation.expires_ms);
    add('p', 'hint', body, interpolate(strings.invitationHint, until));
    addLink(body, strings, invitation.link, close);
  });
}
