// The top of the pages that a person uses: where they are, who they are, and the way out.
import { get, post } from './asking.js';
import { address, find, ofRoom, words } from './page.js';
import { make } from './view.js';

const PAGES = [['/wall', 'wall'], ['/coach', 'coach'], ['/race', 'race'], ['/plans', 'plans'],
  ['/sessions', 'sessions'], ['/athletes', 'athletes'], ['/gateways', 'gateways']];

/** Those that show the room that this one is asked for, if it is one of them. */
const OF_ROOM = ['/wall', '/coach', '/race'];

/** What an athlete may see of these; their own page stands in the place of the others'. */
const OF_ATHLETES = ['/wall', '/plans', '/sessions', '/athletes'];

/**
 * Fills the header of the page at `path`; `met(name, guest)` gets the name of the token, or ''. Returns
 * a promise of the guest, `{ name, role, athlete_id }`; without a role where nobody is signed in.
 */
export function makeTop(path, met = () => {}) {
  const links = [];
  for (const [place, word] of PAGES) {
    const link = make('a', '', find('nav'));
    const isOfRoom = [place, path].every((one) => OF_ROOM.indexOf(one) >= 0);
    link.href = address(isOfRoom ? ofRoom(place) : place);
    link.textContent = words[word];
    links.push([place, link]);
    if (place !== path) continue;
    link.setAttribute('aria-current', location.pathname === path ? 'page' : 'true');
  }
  const [me, out] = [find('me'), find('out')];
  out.textContent = words.signOut;
  out.addEventListener('click', async () => {
    await post('/api/v1/sign-out', {});
    location.replace(address('/sign-in'));
  });
  // Whoever uses keys sees where they are; whoever points does not have to.
  const root = document.documentElement;
  addEventListener('keydown', () => root.setAttribute('data-keys', ''));
  addEventListener('pointerdown', () => root.removeAttribute('data-keys'));
  return get('/api/v1/session').then(({ status, content }) => {
    const guest = status === 200 && content ? content : {};
    const name = guest.name || '';
    me.textContent = name;
    me.hidden = out.hidden = !name;
    if (guest.role === 'athlete') narrow(links, guest.athlete_id);
    met(name, guest);
    return guest;
  });
}

function narrow(links, id) {
  for (const [place, link] of links) {
    if (OF_ATHLETES.indexOf(place) < 0) link.remove();
    if (place === '/athletes') {
      link.href = address(ownPage(id));
      link.textContent = id;
    }
  }
}

/** Where an athlete begins. */
export function ownPage(id) {
  return '/athlete?id=' + encodeURIComponent(id);
}
