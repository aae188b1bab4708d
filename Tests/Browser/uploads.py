"""Test answers about uploads to other services, as rowgate-logbook gives them. Answers are validated against the
interface's schema.
"""

import re

import messages
from athletes import checked

SERVICES = {"concept2": "authorization", "intervals_icu": "key", "strava": "authorization", "webhook": "address"}


class Uploads:
    """The accounts of the guest, and the uploads of one session."""

    def __init__(self, *destinations):
        self.destinations = destinations
        self.accounts, self.uploads, self.refusal = {}, {}, None
        self.posted = []

    def connect(self, destination, label, **more):
        self.accounts[destination] = {"label": label, "since_ms": messages.NOW_MS - 86_400_000, **more}
        return self

    def handles(self, path):
        return re.fullmatch(r"/api/v1/(me/uploads(/\w+)?|sessions/[^/]+/[^/]+/uploads)", path) is not None

    def get(self, path, guest):
        if path.startswith("/api/v1/sessions/"):
            return 200, {"uploads": [checked("SessionUpload", self.upload(one)) for one in self.destinations]}
        if guest.get("role") != "athlete":
            return 409, {"code": "not_an_athlete", "detail": "only athletes connect accounts"}
        found = [{"destination": one, "access": SERVICES[one]}
                 | ({"account": self.accounts[one]} if one in self.accounts else {}) for one in self.destinations]
        return 200, {"destinations": [checked("UploadAccount", one) for one in found]}

    def upload(self, destination):
        account = self.accounts.get(destination)
        problem = {"problem": account["problem"]} if account and "problem" in account else {}
        return {"destination": destination, "connected": bool(account), **problem, **self.uploads.get(destination, {})}

    def post(self, path, content):
        self.posted.append((path, content))
        if self.refusal:
            return self.refusal
        if path.startswith("/api/v1/sessions/"):
            name = content["destination"]
            self.uploads[name] = {"state": "pending", "changed_ms": messages.NOW_MS, "next_ms": messages.NOW_MS}
            return 200, checked("SessionUpload", {"destination": name, **self.uploads[name]})
        if path == "/api/v1/me/uploads":
            self.connect("strava", "Anna M.")
            return 200, {"label": "Anna M."}
        name = path.rpartition("/")[2]
        if SERVICES[name] == "authorization":
            return 200, {"address": f"/uploads?state=st&code=c0de&service={name}"}
        self.connect(name, "Anna M." if name == "intervals_icu" else "example.org")
        return 200, {"label": "Anna M."} if name == "intervals_icu" else {"secret": "whsec_" + "x" * 44}

    def delete(self, path):
        self.accounts.pop(path.rpartition("/")[2], None)
        return 200, {}
