// Check-in on a room device, a tablet for everybody in the room: one tile per erg, with its athlete.
import { get, post, remove, requestError } from '../common/api-client.js';
import { openAthletePicker } from '../common/athlete-picker.js';
import { followCode } from '../common/check-in-code.js';
import * as format from '../common/format.js';
import { setAthletes } from '../common/names.js';
import { byId, initPage, strings } from '../common/page.js';
import { newThrottle, RenderLoop } from '../common/render-loop.js';
import { AWAY_AFTER, emptyRoom, inOrder } from '../common/room.js';
import { followRoom } from '../common/stream.js';
import { interpolate } from '../common/strings.js';
import { arrange, Attribute, make, Text } from '../common/view.js';
import { addPieceOnly, confirmChange } from '../coach/assign.js';
import { coachRow } from '../coach/rows.js';
import { header } from '../wall/header.js';
import { tiles } from '../wall/tile.js';

/** How often the names are loaded again: milliseconds. */
const NAMES_EVERY = 300000;

const room = emptyRoom();
const device = newThrottle();
const views = new Map();
const load = new Attribute(document.documentElement, 'data-load');
const texts = {};
for (const id of ['code', 'clock', 'notice', 'hint']) texts[id] = new Text(byId(id));
/** The ergs as they are shown, by key. */
let lines = new Map();

initPage(strings.checkIn);
byId('title').textContent = strings.checkIn;
const root = document.documentElement;
addEventListener('keydown', () => root.setAttribute('data-keys', ''));
addEventListener('pointerdown', () => root.removeAttribute('data-keys'));

// ---- Names

async function loadNames() {
  const { status, content } = await get('/api/v1/check-in/athletes');
  if (status === 200) setAthletes(content.athletes);
  byId('refusal').textContent = status === 200 ? '' : requestError(content, strings);
  frames.requestFrame();
}

// ---- Assigning

/** Opens the choice of the athlete at an erg. Asks before the athlete changes in the middle of a piece. */
function openErg(line) {
  let box = null;
  openAthletePicker(strings, interpolate(strings.assignTitle, line.place), line.athleteId, async (id) => {
    const isForPiece = box.checked;
    const change = () => assign(line, id, isForPiece);
    if (id === line.athleteId) return change();
    const now = lines.get(line.key) || line;
    const other = Array.from(lines.values())
      .filter((one) => id && one.key !== line.key && one.athleteId === id && one.isActive)[0];
    if (now.isActive) confirmChange(strings, now, id, change);
    else if (other) confirmChange(strings, other, '', change);
    else return change();
    return '';
  }, {
    isFixed: true, load: loadNames, more: (form) => {
      box = addPieceOnly(strings, form);
      // On a shared tablet, athletes forget to clear the erg.
      box.checked = true;
    },
  });
}

/** Returns an error text. The change itself comes with the state of the erg. */
async function assign(line, id, isForPiece) {
  const path = '/api/v1/ergs/' + line.gw + '/' + line.slug + '/assignment';
  const fields = { athlete_id: id };
  if (isForPiece) fields.until = 'session_end';
  // The user saw the other athlete on this page. Otherwise the logbook refuses.
  if (line.athleteId) fields.replace = true;
  const { status, content } = await (id ? post(path, fields) : remove(path));
  return status === 202 ? '' : requestError(content, strings);
}

// ---- Drawing

class ErgView {
  constructor(key) {
    this.element = document.createElement('li');
    const button = make('button', '', this.element);
    button.type = 'button';
    button.addEventListener('click', () => openErg(lines.get(key)));
    this.place = new Text(make('span', 'place', button));
    const who = make('span', 'who', button);
    who.dir = 'auto';
    this.who = new Text(who);
    this.status = new Text(make('span', 'status', button));
    this.nobody = new Attribute(button, 'data-nobody');
    this.active = new Attribute(button, 'data-active');
  }

  show(line) {
    this.place.put(format.ergName(line.slug, strings.erg));
    this.who.put(line.isNobody ? strings.chooseAthlete : line.name);
    this.status.put(statusOf(line));
    this.nobody.put(line.isNobody ? 'yes' : '');
    this.active.put(line.isActive ? 'yes' : '');
  }
}

/** The state of the erg, if it matters for the choice. */
function statusOf(line) {
  if (line.isActive) return strings.rowsHere;
  return line.isThere ? '' : line.shortly;
}

function draw(now) {
  const isAway = room.receivedAt !== null && now - room.receivedAt > AWAY_AFTER;
  const view = { strings, now, moves: false, serverOffset: room.serverOffset, isAway };
  const ergs = inOrder(room);
  const shown = tiles(ergs, room, view, () => null);
  lines = new Map(shown.map((tile, index) => [tile.key, coachRow(tile, ergs[index], room, view)]));
  arrange(byId('ergs'), views, Array.from(lines.keys()), (key) => new ErgView(key));
  for (const [key, line] of lines) views.get(key).show(line);
  const top = header(room, shown, view);
  texts.clock.put(top.clock);
  texts.notice.put(top.notice ? top.notice.text : '');
  texts.hint.put(ergs.length ? strings.roomHint : room.receivedAt === null ? '' : strings.noErgs);
  return false;
}

const frames = new RenderLoop(device, draw, () => load.put(String(device.level)));
followRoom(room, () => frames.requestFrame());
followCode((code) => texts.code.put(code ? interpolate(strings.checkInCode, code) : ''));
loadNames();
setInterval(loadNames, NAMES_EVERY);
