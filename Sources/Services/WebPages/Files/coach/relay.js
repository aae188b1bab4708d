// The dialog that moves a relay for phone apps to another monitor. It is loaded on first use.
import { add, addRefusal, button, openDialog } from '../common/dialog.js';
import { line as textOf, place } from '../common/format.js';
import { interpolate } from '../common/strings.js';

/** @typedef {import('../common/strings.js').Strings} Strings */

/** Where a relay is: `hci1: Erg 2, a phone is connected`. */
function relayPlace(relay, strings) {
  const erg = relay.erg ? interpolate(strings.onErg, place(String(relay.erg))) : strings.relayFree;
  return textOf(relay.adapter, 32) + ': ' + erg
    + (relay.state === 'connected' ? ', ' + strings.relayPhone : '');
}

/**
 * Opens the dialog for the erg of `line`. `send(verb, lines, fields)` returns an error text or an empty one.
 * @type {(strings: Strings, line: object, send: Function) => void}
 */
export function openRelay(strings, line, send) {
  const [own] = line.relays.filter((one) => one.erg === line.slug);
  openDialog(strings.relay.replace('\u2026', ''), (body, close) => {
    add('p', '', body, strings.relayHint);
    const refusal = addRefusal(body);
    const choose = (relay, fields) => async () => {
      // The text shows whether a phone is connected, so the button is the confirmation.
      const isUsed = relay.state === 'connected' || own && own.state === 'connected';
      refusal.textContent = await send('relay', [line],
        Object.assign(fields, isUsed ? { force: true } : {}));
      if (!refusal.textContent) close();
    };
    for (const relay of line.relays) add('p', 'hint', body, relayPlace(relay, strings));
    if (line.relays.some((one) => one.state === 'connected')) add('p', '', body, strings.relayDisconnects);
    const buttons = add('div', 'buttons', body);
    button(buttons, strings.cancel, close);
    if (own) {
      button(buttons, strings.relayEnd, choose(own, { off: true }), 'main');
      return;
    }
    for (const relay of line.relays) {
      const name = line.relays.length === 1 ? strings.relayHere
        : interpolate(strings.relayHereWith, textOf(relay.adapter, 32));
      button(buttons, name, choose(relay, { adapter: relay.adapter }), 'main');
    }
  });
}
