"""No text is cut: it wraps, or it ends in an ellipsis and has a title.

Opens each page with its fullest scenes at four sizes, in English and dark, and in German and light. Every visible
text must lie within each box around it that clips its content. If the box ends it with an ellipsis, hovering must
set the title.
"""

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
from messages import Erg, gateway
from page import PHONE, TABLET, TV, PageTest
from test_race import field
from test_races import REGATTA_ID, archive, sprints, teams

SIZES = (TV, (1440, 900), TABLET, PHONE)
LONG = "Bartholomew Featherstonehaugh-Cholmondeley"

CUT = """
const found = [];
const cuts = (style) => style.overflowX !== 'visible' || style.overflowY !== 'visible'
  || /paint|strict|content/.test(style.contain);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || element.closest('svg, .spoken, noscript, option, #head, .veil ~ *')) continue;
  const own = getComputedStyle(element);
  if (own.visibility === 'hidden' || !element.offsetParent && own.position !== 'fixed') continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const size = parseFloat(own.fontSize);
  // The ink of a line: its box without the space above and below the letters.
  const boxes = Array.from(range.getClientRects()).filter((box) => box.width > 0).map((box) => ({
    left: box.left, right: box.right, top: (box.top + box.bottom) / 2 - size * .34,
    bottom: (box.top + box.bottom) / 2 + size * .34 }));
  for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
    const style = getComputedStyle(one);
    if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
    if (!cuts(style)) continue;
    const edge = one.getBoundingClientRect();
    const isIn = boxes.every((box) => box.left >= edge.left - 1.5 && box.right <= edge.right + 1.5
      && box.top >= edge.top - 1.5 && box.bottom <= edge.bottom + 1.5);
    if (isIn) continue;
    if (style.textOverflow === 'ellipsis' && style.whiteSpace === 'nowrap') {
      element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      if (one.title.includes(node.data) || (one.title && one.title.length > node.data.length)) break;
    }
    found.push(node.data + ' in ' + one.tagName + ' ' + (one.id || one.className));
    break;
  }
}
return Array.from(new Set(found));
"""


