"""Has schemathesis ask a running rowgate-logbook everything that its document allows and forbids.

  ask_everything.py ADDRESS TOKEN FOLDER

Names of a session, and cursors, are those that the logbook has at this moment: an address that somebody
makes up tells of nothing. Then each name and each parameter of each address is something that wants out of
a statement, a folder or a page; other sites write; bodies are too large; and clients hold connections and
ask for nothing. Exits with 0 when every answer is what the document says, and each of these is refused.
"""

import http.client
import json
import pathlib
import re
import socket
import subprocess
import sys
import urllib.parse
import urllib.request

# The stream has no end. A command, a word on a suggestion, two heart rates, a plan and a race have rules that no schema tells, which
# say what they refuse; what they answer has to conform all the same.
SETTINGS = "".join(f"""
[[operations]]
include-operation-id = "{operation}"
checks.positive_data_acceptance.enabled = false
""" for operation in ("commands", "suggestionAnswer", "heart", "setPlan", "removePlan", "races", "race"))
# Some of them are athlete ids, which may have most characters; else none is what a name or a parameter can be.
HOSTILE = (
    "' OR '1'='1", "'; DROP TABLE record; --", "\" UNION SELECT body FROM record --", "../../etc/passwd",
    "..\\..\\etc", "%2e%2e%2f", "\0", "a\0b", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b",
    "\u202e", "x" * 2000, "9" * 40, "-1.5", "1.0e999", "$(id)", "{{7*7}}")
# Bytes of a body that nobody reads, and connections that ask for nothing; the server has 320.
TOO_LARGE, IDLE = 10_000_000, 250
PLAN = {
    "group": {"athletes": ["a-1"]},
    "workouts": [{"day": "2026-12-01", "workout": "2000m"}],
}


