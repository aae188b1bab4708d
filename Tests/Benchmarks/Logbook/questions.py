"""A coach's requests about a season, over HTTP, and their response times."""
import http.client
import json
import statistics
import subprocess
import time

# In milliseconds.
DAY = 86_400_000


class Asker:
    """One client with one connection, like a web page."""

    def __init__(self, address, token):
        self.connection = http.client.HTTPConnection(address, timeout=600)
        self.headers = {"Authorization": "Bearer " + token}

    def accepts(self, path):
        """Whether the request succeeds now."""
        return self.request(path)[0] == 200

    def ask(self, path):
        """Returns milliseconds, and the response."""
        begin = time.monotonic()
        status, body = self.request(path)
        milliseconds = (time.monotonic() - begin) * 1000
        if status != 200:
            raise SystemExit("%s: %d %s" % (path, status, body[:300]))
        return milliseconds, body

    def request(self, path):
        """Returns the status, and the response."""
        self.connection.request("GET", "/api/v1" + path, headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        return answer.status, body


def day(milliseconds):
    return time.strftime("%Y-%m-%d", time.gmtime(milliseconds / 1000))


def questions(asker):
    """Titles and requests about the last day with a 2000 m piece, and about an athlete and a room that rowed it."""
    last = json.loads(asker.ask("/sessions?limit=1000")[1])["sessions"]
    mine = next((one for one in last if one.get("workout") == "2000m"), last[0])
    name = "/%s/%s" % (mine["gw"], mine["session_id"])
    session, piece = "/sessions" + name, "/pieces" + name
    athlete, today = mine["athlete_id"], mine["started_ms"]
    return [
        ("the last sessions", "/sessions?limit=50"),
        ("the sessions of a day", "/sessions?from=%s&to=%s&limit=200" % (day(today), day(today))),
        ("the sessions of a week", "/sessions?from=%s&to=%s&limit=1000" % (
            day(today - 6 * DAY), day(today))),
        ("all athletes", "/athletes?limit=1000"),
        ("an athlete's sessions", "/sessions?athlete_id=%s&limit=100" % athlete),
        ("one session", session),
        ("its strokes", session + "/strokes?limit=1000"),
        ("its force curves", session + "/forces?limit=1000"),
        ("an athlete's bests", "/athletes/" + athlete),
        ("an athlete's zones", "/athletes/%s/training" % athlete),
        ("an athlete's weeks", "/athletes/%s/volume?by=week" % athlete),
        ("the season of the club", "/club"),
        ("the season as a table", "/club/export"),
        ("the last pieces", "/pieces?limit=30"),
        ("the pieces of a workout", "/pieces?workout=2000m&limit=30"),
        ("an athlete's pieces", "/pieces?athlete_id=%s&limit=30" % athlete),
        ("one piece", piece),
        ("its table", piece + "/export?format=csv"),
        ("its FIT files", piece + "/export?format=fit"),
        ("a session as a FIT file", session + "/export?format=fit"),
    ]


def measure(asker, times, cpu):
    """Prints for each request the first response time, the median and maximum of the others, and the
    processor time of the program for one, which a busy machine does not change.

    `cpu`: returns the processor time used so far, in nanoseconds.
    """
    print("  %-26s %9s %9s %9s %19s %6s" % ("", "first", "median", "slowest", "CPU: first, later",
                                            "kB"))
    for words, path in questions(asker):
        begin = cpu()
        first, body = asker.ask(path)
        between = cpu()
        again = [asker.ask(path)[0] for _ in range(times)]
        print("  %-26s %6.1f ms %6.1f ms %6.1f ms %7.1f ms %6.1f ms %6.0f  GET %s" % (
            words, first, statistics.median(again), max(again), (between - begin) / 1e6,
            (cpu() - between) / 1e6 / times, len(body) / 1024, path), flush=True)


def token(program, configuration):
    """Creates a coach's token, which is printed on a separate line."""
    said = subprocess.run(
        [program, "token", "add", "figures", "--role", "coach", "--config", configuration],
        capture_output=True, text=True, check=True).stdout
    return next(line for line in said.splitlines() if line.count("-") == 4 and " " not in line)
