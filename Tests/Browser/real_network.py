"""Each page of real logbooks, opened as each role from every kind of address.

`Tests/Browser/run --network` starts the logbooks and passes their ports and tokens in the environment.
"""

import functools
import itertools
import json
import os
import pathlib
import re
import ssl
import time
import unittest
import urllib.error
import urllib.request

import page
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PORTS = dict(pair.split("=") for pair in os.environ.get("NETWORK_PORTS", "").split())
TOKENS = dict(pair.split("=") for pair in os.environ.get("NETWORK_TOKENS", "").split())
FROM = os.environ.get("NETWORK_FROM", "")
# The browser's address as the logbook sees it; through nginx, it is the local machine.
ROUTES = {"here": ["machine"], "elsewhere": ["neighbour", "stranger", "proxy"]}.get(FROM, [])
# Addresses that see the wall without a token, by open_wall.
OPEN = {"machine": ["machine", "proxy"], "network": ["machine", "proxy", "neighbour"], "nobody": []}
# The role that each page needs; None for pages that show a status text instead.
PAGES = {"/": "wall", "/wall": "wall", "/wall?gw=boathouse": "wall", "/race": "wall",
         "/erg?gw=boathouse&erg=erg-1": None, "/check-in": "room", "/coach": "coach", "/coach?gw=boathouse": "coach",
         "/sign-in": None, "/sessions": None,
         "/session?gw=boathouse&id=01ARZ3NDEKTSV4RRFFQ69G5FAV": None,
         "/piece?gw=boathouse&id=01ARZ3NDEKTSV4RRFFQ69G5FAV": None, "/gateways": None, "/club": None,
         "/shared/k7m2-9xqd-4t8w-hz3c-6vnp": None, "/races": "wall",
         "/regatta?id=01ARZ3NDEKTSV4RRFFQ69G5FAV": "wall", "/users": None, "/uploads": None, "/cards": None,
         "/invitation": None,
         "/plans": None, "/plan-editor": None, "/athletes": None, "/athlete?id=zoe": None}
# The roles that each role includes, besides its own.
ROLES = {"wall": [], "room": ["wall"], "athlete": ["wall"], "coach": ["wall", "room", "athlete"]}
BEGIN = {"wall": "/wall", "room": "/check-in", "athlete": "/athlete?id=zoe", "coach": "/coach"}
# Pages that ask nothing before they are shown, and pages that ask for their contents instead of the session.
WITHOUT_REQUEST = ["/", "/wall", "/check-in", "/invitation"]
WITH_OTHER_REQUEST = ["/races", "/regatta", "/users", "/cards"]
# One document, a redirect by the server and one by the page.
MOST_NAVIGATIONS = 3

TYPABLE = ("input:not([type]), input[type=text], input[type=search], input[type=number], textarea")


def address(wall, route):
    port = int(PORTS[wall])
    return {"machine": f"http://127.0.0.1:{port}", "neighbour": f"http://192.0.2.1:{port}",
            "stranger": f"http://198.51.100.1:{port}",
            "proxy": f"https://192.0.2.1:{port + 1000}"}[route]


