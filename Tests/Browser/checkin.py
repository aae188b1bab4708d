"""Test answers about check-ins and room devices, as rowgate-logbook gives them. Answers are validated against the
interface's schema.
"""

import re

from athletes import checked

COMMAND = 202, {}


class CheckIn:
    """The check-in of the tests' server, with one phone."""

    def __init__(self):
        # The code on the wall; empty if this reader does not get it. Whether phones can check in.
        self.code, self.availability = "", "closed"
        # Names by athlete id; the athlete as whom the phone checked in, and whether it has entered the code.
        self.names, self.athlete, self.has_ticket = {}, "", False
        # Ergs where another athlete is assigned.
        self.occupied = set()

    @staticmethod
    def handles(path):
        return re.fullmatch(r"/api/v1/(check-in/\w+|ergs/[^/]+/[^/]+/(check-in(/athlete)?|assignment))",
                            path) is not None

    def get(self, path):
        if path.endswith("/code"):
            return 200, checked("ShownCode", {"code": self.code, "changes_in_ms": 240_000} if self.code else {})
        if path.endswith("/athletes"):
            return self.choice()
        athlete = {"athlete_id": self.athlete} if self.athlete else {}
        return 200, checked("CheckInState", {"check_in": self.availability, **athlete})

    def choice(self):
        return 200, checked("AthleteChoice", {
            "athletes": [{"athlete_id": athlete, "name": name} for athlete, name in self.names.items()]})

    def post(self, path, content):
        erg = path.split("/")[5]
        if path.endswith("/check-in"):
            if checked("CheckInCode", content)["code"] != self.code:
                return 403, {"code": "wrong_code", "detail": "this code is wrong"}
            self.has_ticket = True
            return self.choice()
        checked("ErgAssignment" if path.endswith("/assignment") else "CheckIn", content)
        if path.endswith("/athlete") and not self.has_ticket:
            return 409, {"code": "check_in_over", "detail": "this check-in is over"}
        if erg in self.occupied and not content.get("replace"):
            return 409, {"code": "occupied", "detail": "another athlete is assigned"}
        if path.endswith("/athlete"):
            self.athlete, self.has_ticket = content["athlete_id"], False
        return COMMAND

    def delete(self, path):
        if path.endswith("/check-in"):
            self.athlete = ""
        return COMMAND
