"""Every page in each of its states passes the rules of axe-core for WCAG 2.1 AA.

The rules run in the dark theme in English and in the light theme in German. Other tests check what no rule can
judge, such as whether a name is right.
"""

import importlib.util
import json
import pathlib

import athletes
import book
import checkin
import clubhouse
import fleet
import groups
import messages
import people
import plans
import regatta
import scenes
import uploads
import users
from page import PHONE, PageTest
from test_race import field
from test_races import REGATTA_ID, archive, sprints, teams

# The only file of the package that is used.
[FOLDER] = importlib.util.find_spec("axe_core_python").submodule_search_locations
AXE = (pathlib.Path(FOLDER) / "axe.min.js").read_text()
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
         "resultTypes": ["violations"]}
WELCOME = pathlib.Path(__file__).parents[2] / "packaging/demo-welcome.html"
DESK = (1366, 900)
DIALOG = "document.querySelector('.dialog')"
LOOKS = ("lang=en&theme=dark", "lang=de&theme=light")


class AxeTests(PageTest):
    def setUp(self):
        super().setUp()
        # The colours of a menu that fades in are not those that people read.
        self.prefer(motion="reduce")

    def look(self, path, ready, act=None, size=DESK, shown="true"):
        """Opens a page twice, performs an action, waits until its effect is `shown`, and runs the rules."""
        for wish in LOOKS:
            with self.subTest(f"{path} {act or ''} {wish} {size}"):
                self.resize(size)
                self.browser.get(self.scenes.address + path + ("&" if "?" in path else "?") + wish)
                self.until(lambda: self.js(f"return {ready}"), f"{path} is there", patience=20)
                if act:
                    self.js(act)
                self.until(lambda: self.js(f"return {shown}"), shown)
                self.check()

    def check(self):
        self.js(AXE)
        found = self.browser.execute_async_script(
            # The page behind a dialog is hidden from screen readers.
            "const done = arguments[1], seen = document.querySelector('.dialog') || document;"
            "axe.run(seen, arguments[0]).then((result) =>"
            " done(result.violations.map((one) => [one.id, one.help, one.nodes.slice(0, 3)"
            ".map((node) => [node.html.slice(0, 160), node.failureSummary])])),"
            " (error) => done([String(error)]));", RULES)
        self.assertEqual(found, [], json.dumps(found, indent=1))

    def test_the_wall(self):
        for ergs, size in ((scenes.targets(), DESK), (scenes.states(), DESK),
                           (scenes.room_of(64), (1920, 1080)), (scenes.targets(), PHONE)):
            self.scenes.show(ergs, [messages.gateway()], [scenes.FOUR])
            self.look("/", f"document.querySelectorAll('.tile').length === {len(ergs)}", size=size)

    def test_the_menu_of_the_wall(self):
        self.scenes.show(scenes.targets(), [messages.gateway()])
        press = "dispatchEvent(new KeyboardEvent('keydown', { key: 'm' }))"
        shown = "document.querySelector('#menu a') !== null"
        self.look("/wall", f"({press}, {shown})", size=PHONE)
        self.look("/wall", f"({press}, {shown})")

    def test_an_empty_wall(self):
        self.scenes.show([])
        self.look("/", "!document.getElementById('empty').hidden")

    def test_the_coach(self):
        ergs = scenes.targets()
        self.scenes.show(ergs, [messages.gateway(workouts=scenes.NAMED)], [scenes.FOUR])
        ready = f"document.querySelectorAll('#lines > .line').length === {len(ergs)}"
        self.look("/coach", ready)
        self.look("/coach", ready, size=PHONE)
        for act in ("document.getElementById('set').click()",
                    "document.getElementById('crews').click()",
                    "document.getElementById('end').click()",
                    "document.querySelector('.dots').click()",
                    "document.querySelector('.line[data-nobody] .seat').click()"):
            self.look("/coach", ready + " && !document.getElementById('set').disabled", act, shown=DIALOG)

    def test_the_settings(self):
        ready = "document.querySelector('#me a')"
        for size in (DESK, PHONE):
            self.look("/coach", ready, "document.getElementById('settings').click()", size, DIALOG)

    def test_a_race(self):
        self.addCleanup(setattr, self.scenes, "race", None)
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        ergs = field(8)
        ergs[4].offline(7)
        now = self.scenes.sent_ms()
        lanes = "document.querySelectorAll('.lane').length === 8"
        called = lanes + " && document.getElementById('count').textContent"
        results = "document.querySelectorAll('.result').length"
        for race, ready in (
                (None, "document.getElementById('empty').textContent"),
                (regatta.race(ergs, "ready", standings={"erg-3": "waiting", "erg-6": "scratched"}), lanes),
                # Long enough for all looks.
                (regatta.race(ergs, "countdown", now + 3_600_000, early={"erg-4": 1.8},
                              standings={"erg-4": "rowing"}), called),
                (regatta.race(ergs, "rowing", now - 310_000, pace_s_per_500m=108.65, pace_name="club record",
                              early={"erg-2": 0.31}), lanes),
                (regatta.with_teams(regatta.race(ergs, "rowing", now - 310_000)), lanes),
                (regatta.over(ergs, signal_ms=now - 600_000), results + " === 8"),
                (regatta.with_teams(regatta.over(ergs, signal_ms=now - 600_000)), results + " === 12")):
            self.scenes.race = race and regatta.valid(race)
            self.scenes.show(ergs)
            for role, controls in (("wall", 1), ("coach", 2)):
                self.scenes.guest = {"name": role, "role": role}
                shown = f"document.querySelectorAll('#controls > *').length >= {controls}"
                for size in (DESK, PHONE):
                    self.look("/race", f"{ready} && {shown}", size=size)

    def test_the_choices_of_a_race(self):
        self.addCleanup(setattr, self.scenes, "race", None)
        ergs = field(4)
        self.scenes.race = regatta.race(ergs, "rowing", self.scenes.sent_ms() - 310_000)
        self.scenes.show(ergs)
        ready = "document.querySelectorAll('#controls button').length === 4"
        self.look("/race", ready, "document.querySelectorAll('#controls button')[1].click()",
                  shown="document.querySelectorAll('#controls button').length === 5")
        self.look("/race", ready, "document.querySelectorAll('#controls button')[2].click()",
                  shown="document.querySelector('#controls .danger')")

    def test_the_archive_of_races(self):
        self.addCleanup(setattr, self.scenes, "archive", [])
        self.look("/races", "document.getElementById('empty').textContent")
        self.scenes.archive, self.scenes.fleet.gateways = archive(), fleet.every_state()
        ready = "document.querySelectorAll('#list li').length > 1 && document.querySelector('#actions button')"
        for size in (DESK, PHONE):
            self.look("/races", ready, size=size)
            self.look("/races", ready, "document.querySelector('#actions button').click()", size, DIALOG)

    def test_a_regatta(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "regatta", None)
        path = f"/regatta?id={REGATTA_ID}"
        self.scenes.fleet.gateways = fleet.every_state()
        for found in (sprints(), teams()):
            self.scenes.regatta = regatta.valid(found, "Regatta")
            for role, count in (("wall", 1), ("coach", 5)):
                self.scenes.guest = {"name": role, "role": role}
                for size in (DESK, PHONE):
                    self.look(path, f"document.querySelectorAll('#actions button').length >= {count}", size=size)
        # Before the draw of an event, with an entry that is scratched.
        undrawn = sprints()
        undrawn["events"][0].update(heats=[], results=[])
        undrawn["events"][0]["entries"][1]["scratched"] = "ill"
        undrawn["events"][0].pop("finalists")
        undrawn.pop("next")
        for found, buttons in (
                # Add entries, add event and settings; edit event, an entry, and row again.
                (sprints(), ("#actions button:nth-of-type(2)", "#actions button:nth-of-type(3)",
                             "#actions button:nth-of-type(4)", ".event .head button", "td button",
                             ".heat-actions button")),
                (teams(), (".event .head button", "td button")),
                # Draw heats, and an entry.
                (undrawn, (".event .head button", "td button"))):
            self.scenes.regatta = regatta.valid(found, "Regatta")
            for button in buttons:
                click = f"document.querySelector('{button}')"
                for size in (DESK, PHONE):
                    self.look(path, click, click + ".click()", size, DIALOG)

    def test_plans(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "plan_store", plans.PlanStore())
        self.scenes.plan_store = plans.PlanStore()
        self.look("/plans", "document.getElementById('empty').textContent")
        ready = "document.getElementById('about').textContent"
        hidden = plans.tests()
        hidden.is_hidden = True
        for plan in (plans.winter(), plans.tests(), hidden):
            self.scenes.plan_store = plans.PlanStore(plan)
            for size in (DESK, PHONE):
                self.look("/plans", ready, size=size)
        self.scenes.plan_store = plans.PlanStore(plans.winter())
        self.look("/plans", ready, "document.querySelector('#how button').click()",
                  shown="document.querySelector('#how .hint')")
        # Import, group and removal.
        for number in range(3):
            self.look("/plans", ready, f"document.querySelectorAll('#doing button')[{number}].click()", shown=DIALOG)
        self.scenes.guest = {"name": "anna", "role": "athlete", "athlete_id": "anna"}
        self.look("/plans", ready)

    def test_the_first_page_of_the_demo(self):
        for size in (DESK, PHONE):
            self.resize(size)
            self.browser.get(WELCOME.as_uri())
            self.assertEqual(len(self.js("return document.querySelectorAll('a')")), 6)
            self.check()

    def test_signing_in(self):
        self.scenes.guest = {"role": "wall"}
        self.look("/sign-in", "document.querySelector('button').textContent")
        self.scenes.guest = scenes.COACH

    def test_sessions(self):
        self.scenes.book.sessions = book.evening()
        self.look("/sessions", "document.querySelector('.row')")
        for session in (book.piece(), book.intervals()):
            self.scenes.book.sessions = [session]
            path = f"/session?gw={session.gw}&id={session.id}"
            self.look(path, "!document.getElementById('force').hidden")
        self.scenes.book.sessions = groups.training_group()
        self.look("/sessions", "document.querySelector('.group-head')")
        first = self.scenes.book.sessions[0]
        link = self.scenes.links.add(first.gw, first.id)["link"]
        self.addCleanup(self.scenes.links.links.clear)
        piece, ready = f"/piece?gw={first.gw}&id={first.id}", "document.querySelector('.link-list li')"
        for action in ("", "#exports button:last-child", ".link-list button"):
            self.look(piece, ready, action and f"document.querySelector('{action}').click()",
                      shown=DIALOG if action else "true")
        additions = f"/api/v1/pieces/{first.gw}/{first.id}/additions"
        self.scenes.book.additions.post(additions, {
            "athlete_id": "mia", "by_hand": {"time_s": 911.4, "day": "2026-11-22"}, "note": "Erg 3 lost its belt"})
        self.addCleanup(self.scenes.book.additions.stored.clear)
        shown = "document.querySelector('#additions button')"
        self.look(piece, shown)
        self.look(piece, shown, shown + ".click()", shown=DIALOG)
        self.look("/shared/" + link.rpartition("/")[2], "document.querySelector('.athlete-line')")
        self.scenes.book.sessions = []
        self.look("/sessions", "document.getElementById('empty').textContent")

    def test_athletes(self):
        self.scenes.book.athletes = [athletes.busy()]
        self.look("/athletes", "document.querySelector('main a[href*=\"athlete?\"]')")
        self.look("/athlete?id=a-17", "document.querySelector('.figure')")

    def test_users_invitations_and_cards(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.scenes.guest = {"name": "Kim", "role": "captain", "user": "kim"}
        self.scenes.users.add("kim", "Kim", "captain", "iPhone, Safari").add("jo", "Jo", "coach")
        self.scenes.users.codes["code"] = "jo"
        ready = "document.querySelectorAll('#users .user-list > li').length === 3"
        for size in (DESK, PHONE):
            self.look("/users", ready, size=size)
        self.look("/users", ready, "document.querySelector('#doing button').click()", shown=DIALOG)
        invitation = json.dumps({"name": "Jo", "link": "http://127.0.0.1/x", "expires_ms": 1, "qr": users.QR})
        self.look("/users", ready, "import('/assets/common/invitation.js').then((m) => import('/assets/common/page.js')"
                  f".then((page) => m.openInvitation(page.strings, {invitation})))", shown=DIALOG)
        self.look("/invitation", "document.getElementById('text').textContent")
        self.look("/cards?gw=boathouse", "document.querySelectorAll('.qr').length === 3", size=PHONE)

    def test_uploads(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "uploads", uploads.Uploads())
        self.scenes.guest = {"name": "Anna", "role": "athlete", "athlete_id": "anna"}
        self.scenes.uploads = uploads.Uploads(*uploads.SERVICES).connect("concept2", "amara") \
            .connect("strava", "Amara", problem="revoked")
        ready = "document.querySelectorAll('#destinations .user').length === 4"
        for size in (DESK, PHONE):
            self.look("/uploads", ready, size=size)
        # A webhook is connected, Strava disconnected.
        for row in (4, 3):
            button = f"document.querySelector('#destinations li:nth-child({row}) button:last-child')"
            self.look("/uploads", ready, button + ".click()", shown=DIALOG)
        session = book.piece(number=1, athlete="anna")
        self.scenes.book.sessions = [session]
        self.look(f"/session?gw={session.gw}&id={session.id}",
                  "document.querySelectorAll('#uploads .user').length === 4")

    def test_check_in(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "check_in", checkin.CheckIn())
        self.scenes.show(scenes.states(), [messages.gateway()])
        self.scenes.check_in.code, self.scenes.check_in.names = "4821", {"anna": "Anna Meier", "zoe": "Zoë"}
        self.scenes.guest = {"name": "Tablet", "role": "room"}
        ready = "document.querySelectorAll('#ergs button').length > 4 && document.getElementById('code').textContent"
        for size in (DESK, PHONE):
            self.look("/check-in", ready, size=size)
        self.look("/check-in", ready, "document.querySelector('#ergs button').click()", shown=DIALOG)
        self.scenes.guest = {"role": "wall"}
        for availability, ready in (("open", "document.querySelector('#check-in')"),
                                    ("closed", "document.querySelector('#doing .hint')")):
            self.scenes.check_in.availability = availability
            self.look("/erg?gw=boathouse&erg=erg-1", ready, size=PHONE)
        self.scenes.guest = {"role": "wall", "name": "tv"}
        self.look("/", "document.getElementById('code').textContent && document.getElementById('clock').textContent")

    def test_the_plan_editor(self):
        self.scenes.plan_store = plans.PlanStore(plans.winter())
        ready = "!document.getElementById('editor').hidden"
        path = "/plan-editor?id=winter&week=2026-11-30"
        self.look(path, ready)
        self.look(path, ready, "document.querySelector('.workout').click()", PHONE, DIALOG)
        self.look(path, ready, "document.querySelector('.workout').click();"
                               "document.querySelector('.dialog .main').click()", size=PHONE)
        self.look(path, ready, "document.querySelector('.week-head button').click()", shown=DIALOG)
        self.scenes.plan_store = plans.PlanStore()

    def test_the_club(self):
        self.scenes.book.athletes, self.scenes.book.people = clubhouse.club()
        ready = "!document.getElementById('season').hidden"
        self.look("/club", ready, "document.querySelector('#weeks > button').click()")
        self.look("/club?show=absent&sort=last", ready, size=PHONE)
        self.scenes.book.athletes, self.scenes.book.people = [], people.People()

    def test_gateways(self):
        self.scenes.fleet.gateways = fleet.every_state()
        self.look("/gateways", "document.querySelector('main h2')")