class Logbook:
    def __init__(self, address, token):
        self.address = address.rstrip("/")
        self.token = token

    def tell(self, path, content=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.address + path, body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def document(self):
        """As it is served, with examples of what there is."""
        document = self.tell("/api/v1/openapi.json")
        session = self.tell("/api/v1/sessions?state=verified&limit=1")["sessions"][0]
        parameters = document["components"]["parameters"]
        for name in ("gw", "session_id"):
            parameters[name]["example"] = session[name]
        plan = self.tell("/api/v1/plans/winter/set", PLAN)
        names = session | {"plan_id": plan["id"]}
        for path, operations in document["paths"].items():
            for operation in operations.values():
                if isinstance(operation, dict) and "parameters" in operation:
                    self.fill_in_cursor(operation, path.format(**names), parameters["cursor"])
        return document

    def fill_in_cursor(self, operation, path, cursor):
        """A list of one page has no cursor."""
        reference = {"$ref": "#/components/parameters/cursor"}
        if reference not in operation["parameters"]:
            return
        operation["parameters"].remove(reference)
        if mark := self.tell(path + "?limit=1").get("next"):
            operation["parameters"].append(cursor | {"schema": {"enum": [mark]}})


class Attack:
    """What is not refused as it should be is in `complaints`."""

    def __init__(self, logbook, document):
        self.logbook, self.document = logbook, document
        session = logbook.tell("/api/v1/sessions?state=verified&limit=1")["sessions"][0]
        # What stands for the names of paths; there was no race.
        self.names = session | {"plan_id": "winter", "race_id": "0" * 26}
        self.place = urllib.parse.urlsplit(logbook.address).netloc
        self.asked, self.complaints = 0, []

    def operations(self, method):
        return [(path, entry[method]) for path, entry in self.document["paths"].items()
                if method in entry and path != "/api/v1/live"]

    def status(self, method, path, headers=(), body=None):
        """Of one request on a connection of its own; its answer's type."""
        connection = http.client.HTTPConnection(self.place, timeout=120)
        try:
            connection.request(method, path, body, {
                "Authorization": "Bearer " + self.logbook.token, **dict(headers)})
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("Content-Type")
        finally:
            connection.close()

    def expect(self, statuses, method, path, headers=(), body=None):
        self.asked += 1
        status, kind = self.status(method, path, headers, body)
        problem = "application/json" if status == 200 else "application/problem+json"
        if status not in statuses or kind != problem:
            self.complaints.append("%s %s: %d %s" % (method, path[:200], status, kind))

    def inject(self):
        """One name or parameter after the other; the others are right."""
        for path, operation in self.operations("get"):
            names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
            for text in HOSTILE:
                quoted = urllib.parse.quote(text, safe="")
                for name in names:
                    self.expect(self.statuses(name, text), "GET", path.format(**{
                        **self.names, name: quoted}))
                for reference in operation.get("parameters", ()):
                    name = self.name(reference)
                    if name not in names:
                        self.expect(self.statuses(name, text), "GET", "%s?%s=%s" % (
                            path.format(**self.names), name, quoted))

    def statuses(self, name, text):
        """That answer a hostile text. Of an athlete who rowed nothing, a list is empty; some need more.

        A path has no NUL: its escape is three characters like others.
        """
        schema = self.document["components"]["parameters"]["athlete_id"]["schema"]
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        is_id = re.search(schema["pattern"], text.replace("\0", "%00"))
        return (200, 400, 404) if name == "athlete_id" and is_id else (400, 404)

    def name(self, reference):
        """Of a parameter, which the document may have elsewhere."""
        at = reference.get("$ref", "").rsplit("/", 1)[-1]
        return self.document["components"]["parameters"][at]["name"] if at else reference["name"]

    def write_from_elsewhere(self):
        for path, _ in self.operations("post"):
            for origin in ("http://evil.example", "null", "http://%s.evil.example" % self.place):
                self.expect((403,), "POST", path, {
                    "Origin": origin, "Content-Type": "application/json"}, b"{}")

    def send_too_much(self):
        """The refusal comes before the body, of which nothing is sent here."""
        for path, _ in self.operations("post"):
            with socket.create_connection(self.place.split(":"), timeout=120) as client:
                client.sendall((
                    "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                    "Content-Length: %d\r\n\r\n" % (path, self.place, TOO_LARGE)).encode())
                answer = client.recv(4096)
            self.asked += 1
            if b" 413 " not in answer.split(b"\r\n")[0]:
                self.complaints.append("10 MB to %s: %s" % (path, answer[:80]))

    def hold(self):
        """Most connections are taken by clients whose request never ends."""
        clients = [socket.create_connection(self.place.split(":")) for _ in range(IDLE)]
        try:
            for client in clients:
                client.sendall(b"GET /api/v1/sessions HTTP/1.1\r\nHost: ")
            self.asked += 1
            if self.status("GET", "/api/v1/sessions")[0] != 200:
                self.complaints.append("nobody is served beside slow clients")
        finally:
            for client in clients:
                client.close()

    def run(self):
        before = self.logbook.tell("/api/v1/sessions")
        for step in (self.inject, self.write_from_elsewhere, self.send_too_much, self.hold):
            step()
        if self.logbook.tell("/api/v1/sessions") != before:
            self.complaints.append("the sessions are not what they were")
        print("Attacked: %d requests, %d not refused" % (self.asked, len(self.complaints)))
        print("\n".join(self.complaints[:40]))
        return not self.complaints


def main(address, token, folder):
    document, settings = (pathlib.Path(folder, name) for name in ("document.json", "settings.toml"))
    logbook = Logbook(address, token)
    document.write_text(json.dumps(logbook.document()))
    settings.write_text(SETTINGS)
    status = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", settings, "run", document,
         "--url", address, "--header", f"Authorization: Bearer {token}",
         "--exclude-path", "/api/v1/live", "--phases", "examples,coverage,fuzzing",
         "--max-examples", "10", "--seed", "1", "--generation-database", "none",
         "--request-timeout", "120",
         "--generation-with-security-parameters", "false", "--no-color"], cwd=folder).returncode
    is_refused = Attack(logbook, json.loads(document.read_text())).run()
    return status if is_refused else status or 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
