"""Has schemathesis ask a running rowgate-logbook everything that its document allows and forbids.

  ask_everything.py ADDRESS TOKEN FOLDER

Names of a session, and cursors, are those that the logbook has at this moment: an address that somebody
makes up tells of nothing. Exits with schemathesis' status: 0 when every answer is what the document says.
"""

import json
import pathlib
import subprocess
import sys
import urllib.request

# The stream has no end. A command and a plan have rules that no schema tells, which say what they refuse;
# what they answer has to conform all the same.
SETTINGS = "".join(f"""
[[operations]]
include-operation-id = "{operation}"
checks.positive_data_acceptance.enabled = false
""" for operation in ("commands", "setPlan", "removePlan"))
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


def main(address, token, folder):
    document, settings = (pathlib.Path(folder, name) for name in ("document.json", "settings.toml"))
    document.write_text(json.dumps(Logbook(address, token).document()))
    settings.write_text(SETTINGS)
    return subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", settings, "run", document,
         "--url", address, "--header", f"Authorization: Bearer {token}",
         "--exclude-path", "/api/v1/live", "--phases", "examples,coverage,fuzzing",
         "--max-examples", "10", "--seed", "1", "--generation-database", "none",
         "--request-timeout", "120",
         "--generation-with-security-parameters", "false", "--no-color"], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
