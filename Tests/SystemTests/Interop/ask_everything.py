"""Tests the HTTP interface of a running rowgate-logbook against its OpenAPI document with schemathesis.

  ask_everything.py ADDRESS TOKEN FOLDER

Session names and cursors are those of the logbook, because others only give 404. Then sends hostile values
in each path name and parameter, cross-origin requests, oversized bodies and requests that never end. Exits
with 0 if every answer matches the document and every attack is refused.
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

# These operations have rules that the schemas cannot express, so a valid body may be refused. Their answers
# must still conform.
SETTINGS = """
# As by default, and a body above the limit, which an invalid one may be as well.
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]
""" + "".join(f"""
[[operations]]
include-operation-id = "{operation}"
checks.positive_data_acceptance.enabled = false
""" for operation in (
    "commands", "suggestionAnswer", "heart", "setPlan", "deletePlan", "removePlan", "races", "race",
    "addAthlete", "setAthlete", "importAthletes", "setGroup", "addUser", "setUser", "acceptInvitation",
    "sharePiece", "addToPiece", "regattas", "changeRegatta"))
# Some are valid athlete ids, which permit most characters. No other name or parameter permits them.
HOSTILE = (
    "' OR '1'='1", "'; DROP TABLE record; --", "\" UNION SELECT body FROM record --", "../../etc/passwd",
    "..\\..\\etc", "%2e%2e%2f", "\0", "a\0b", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b",
    "\u202e", "x" * 2000, "9" * 40, "-1.5", "1.0e999", "$(id)", "{{7*7}}")
# Bytes of an oversized body, and number of idle connections; the server accepts 600.
TOO_LARGE, IDLE = 10_000_000, 500
PLAN = {
    "group": {"athletes": ["a-1"]},
    "workouts": [{"day": "2026-12-01", "workout": "2000m"}],
}


class Logbook:
    def __init__(self, address, token):
        self.address = address.rstrip("/")
        self.token = token

    def request(self, path, content=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.address + path, body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def document(self):
        """Returns the served document with examples from the store."""
        document = self.request("/api/v1/openapi.json")
        session = self.request("/api/v1/sessions?state=verified&limit=1")["sessions"][0]
        parameters = document["components"]["parameters"]
        for name in ("gw", "session_id"):
            parameters[name]["example"] = session[name]
        plan = self.request("/api/v1/plans/winter/set", PLAN)
        names = session | {"plan_id": plan["id"]}
        for path, operations in document["paths"].items():
            for operation in operations.values():
                if isinstance(operation, dict) and "parameters" in operation:
                    self.add_cursor(operation, path.format(**names), parameters["cursor"])
        return document

    def add_cursor(self, operation, path, cursor):
        """Adds a valid cursor, unless the list has a single page."""
        reference = {"$ref": "#/components/parameters/cursor"}
        if reference not in operation["parameters"]:
            return
        operation["parameters"].remove(reference)
        if mark := self.request(path + "?limit=1").get("next"):
            operation["parameters"].append(cursor | {"schema": {"enum": [mark]}})


class Attack:
    """Hostile requests; `errors` collects those that were not refused."""

    def __init__(self, logbook, document):
        self.logbook, self.document = logbook, document
        session = logbook.request("/api/v1/sessions?state=verified&limit=1")["sessions"][0]
        # Values of path names; no race exists.
        self.names = session | {"plan_id": "winter", "group_id": "juniors", "race_id": "0" * 26,
                                "regatta_id": "0" * 26, "user_id": "kim", "device_id": "0123456789ab"}
        self.host = urllib.parse.urlsplit(logbook.address).netloc
        self.requests, self.errors = 0, []

    def operations(self, method):
        return [(path, entry[method]) for path, entry in self.document["paths"].items()
                if method in entry and path != "/api/v1/live"]

    def status(self, method, path, headers=(), body=None):
        """Sends a request on its own connection, and returns status and content type."""
        connection = http.client.HTTPConnection(self.host, timeout=120)
        try:
            connection.request(method, path, body, {
                "Authorization": "Bearer " + self.logbook.token, **dict(headers)})
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("Content-Type")
        finally:
            connection.close()

    def expect(self, statuses, method, path, headers=(), body=None):
        self.requests += 1
        status, kind = self.status(method, path, headers, body)
        problem = "application/json" if status == 200 else "application/problem+json"
        if status not in statuses or kind != problem:
            self.errors.append("%s %s: %d %s" % (method, path[:200], status, kind))

    def inject(self):
        """Sends each hostile text as each name and parameter, with valid values for the others."""
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
        """Returns the expected statuses. A valid but unknown athlete id can give an empty list.

        Wrong codes of links are limited. The server does not decode %00 in a path.
        """
        if name == "code":
            return 404, 429
        schema = self.document["components"]["parameters"]["athlete_id"]["schema"]
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        is_id = re.search(schema["pattern"], text.replace("\0", "%00"))
        return (200, 400, 404) if name == "athlete_id" and is_id else (400, 404)

    def name(self, reference):
        """Returns the name of a parameter, which may be a reference."""
        at = reference.get("$ref", "").rsplit("/", 1)[-1]
        return self.document["components"]["parameters"][at]["name"] if at else reference["name"]

    def cross_origin(self):
        changes = [(method, path) for method in ("post", "delete") for path, _ in self.operations(method)]
        for method, path in changes:
            for origin in ("http://evil.example", "null", "http://%s.evil.example" % self.host):
                self.expect((403,), method.upper(), path, {
                    "Origin": origin, "Content-Type": "application/json"},
                    b"{}" if method == "post" else None)

    def oversized_body(self):
        """Announces an oversized body, which the server must refuse before it is sent."""
        for path, _ in self.operations("post"):
            with socket.create_connection(self.host.split(":"), timeout=120) as client:
                client.sendall((
                    "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                    "Content-Length: %d\r\n\r\n" % (path, self.host, TOO_LARGE)).encode())
                answer = client.recv(4096)
            self.requests += 1
            if b" 413 " not in answer.split(b"\r\n")[0]:
                self.errors.append("10 MB to %s: %s" % (path, answer[:80]))

    def hold_connections(self):
        """Occupies most connections with requests that never end."""
        clients = [socket.create_connection(self.host.split(":")) for _ in range(IDLE)]
        try:
            for client in clients:
                client.sendall(b"GET /api/v1/sessions HTTP/1.1\r\nHost: ")
            self.requests += 1
            if self.status("GET", "/api/v1/sessions")[0] != 200:
                self.errors.append("slow clients block other requests")
        finally:
            for client in clients:
                client.close()

    def run(self):
        before = self.logbook.request("/api/v1/sessions")
        for step in (self.inject, self.cross_origin, self.oversized_body, self.hold_connections):
            step()
        if self.logbook.request("/api/v1/sessions") != before:
            self.errors.append("the sessions have changed")
        print("Attacked: %d requests, %d not refused" % (self.requests, len(self.errors)))
        print("\n".join(self.errors[:40]))
        return not self.errors


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