def ask(url, method="GET", data=None, **headers):
    """Status, headers and body of an answer, without following redirects."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(Stay, urllib.request.HTTPSHandler(context=tls))
    request = urllib.request.Request(url, data, method=method, headers=headers)
    try:
        answer = opener.open(request, timeout=30)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.headers, answer.read().decode()


@functools.lru_cache(maxsize=None)
def browser():
    return page.start_browser("--ignore-certificate-errors", logs=("browser", "performance"))


@unittest.skipUnless(PORTS, "started by Tests/Browser/run --network")
class NetworkTest(page.PageTest):
    # A token has no devices: the page of users says so.
    expected_errors = ("401 (Unauthorized)", "403 (Forbidden)", "404 (Not Found)", "409 (Conflict)",
                       "405 (Method Not Allowed)", "415 (Unsupported Media Type)")

    @classmethod
    def setUpClass(cls):
        """Uses real logbooks instead of scenes."""

    @classmethod
    def tearDownClass(cls):
        browser().get("about:blank")

    def setUp(self):
        self.browser = browser()
        self.resize(page.TABLET)
        self.forget()
        self.console()

    def forget(self):
        """Signs out without a page."""
        self.command("Network.clearBrowserCookies")
        self.browser.get("about:blank")

    def navigations(self):
        """The documents requested since the last call, including redirects."""
        found = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent" and (
                    message["params"].get("type") == "Document"):
                found.append(message["params"]["request"]["url"])
        return found

    def place(self):
        return self.js("return location.pathname + location.search")

    def open(self, url):
        """Opens a page, waits until it is stable, and returns its path."""
        self.navigations()
        self.browser.get(url)
        return self.settled(url)

    def settled(self, what):
        """Waits until the page has requested the session and stays stable. Fails if it keeps redirecting."""
        opened, end, since = [], time.monotonic() + 120, None
        while since is None or time.monotonic() - since < 0.3:
            opened += self.navigations()
            self.assertLessEqual(len(opened), MOST_NAVIGATIONS, f"{what} goes round: {opened}")
            self.assertLess(time.monotonic(), end, f"{what} never settles: {opened}")
            state = self.js("""
                const isFresh = !window.settling;
                window.settling = true;
                const [without, others] = arguments;
                const asks = performance.getEntriesByType('resource').some((one) =>
                  one.name.indexOf(others.indexOf(location.pathname) < 0 ? '/api/v1/me' : '/api/v1/') > 0
                  && one.responseEnd > 0);
                const isDone = document.readyState === 'complete'
                  && (asks || !document.querySelector('script') || without.indexOf(location.pathname) >= 0);
                return { isFresh, isDone };""", WITHOUT_REQUEST, WITH_OTHER_REQUEST)
            if state["isFresh"] or not state["isDone"]:
                since = None
            elif since is None:
                since = time.monotonic()
            time.sleep(0.05)
        return self.place()

    def type_everywhere(self, what):
        """Text typed into each visible field stays there."""
        count = 0
        for field in self.browser.find_elements(By.CSS_SELECTOR, TYPABLE):
            if field.is_displayed() and field.is_enabled():
                field.clear()
                field.send_keys("12ab")
                self.assertTrue(field.get_attribute("value"), f"{what}: nothing can be typed")
                field.clear()
                count += 1
        return count

    def sign_in(self, wall, route, role, path="/sign-in"):
        """Types the token of a role, and returns the path of the next page."""
        self.open(address(wall, route) + path)
        field = self.browser.find_element(By.ID, "token")
        field.send_keys(TOKENS[f"{wall}/{role}"], Keys.ENTER)
        self.until(lambda: "/sign-in" not in self.place(), f"signed in as {role}")
        return self.settled(role)

    def shown(self):
        """The visible text of the page."""
        return self.browser.find_element(By.TAG_NAME, "main").text

    def heading(self):
        return self.js("const found = document.querySelector('h1'); return found && found.textContent")


class SmokeTests(NetworkTest):
    """Each page, for each open_wall, by each route, as each role."""

    def test_knows_each_page(self):
        routes = pathlib.Path(__file__).parents[2] / "Sources/Services/Logbook/Interface/Routes.swift"
        pages = re.findall(r'page\(\s*"([^"]+)", "[^"]+", for: (?:\.(\w+)|nil)', routes.read_text())
        self.assertGreater(len(pages), 20)
        # Links to shared results have a route of their own.
        known = {path.partition("?")[0]: role or "" for path, role in PAGES.items() if "/shared/" not in path}
        self.assertEqual(known, dict(pages))

    def test_guest_opens_each_page(self):
        for wall, route in itertools.product(PORTS, ROUTES):
            is_open = route in OPEN[wall]
            for path, least in PAGES.items():
                with self.subTest(open_wall=wall, route=route, path=path):
                    place = self.open(address(wall, route) + path)
                    if least is None or (least == "wall" and is_open):
                        self.assertEqual(place, path)
                    else:
                        self.assertEqual(place.partition("?")[0], "/sign-in")
                    typed = self.type_everywhere(path)
                    # Only the neighbour can check in. Where the wall is open, the page shows that the erg is unknown.
                    asks_code = path.startswith("/erg") and route == "neighbour" and not is_open
                    self.assertEqual(typed > 0, asks_code or place.startswith("/sign-in"))

    def test_each_role_signs_in_and_opens_each_page(self):
        for wall, route, role in itertools.product(PORTS, ROUTES, ROLES):
            with self.subTest(open_wall=wall, route=route, role=role):
                self.forget()
                self.assertEqual(self.sign_in(wall, route, role), BEGIN[role])
                cookies = self.browser.get_cookies()
                self.assertEqual([cookie["secure"] for cookie in cookies], [route == "proxy"])
                self.assertTrue(all(cookie["httpOnly"] for cookie in cookies))
            # Access with a token does not depend on open_wall.
            for path, least in PAGES.items() if wall == "nobody" else [("/coach", "coach")]:
                with self.subTest(open_wall=wall, route=route, role=role, path=path):
                    place = self.open(address(wall, route) + path)
                    self.assertEqual(place, BEGIN[role] if path == "/sign-in" else path)
                    if least and least not in (role, *ROLES[role]):
                        self.assertEqual(self.heading(), "Not allowed")
                    else:
                        self.assertNotEqual(self.heading(), "Not allowed")
                    self.type_everywhere(path)


class CheckInTests(NetworkTest):
    """Every logbook has open check-ins."""

    def answer(self, url, content=None, **headers):
        data = None if content is None else json.dumps(content).encode()
        status, _, body = ask(url, "GET" if data is None else "POST", data, **headers,
                              **({"Content-Type": "application/json"} if data else {}))
        return status, json.loads(body)

    def test_only_neighbours_can_check_in(self):
        for wall, route in itertools.product(PORTS, ROUTES):
            with self.subTest(open_wall=wall, route=route):
                url = address(wall, route) + "/api/v1/ergs/boathouse/erg-1/check-in"
                state = "open" if route == "neighbour" else "elsewhere"
                self.assertEqual(self.answer(url), (200, {"check_in": state}))
                # No gateway has sent anything: the erg is unknown to those who may ask.
                expected = (404, "unknown_erg") if route == "neighbour" else (403, "check_in_elsewhere")
                for headers in ({}, {"X-Forwarded-For": "192.0.2.2"}):
                    status, answer = self.answer(url, {"code": "0000"}, **headers)
                    self.assertEqual((status, answer["code"]),
                                     (403, "check_in_elsewhere") if headers else expected)

    def test_only_signed_in_walls_get_the_code(self):
        for wall, route in itertools.product(PORTS, ROUTES):
            with self.subTest(open_wall=wall, route=route):
                url = address(wall, route) + "/api/v1/check-in/code"
                status, answer = self.answer(url)
                # A guest gets no code, also if the wall is open.
                if route in OPEN[wall]:
                    self.assertEqual((status, answer), (200, {}))
                else:
                    self.assertEqual((status, answer["code"]), (401, "not_signed_in"))
                for role, expected in (("wall", True), ("room", True), ("coach", True), ("athlete", False)):
                    token = TOKENS[f"{wall}/{role}"]
                    status, answer = self.answer(url, Authorization=f"Bearer {token}")
                    self.assertEqual((status, "code" in answer), (200, expected), role)

    def test_a_phone_of_the_network_is_asked_for_the_code(self):
        for wall, route in itertools.product(PORTS, ROUTES):
            self.open(address(wall, route) + "/erg?gw=boathouse&erg=erg-1")
            wanted = "#check-in" if route == "neighbour" else "#doing .hint"
            # Guests who see the wall read that the erg is unknown.
            wanted = "#notice" if route in OPEN[wall] else wanted
            self.until(lambda: self.js(f"const one = document.querySelector('{wanted}');"
                                       "return one && one.textContent"), f"{wall} {route}: {wanted}")


class SignInTests(NetworkTest):
    def test_leads_back_to_the_requested_page(self):
        for wall, route in [("machine", ROUTES[0]), ("nobody", ROUTES[-1])]:
            for path in ("/coach?gw=boathouse", "/sessions?gw=boathouse&state=open",
                         "/plans?id=winter", "/gateways"):
                with self.subTest(open_wall=wall, route=route, path=path):
                    self.forget()
                    place = self.open(address(wall, route) + path + (
                        "&" if "?" in path else "?") + "lang=de")
                    if place.partition("?")[0] != "/sign-in":
                        self.until(lambda: self.text("sign-in-link") == "Anmelden", "the link to the sign-in")
                        self.js("document.getElementById('sign-in-link').click()")
                        self.until(lambda: "/sign-in" in self.place(), "the sign-in")
                        self.settled(path)
                    self.assertEqual(self.heading(), "Anmelden")
                    self.browser.find_element(By.ID, "token").send_keys(
                        TOKENS[f"{wall}/coach"], Keys.ENTER)
                    self.until(lambda: "/sign-in" not in self.place(), "signed in")
                    back = path + ("&" if "?" in path else "?") + "lang=de"
                    self.assertEqual(self.settled(path), back)

    def test_shows_refusal_beside_the_field(self):
        route = ROUTES[-1]
        for language, text in (("en", "This token is not valid"), ("de", "Dieses Token gilt nicht")):
            self.open(address("nobody", route) + "/wall?lang=" + language)
            field = self.browser.find_element(By.ID, "token")
            field.send_keys("0123-4567-89ab-cdef-ghjk", Keys.ENTER)
            self.until(lambda: self.text("refusal").startswith(text), "the refusal")
            self.assertEqual(field.get_attribute("aria-invalid"), "true")
            self.assertEqual(field.get_attribute("aria-describedby"), "refusal")
            top, bottom = (self.js(f"return document.getElementById('{one}')"
                                   ".getBoundingClientRect().top") for one in ("token", "refusal"))
            self.assertLess(0, bottom - top)
            self.assertLess(bottom - top, 100)
            field.clear()
            self.type_everywhere("the refused token")

    def test_removed_token_does_not_lead_in_circles(self):
        url = address("nobody", ROUTES[-1])
        self.open(url + "/sign-in")
        self.browser.add_cookie({"name": "rowgate", "value": "0123456789abcdefghjk"})
        self.assertEqual(self.open(url + "/coach"), "/sign-in?next=/coach")
        self.assertIn("not valid", self.text("note"))
        self.assertEqual(self.type_everywhere("/sign-in"), 1)

    def test_other_token_can_be_entered_where_the_role_is_too_low(self):
        url = address("nobody", ROUTES[-1])
        self.sign_in("nobody", ROUTES[-1], "athlete")
        self.assertEqual(self.open(url + "/coach?gw=boathouse"), "/coach?gw=boathouse")
        self.browser.find_element(By.LINK_TEXT, "Sign in").click()
        self.until(lambda: "/sign-in" in self.place(), "the sign-in")
        self.settled("/sign-in")
        self.assertIn("does not open this page", self.text("note"))
        self.browser.find_element(By.ID, "token").send_keys(TOKENS["nobody/coach"], Keys.ENTER)
        self.until(lambda: self.place() == "/coach?gw=boathouse", "the coach's page")

    def test_without_scripts_no_token_gets_into_an_address(self):
        self.command("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.get(address("nobody", ROUTES[-1]) + "/coach")
            self.assertIn("/sign-in?next=", self.browser.current_url)
            self.assertIn("JavaScript", self.browser.find_element(By.TAG_NAME, "main").text)
            self.browser.find_element(By.ID, "token").send_keys("k7m2-9xqd", Keys.ENTER)
            self.until_not("?next=")
            self.assertNotIn("k7m2", self.browser.current_url)
            self.assertEqual(self.browser.find_element(By.TAG_NAME, "h1").text,
                             "Request not accepted")
            self.assertIn("JavaScript", self.browser.find_element(By.TAG_NAME, "main").text)
        finally:
            self.command("Emulation.setScriptExecutionDisabled", value=False)

    def until_not(self, part):
        end = time.monotonic() + 60
        while part in self.browser.current_url:
            self.assertLess(time.monotonic(), end, self.browser.current_url)
            time.sleep(0.05)


class TextTests(NetworkTest):
    """The status texts for each role, in both languages."""

    def status_hint(self, path, title):
        self.open(address("nobody", ROUTES[-1]) + path)
        self.until(lambda: self.text("empty") == title, f"{path}: {title}")
        return self.text("why")

    def test_guest_reads_who_may_see_a_page(self):
        for language, title, sessions, plans, gateways, sign_in in (
                ("en", "Not signed in", "Athletes see their own", "of their groups",
                 "Gateways are for coaches", "Sign in"),
                ("de", "Nicht angemeldet", "Athleten ihre eigenen", "ihrer Gruppen",
                 "Gateways sind für Trainer", "Anmelden")):
            for path in ("/sessions", "/athletes", "/athlete?id=zoe",
                         "/session?gw=boathouse&id=01ARZ3NDEKTSV4RRFFQ69G5FAV"):
                glue = "&" if "?" in path else "?"
                self.assertIn(sessions, self.status_hint(f"{path}{glue}lang={language}", title))
                self.assertEqual(self.text("sign-in-link"), sign_in)
            self.assertIn(plans, self.status_hint(f"/plans?lang={language}", title))
            self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#choice select:not(#x)")[0]
                             .is_displayed(), False, "an empty choice")
            self.assertTrue(self.status_hint(f"/gateways?lang={language}", gateways))

    def test_token_of_the_wall_reads_what_it_opens(self):
        self.sign_in("nobody", ROUTES[-1], "wall")
        for path in ("/sessions", "/athletes", "/plans"):
            self.assertIn("the wall and races",
                          self.status_hint(path, "Your token does not open this page"))
            self.assertIn("Tafel und Rennen",
                          self.status_hint(path + "?lang=de", "Dieses Token öffnet die Seite nicht"))

    def test_athlete_reads_what_is_true_for_them(self):
        self.sign_in("nobody", ROUTES[-1], "athlete")
        for language, plans, coach, none, erg, gateways, token in (
                ("en", "No plan yet", "your coach", "No sessions yet", "assigned you",
                 "Gateways are for coaches", "coach’s token"),
                ("de", "Noch kein Plan", "ein Trainer", "Noch keine Einheiten", "zugeteilt",
                 "Gateways sind für Trainer", "Token eines Trainers")):
            why = self.status_hint(f"/plans?lang={language}", plans)
            self.assertIn(coach, why)
            self.assertNotIn("import", why)
            buttons = self.browser.find_elements(By.CSS_SELECTOR, "main button")
            self.assertEqual([one.text for one in buttons if one.is_displayed()], [])
            self.assertIn(erg, self.status_hint(f"/sessions?lang={language}", none))
            self.assertIn(erg, self.status_hint(f"/athlete?id=zoe&lang={language}", none))
            self.assertIn(token, self.status_hint(f"/gateways?lang={language}", gateways))

    def test_coach_may_import_a_plan(self):
        self.sign_in("nobody", ROUTES[-1], "coach")
        self.assertIn("Import one", self.status_hint("/plans", "No plan yet"))
        self.browser.find_element(By.CSS_SELECTOR, "#first button").click()
        self.until(lambda: self.browser.find_elements(By.CSS_SELECTOR, ".dialog"), "the dialog")
        self.assertGreater(self.type_everywhere("the import"), 0)

    def test_unknown_address_is_a_page_for_people_and_json_for_programs(self):
        for wall, route in itertools.product(PORTS, ROUTES):
            url = address(wall, route) + "/nothing"
            self.open(url)
            self.assertEqual(self.heading(), "Page not found")
            self.open(url + "?lang=de")
            self.assertEqual(self.heading(), "Seite nicht gefunden")
            link = self.browser.find_element(By.LINK_TEXT, "Tafel")
            self.assertTrue(link.get_attribute("href").endswith("/wall?lang=de"))
            self.shot(f"not-found-{route}")
            for accept in ("*/*", "application/json"):
                status, headers, body = ask(url, Accept=accept)
                self.assertEqual((status, headers["Content-Type"]),
                                 (404, "application/problem+json"))
                self.assertEqual(json.loads(body)["code"], "not_found")
            html = "text/html,application/xhtml+xml,*/*;q=0.8"
            for path, method, expected in (("/wall", "POST", 405), ("/nothing", "GET", 404)):
                status, headers, body = ask(address(wall, route) + path, method, Accept=html)
                self.assertEqual((status, headers["Content-Type"]),
                                 (expected, "text/html; charset=utf-8"))
                self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
                self.assertIn('href="/wall"', body)


if __name__ == "__main__":
    unittest.main()
