// The header of pages other than the wall: navigation, user name and sign-out.
import { get, post } from './api-client.js';
import { byId, pageAddress, strings, withRoom } from './page.js';
import { make } from './view.js';

const PAGES = [['/wall', 'wall'], ['/coach', 'coach'], ['/race', 'race'], ['/plans', 'plans'],
  ['/sessions', 'sessions'], ['/athletes', 'athletes'], ['/gateways', 'gateways']];

/** Pages that can show a single room; links between them keep it. */
const OF_ROOM = ['/wall', '/coach', '/race'];

/** Pages that athletes may see; the list of athletes is replaced by their own page. */
const OF_ATHLETES = ['/wall', '/plans', '/sessions', '/athletes'];

/**
 * Fills the header of the page at `path`. `onGuest(name, guest)` gets the token's name, or ''. Returns a
 * promise of `{ name, role, athlete_id }`, without a role if not signed in.
 */
export function makeHeader(path, onGuest = () => {}) {
  const links = [];
  for (const [place, word] of PAGES) {
    const link = make('a', '', byId('nav'));
    const isOfRoom = [place, path].every((one) => OF_ROOM.indexOf(one) >= 0);
    link.href = pageAddress(isOfRoom ? withRoom(place) : place);
    link.textContent = strings[word];
    links.push([place, link]);
    if (place !== path) continue;
    link.setAttribute('aria-current', location.pathname === path ? 'page' : 'true');
  }
  const [me, out] = [byId('me'), byId('out')];
  out.textContent = strings.signOut;
  out.addEventListener('click', async () => {
    await post('/api/v1/sign-out', {});
    location.replace(pageAddress('/sign-in'));
  });
  // Focus outlines are only shown to keyboard users.
  const root = document.documentElement;
  addEventListener('keydown', () => root.setAttribute('data-keys', ''));
  addEventListener('pointerdown', () => root.removeAttribute('data-keys'));
  return get('/api/v1/session').then(({ status, content }) => {
    const guest = status === 200 && content ? content : {};
    const name = guest.name || '';
    me.textContent = name;
    me.hidden = out.hidden = !name;
    if (guest.role === 'athlete') narrow(links, guest.athlete_id);
    onGuest(name, guest);
    return guest;
  });
}

function narrow(links, id) {
  for (const [place, link] of links) {
    if (OF_ATHLETES.indexOf(place) < 0) link.remove();
    if (place === '/athletes') {
      link.href = pageAddress(athletePage(id));
      link.textContent = id;
    }
  }
}

/** The first page of an athlete. */
export function athletePage(id) {
  return '/athlete?id=' + encodeURIComponent(id);
}
