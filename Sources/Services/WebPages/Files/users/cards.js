// Cards to print for the ergs of a gateway: the address of each erg as a QR code.
import { get } from '../common/api-client.js';
import { button } from '../common/dialog.js';
import { ergName } from '../common/format.js';
import { addQRCode, isLocal } from '../common/invitation.js';
import { makeHeader, PageStatus, statusOf } from '../common/page-frame.js';
import { byId, initPage, queryParam, strings } from '../common/page.js';
import { interpolate } from '../common/strings.js';
import { make } from '../common/view.js';

initPage(strings.ergCards);
makeHeader('/gateways');
byId('title').textContent = strings.ergCards;
const pageStatus = new PageStatus(load);
button(byId('doing'), strings.print, () => print(), 'main');

async function load() {
  const path = '/api/v1/gateways/' + encodeURIComponent(queryParam('gw')) + '/cards?address='
    + encodeURIComponent(location.origin);
  const answer = await get(path);
  const isKnown = answer.status === 200;
  const cards = isKnown ? answer.content.cards : [];
  pageStatus.show(!isKnown ? statusOf(answer) : cards.length ? '' : 'noErgs');
  byId('doing').hidden = !cards.length;
  byId('hint').textContent = !cards.length ? ''
    : isLocal(cards[0].link) ? strings.localAddress : strings.ergCardsHint;
  byId('cards').textContent = '';
  for (const card of cards) draw(make('article', '', byId('cards')), card);
}

function draw(place, { erg, link, qr }) {
  const name = ergName(erg, strings.erg);
  make('h2', '', place).textContent = name;
  addQRCode(place, qr, interpolate(strings.ergCardOf, name));
  make('p', '', place).textContent = strings.ergCardText;
  make('p', 'link', place).textContent = link;
}

load();