class ClippingTests(PageTest):
    def look(self, path, ready, act=None, languages=("en", "de"), opens=None, name=None):
        """
        With `opens`, waits until that is there after loading it, and acts then. Saves screenshots with a `name` if
        requested.
        """
        for size in SIZES:
            for language in languages:
                with self.subTest(f"{path} {act or ''} {size} {language}"):
                    self.resize(size)
                    self.browser.get(self.scenes.address + path
                                     + ("&" if "?" in path else "?")
                                     + f"lang={language}&theme={'light' if language == 'de' else 'dark'}")
                    self.until(lambda: self.js(f"return {ready}"), f"{path} is there", patience=60)
                    if opens:
                        self.js(opens[0])
                        self.until(lambda: self.js(f"return {opens[1]} !== null"), opens[1], patience=60)
                    if act:
                        self.js(act)
                    if name:
                        self.shot(f"{name}-{size[0]}x{size[1]}-{language}")
                    self.assertEqual(self.js(CUT), [])
                    self.assertLessEqual(
                        self.js("return document.documentElement.scrollWidth"), size[0])

    def tiles(self):
        return []

    def rooms(self):
        off = scenes.targets()
        off[1].name = LONG
        off[0].interval(12, 20, interval_distance_m=100.0, remaining_distance_m=400.0)
        states = scenes.states()
        states[5] = Erg("erg-6").info().offline().state(
            "parked", piece=False, reason="hci0 holds 7 of 7 links", reason_code="adapters_full")
        states[6] = Erg("erg-7").info().offline().state(
            "parked", piece=False, reason="org.bluez.Error.Failed: " + "another gateway takes it " * 6)
        return {"targets": off, "states": states, "sixteen": scenes.room_of(16),
                "thirty-six": scenes.room_of(36)}

    def test_the_wall(self):
        for name, ergs in self.rooms().items():
            with self.subTest(name):
                self.scenes.show(ergs, [gateway()], [scenes.FOUR])
                self.look("/", f"document.querySelectorAll('.tile').length === {len(ergs)}"
                          " && document.getElementById('clock').textContent")

    def test_the_coach(self):
        for name, ergs in self.rooms().items():
            with self.subTest(name):
                self.scenes.show(ergs, [gateway(workouts=scenes.NAMED)], [scenes.FOUR])
                ready = f"document.querySelectorAll('#lines > .line').length === {len(ergs)}" \
                    " && document.getElementById('clock').textContent"
                self.look("/coach", ready)
        self.look("/coach", ready, "document.querySelectorAll('.kinds input')[3].click()",
                  opens=("document.getElementById('set').click()", "document.querySelector('.kinds input')"))

    def test_check_in(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "check_in", checkin.CheckIn())
        self.scenes.check_in.code, self.scenes.check_in.names = "4821", {"someone": LONG}
        ergs = scenes.states() + [Erg("erg-21", name=LONG).info().state("idle", piece=False)]
        self.scenes.show(ergs, [gateway()])
        self.scenes.guest = {"name": "Tablet", "role": "room"}
        ready = f"document.querySelectorAll('#ergs button').length === {len(ergs)}" \
            " && document.getElementById('code').textContent"
        self.look("/check-in", ready)
        self.look("/check-in", ready, "document.querySelector('#ergs button').click()")
        self.scenes.guest, self.scenes.check_in.availability = {"role": "wall"}, "open"
        self.look("/erg?gw=boathouse&erg=erg-1", "document.querySelector('#check-in')")
        self.scenes.guest = {"role": "wall", "name": "tv"}
        self.look("/", "document.getElementById('code').textContent && document.getElementById('clock').textContent")

    def test_the_race(self):
        for count in (8, 16):
            ergs = field(count, spread=2.0)
            ergs[2].name = LONG
            for race in (regatta.race(ergs, "rowing", self.scenes.sent_ms() - 310000,
                                      pace_s_per_500m=108.65, pace_name="club record"),
                         regatta.over(ergs)):
                with self.subTest(f"{count} {race['phase']}"):
                    self.scenes.race = regatta.valid(race)
                    self.scenes.show(ergs)
                    self.look("/race", "document.querySelectorAll('.lane, .result').length"
                              f" === {count} && document.getElementById('clock').textContent",
                              name=f"race-{count}-{race['phase']}")
        self.scenes.race = None

    def test_a_race_of_teams(self):
        self.addCleanup(setattr, self.scenes, "race", None)
        ergs = field(8, spread=2.0)
        ergs[2].name = LONG
        for race in (regatta.race(ergs, "ready", early={"erg-2": 0.31}),
                     regatta.race(ergs, "rowing", self.scenes.sent_ms() - 310000), regatta.over(ergs)):
            regatta.with_teams(race)["teams"][1]["name"] = LONG
            with self.subTest(race["phase"]):
                self.scenes.race = regatta.valid(race)
                self.scenes.show(ergs)
                self.look("/race", f"document.querySelectorAll('.lane, .result').length >= {len(ergs)}"
                                   " && document.getElementById('clock').textContent",
                          name="teams-" + race["phase"])

    def test_races(self):
        self.addCleanup(setattr, self.scenes, "archive", [])
        self.look("/races", "document.getElementById('empty').textContent")
        self.scenes.fleet.gateways, self.scenes.archive = fleet.every_state(), archive()
        # Names without a space and of the greatest length, and the results of a time.
        long = {**self.scenes.archive[0], "name": "Regatta" + "W" * 53, "place": "W" * 60}
        long["events"] = [{"name": LONG, "winners": [LONG, "W" * 80]}] * 3
        timed = {**self.scenes.archive[1], "name": "W" * 60, "duration_s": 1800,
                 "winners": [{"gw": "boathouse", "erg": "erg-3", "name": LONG}],
                 "result": {"revision": 1, "complete": True, "result_time_s": 1800.0, "distance_m": 8412.0}}
        timed.pop("distance_m")
        self.scenes.archive += [regatta.valid(one, "ArchivedEntry") for one in (long, timed)]
        ready = "document.querySelectorAll('#list li').length === 4 && document.querySelector('#actions button')"
        self.look("/races", ready, name="races")
        self.look("/races", ready, name="races-new", opens=("document.querySelector('#actions button').click()",
                                                            "document.querySelector('.dialog')"))

    def test_a_regatta(self):
        self.addCleanup(setattr, self.scenes, "regatta", None)
        self.scenes.fleet.gateways = fleet.every_state()
        ready = "document.querySelectorAll('#actions button').length > 4"
        for found in (sprints(name="W" * 60, place=LONG), teams(name=LONG)):
            event = found["events"][0]
            event["name"] = LONG
            event["entries"][2].update(name="W" * 80, club=LONG)
            self.scenes.regatta = regatta.valid(found, "Regatta")
            self.look(f"/regatta?id={REGATTA_ID}", ready, name="regatta-" + event["kind"])
        # Add entries, add event and settings; edit event, an entry, and row again.
        for button, name in (("#actions button:nth-of-type(2)", "import"), ("#actions button:nth-of-type(3)", "event"),
                             ("#actions button:nth-of-type(4)", "settings"), (".event .head button", "edit"),
                             ("tr:nth-child(2) td button", "entry"), (".heat-actions button", "again")):
            self.look(f"/regatta?id={REGATTA_ID}", ready, name="regatta-" + name,
                      opens=(f"document.querySelector('{button}').click()", "document.querySelector('.dialog')"))

    def test_users_invitations_and_cards(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "users", users.Users())
        self.scenes.guest = {"name": LONG, "role": "captain", "user": "kim"}
        self.scenes.users.add("kim", LONG, "captain", "iPhone, Safari", LONG).add("jo", "W" * 40, "coach")
        self.scenes.users.codes["code"] = "jo"
        ready = "document.querySelectorAll('#users .user-list > li').length > 2"
        self.look("/users", ready, name="users")
        self.look("/users", ready, opens=("document.querySelector('#doing button').click()",
                                          "document.querySelector('.dialog')"))
        self.look("/cards?gw=boathouse", "document.querySelectorAll('.qr').length === 3", name="cards")
        self.look("/invitation", "document.getElementById('text').textContent")

    def test_uploads(self):
        self.addCleanup(setattr, self.scenes, "guest", scenes.COACH)
        self.addCleanup(setattr, self.scenes, "uploads", uploads.Uploads())
        self.scenes.guest = {"name": LONG, "role": "athlete", "athlete_id": "anna"}
        self.scenes.uploads = uploads.Uploads(*uploads.SERVICES).connect("concept2", "W" * 80) \
            .connect("strava", LONG, problem="revoked")
        self.scenes.uploads.uploads["concept2"] = {
            "state": "refused", "changed_ms": messages.NOW_MS, "reason": "the file has no distance; " * 6}
        self.look("/uploads", "document.querySelectorAll('#destinations .user').length === 4", name="uploads")
        session = book.piece(number=1, athlete="anna")
        self.scenes.book.sessions = [session]
        self.look(f"/session?gw={session.gw}&id={session.id}",
                  "document.querySelectorAll('#uploads .user').length === 4")

    def test_sessions(self):
        self.scenes.book.sessions = book.evening() + book.hostile()
        self.look("/sessions", "document.querySelector('.row')")
        for session in (book.piece(), book.intervals(), book.hostile()[1]):
            self.scenes.book.sessions = [session]
            self.look(f"/session?gw={session.gw}&id={session.id}",
                      "!document.getElementById('force').hidden")
        self.scenes.book.sessions = groups.training_group()
        self.look("/sessions", "document.querySelector('.group-head')")
        first = self.scenes.book.sessions[0]
        link = self.scenes.links.add(first.gw, first.id)["link"]
        self.addCleanup(self.scenes.links.links.clear)
        piece, ready = f"/piece?gw={first.gw}&id={first.id}", "document.querySelector('.link-list li')"
        for action in ("", "#exports button:last-child", ".link-list button"):
            self.look(piece, ready, action and f"document.querySelector('{action}').click()")
        additions = f"/api/v1/pieces/{first.gw}/{first.id}/additions"
        self.scenes.book.additions.post(additions, {
            "athlete_id": "mia", "by_hand": {"time_s": 911.4, "day": "2026-11-22"}, "note": "Erg 3 lost its belt"})
        self.addCleanup(self.scenes.book.additions.stored.clear)
        shown = "document.querySelector('#additions button')"
        for action in ("", shown + ".click()"):
            self.look(piece, shown, action)
        self.look("/shared/" + link.rpartition("/")[2], "document.querySelector('.athlete-line')")

    def test_athletes(self):
        self.scenes.book.athletes = [athletes.busy()]
        self.look("/athletes", "document.querySelector('main a[href*=\"athlete?\"]')")
        self.look("/athlete?id=a-17", "document.querySelector('.figure')")

    def test_plans(self):
        self.scenes.plan_store = plans.PlanStore(plans.winter())
        self.look("/plans", "document.getElementById('about').textContent")
        for is_hidden in (True, False):
            plan = plans.tests()
            plan.is_hidden = is_hidden
            self.scenes.plan_store = plans.PlanStore(plan)
            self.look("/plans", "document.getElementById('about').textContent")

    def test_the_plan_editor(self):
        self.scenes.plan_store = plans.PlanStore(plans.winter(), plans.large())
        ready = "!document.getElementById('editor').hidden"
        self.look("/plan-editor?id=winter&week=2026-11-30", ready)
        self.look(f"/plan-editor?id={'a' * 32}&week=2026-11-30", ready)
        self.look("/plan-editor?id=winter&week=2026-11-30", ready, "document.querySelector('.workout').click()")
        self.scenes.plan_store = plans.PlanStore(plans.tests())
        self.look("/plan-editor?id=tests&week=2026-11-30", ready, "document.querySelector('.workout').click()")

    def test_the_club(self):
        self.scenes.book.athletes, self.scenes.book.people = clubhouse.club()
        self.look("/club", "!document.getElementById('season').hidden",
                  "document.querySelector('#weeks > button').click()")
        self.scenes.book.athletes, self.scenes.book.people = [], people.People()

    def test_gateways(self):
        self.scenes.fleet.gateways = fleet.every_state()
        self.look("/gateways", "document.querySelector('main h2')")
