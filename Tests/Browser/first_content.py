"""Measures when each page shows its first content on a slow phone.

The phone is emulated: a processor of a quarter, 150 ms delay, 1.6 Mbit/s, an empty cache. Each page is loaded with
the list of modules and without it, alternately; the middle of five loads counts. It prints milliseconds and asserts
nothing, since they depend on the machine: compare the two columns of one run.
"""

import statistics

import page
import scenes

PAGES = ("/wall", "/coach", "/race", "/sessions", "/athletes", "/plans", "/erg?gw=boathouse&erg=erg-1")
LOADS = 5
PAINT = "return performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0] || 0"


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
    print(f"{'first content in ms':30} with list  without")
    for path in PAGES:
        times = {True: [], False: []}
        for _ in range(LOADS):
            for preloads in times:
                scenes.preloads_modules = preloads
                times[preloads].append(first_content(browser, room.address + path))
        print(f"{path:30} {statistics.median(times[True]):9.0f} {statistics.median(times[False]):8.0f}", flush=True)
    room.kill()
    browser.quit()


if __name__ == "__main__":
    main()
