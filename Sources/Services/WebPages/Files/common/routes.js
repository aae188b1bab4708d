// The addresses of the pages and their menu. RouteTests.swift writes this file from Routes.swift.
/** The file of each page, by path. */
export const PAGES = {
  '/': 'wall/wall.html',
  '/wall': 'wall/wall.html',
  '/coach': 'coach/coach.html',
  '/race': 'race/race.html',
  '/plans': 'plans/plans.html',
  '/sessions': 'session/sessions.html',
  '/session': 'session/session.html',
  '/athletes': 'athletes/athletes.html',
  '/athlete': 'athletes/athlete.html',
  '/gateways': 'gateways/gateways.html',
  '/erg': 'erg/erg.html',
  '/sign-in': 'signin/signin.html',
};

/**
 * The menu of all pages. `title` is a key of the strings; `role` is the lowest role that has a use for the page.
 * @type {{ path: string, title: string, role: string, isOfRoom: boolean }[]}
 */
export const MENU = [
  { path: '/wall', title: 'wall', role: 'wall', isOfRoom: true },
  { path: '/coach', title: 'coach', role: 'coach', isOfRoom: true },
  { path: '/race', title: 'race', role: 'wall', isOfRoom: true },
  { path: '/plans', title: 'plans', role: 'athlete', isOfRoom: false },
  { path: '/sessions', title: 'sessions', role: 'athlete', isOfRoom: false },
  { path: '/athletes', title: 'athletes', role: 'athlete', isOfRoom: false },
  { path: '/gateways', title: 'gateways', role: 'coach', isOfRoom: false },
];
