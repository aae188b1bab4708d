"""Measures when each page shows its first content on a slow phone, and its longest task.

The phone is emulated: a processor of a quarter, 150 ms delay, 1.6 Mbit/s, an empty cache. Each page is loaded with
the list of modules and without it, alternately; the middle of five loads counts. The longest task of the page's thread
counts until four seconds after the page is loaded. The club has 96 athletes, the piece 64. It prints milliseconds and
asserts nothing, since they depend on the machine: compare the columns of one run.
"""

import statistics
import time

import book
import clubhouse
import groups
import page
import scenes
import test_races

PAGES = ("/wall", "/coach", "/race", "/sessions", "/athletes", "/plans", "/erg?gw=boathouse&erg=erg-1", "/club",
         "/plan-editor", "/races", "/regatta?id=1", "/gateways", "/users", "/uploads")
LOADS = 5
PAINT = "return performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0] || 0"
TASKS = """window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: 'longtask', buffered: true });"""
LONGEST = "return document.readyState === 'complete' ? Math.max(0, ...window.longTasks) : -1"


def longest_task(browser):
    """Milliseconds of the longest task of the page, 0 below 50 ms."""
    while browser.execute_script(LONGEST) < 0:
        time.sleep(0.1)
    time.sleep(4)
    return browser.execute_script(LONGEST)


def first_content(browser, address):
    """Milliseconds from the request to the first text or image."""
    browser.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.get(address)
    for _ in range(200):
        found = browser.execute_script(PAINT)
        if found:
            return found
    raise AssertionError(f"{address} never showed anything")


def main():
    browser = page.start_browser()
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 96_000})
    browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 4})
    width, height = page.PHONE
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 2, "mobile": True})
    room = scenes.Scenes()
    room.show(scenes.rowers(8))
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TASKS})
    room.guest = scenes.COACH
    room.book = book.SessionStore(groups.training_group(64))
    room.book.athletes, room.book.people = clubhouse.club(96)
    piece = room.book.sessions[0]
    print(f"{'first content in ms':36} with list  without  longest task")
    room.regatta = test_races.sprints()
    session = f"gw={piece.gw}&id={piece.id}"
    for path in (*PAGES, f"/athlete?id={piece.athlete}", f"/session?{session}", f"/piece?{session}"):
        times, tasks = {True: [], False: []}, []
        for _ in range(LOADS):
            for preloads in times:
                scenes.preloads_modules = preloads
                times[preloads].append(first_content(browser, room.address + path))
                if preloads:
                    tasks.append(longest_task(browser))
        print(f"{path.partition('&id=')[0]:36} {statistics.median(times[True]):9.0f} "
              f"{statistics.median(times[False]):8.0f} {statistics.median(tasks):13.0f}", flush=True)
    room.kill()
    browser.quit()


if __name__ == "__main__":
    main()
