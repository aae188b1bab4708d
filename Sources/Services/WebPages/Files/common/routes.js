// The addresses of the pages, their menu, and the roles. RouteTests.swift writes this file from Routes.swift.
/** The file of each page, by path. */
export const PAGES = {
  '/': 'wall/wall.html',
  '/wall': 'wall/wall.html',
  '/coach': 'coach/coach.html',
  '/race': 'race/race.html',
  '/races': 'races/races.html',
  '/regatta': 'races/regatta.html',
  '/plans': 'plans/plans.html',
  '/plan-editor': 'planner/editor.html',
  '/sessions': 'session/sessions.html',
  '/session': 'session/session.html',
  '/piece': 'group/group.html',
  '/athletes': 'athletes/athletes.html',
  '/athlete': 'athletes/athlete.html',
  '/club': 'club/club.html',
  '/gateways': 'gateways/gateways.html',
  '/erg': 'erg/erg.html',
  '/check-in': 'room/room.html',
  '/users': 'users/users.html',
  '/uploads': 'users/uploads.html',
  '/cards': 'users/cards.html',
  '/invitation': 'users/invitation.html',
  '/sign-in': 'signin/signin.html',
};

/** The roles that each role includes. */
const ROLES = {
  wall: ['wall'],
  room: ['wall', 'room'],
  athlete: ['wall', 'athlete'],
  coach: ['wall', 'room', 'athlete', 'coach'],
  captain: ['wall', 'room', 'athlete', 'coach', 'captain'],
};

/**
 * Whether a user of a role may use what needs the role `least`. Guests have no role, or the role of the wall.
 * @type {(role: string, least: string) => boolean}
 */
export const isAtLeast = (role, least) => (ROLES[role] || []).indexOf(least) >= 0;

/**
 * The menu of all pages. `title` is a key of the strings; `role` is the role that has a use for the page.
 * @type {{ path: string, title: string, role: string, isOfRoom: boolean }[]}
 */
export const MENU = [
  { path: '/wall', title: 'wall', role: 'wall', isOfRoom: true },
  { path: '/coach', title: 'coach', role: 'coach', isOfRoom: true },
  { path: '/race', title: 'race', role: 'wall', isOfRoom: true },
  { path: '/plans', title: 'plans', role: 'athlete', isOfRoom: false },
  { path: '/sessions', title: 'sessions', role: 'athlete', isOfRoom: false },
  { path: '/athletes', title: 'athletes', role: 'athlete', isOfRoom: false },
  { path: '/club', title: 'club', role: 'coach', isOfRoom: false },
  { path: '/gateways', title: 'gateways', role: 'coach', isOfRoom: false },
];
