"""Test answers about users, devices and invitations, as rowgate-logbook gives them. Answers are validated against the
interface's schema.
"""

import re

import messages
from athletes import checked

DAY = 86_400_000
# The finder pattern of a QR code in the upper left corner; tests with a real logbook read whole codes.
QR = {"size": 37, "path": "M4 4h7v1h-7zM4 5h1v5h-1zM10 5h1v5h-1zM4 10h7v1h-7zM6 6h3v3h-3z"}


class Users:
    """The users that the tests' server stores."""

    def __init__(self):
        self.users, self.deleted = {}, []
        # Links that are not used yet, by their code: the user's id.
        self.codes = {}

    def add(self, user, name, role, *devices, **more):
        self.users[user] = {"user_id": user, "name": name, "role": role, "created_ms": messages.NOW_MS - DAY,
                            **more, "devices": [self.device(number, text) for number, text in enumerate(devices)]}
        return self

    @staticmethod
    def device(number, name):
        return {"device_id": f"{number:012x}", "name": name, "created_ms": messages.NOW_MS - 9 * DAY,
                "seen_ms": messages.NOW_MS - number * DAY}

    def handles(self, path):
        return re.fullmatch(r"/api/v1/(users(/.*)?|me/devices(/.*)?|invitation/\w+|athletes/[^/]+/invitation"
                            r"|gateways/[^/]+/cards)", path) is not None

    def get(self, path, guest):
        if path.endswith("/cards"):
            gw = path.split("/")[4]
            cards = [{"erg": erg, "link": f"http://boathouse:8080/e/{gw}/{erg}", "qr": QR}
                     for erg in ("erg-1", "erg-2", "erg-3")]
            return 200, checked("ErgCards", {"gw": gw, "cards": [] if gw == "empty" else cards})
        if path == "/api/v1/users":
            return 200, checked("Users", {"users": list(self.users.values())})
        user = self.users.get(guest.get("user"))
        if not user:
            return 409, {"code": "no_user", "detail": "a token belongs to no user"}
        first, *others = user["devices"]
        return 200, checked("User", {**user, "devices": [{**first, "is_this_device": True}, *others]})

    def post(self, path, content):
        what, *names = path.removeprefix("/api/v1/").split("/")
        if what == "invitation":
            user = self.users.get(self.codes.get(content["code"], ""))
            if not user:
                return 404, {"code": "unknown_invitation", "detail": "ask your coach for a new one"}
            if names == ["check"]:
                checked("InvitationCode", content)
                return 200, checked("CheckedInvitation", {
                    "name": user["name"], "role": user["role"], "expires_ms": messages.NOW_MS + DAY})
            user["name"] = checked("AcceptInvitation", content).get("name", user["name"])
            del self.codes[content["code"]]
            athlete = {"athlete_id": user["athlete_id"]} if "athlete_id" in user else {}
            return 200, checked("Guest", {"name": user["name"], "role": user["role"], **athlete})
        if what == "athletes":
            return self.invited(names[0], "Anna Meier", "athlete")
        if not names:
            checked("AddUser", content)
            user = content["name"].lower().replace(" ", "-")
            self.add(user, content["name"], content["role"])
            return self.invited(user, content["name"], content["role"])
        user = self.users[names[0]]
        if names[1:] == ["invitation"]:
            return self.invited(names[0], user["name"], user["role"])
        user.update(checked("SetUser", content))
        return 200, checked("User", user)

    def invited(self, user, name, role):
        if user in self.users:
            self.users[user]["invited_until_ms"] = messages.NOW_MS + 7 * DAY
        return 200, checked("Invitation", {
            "user_id": user, "name": name, "role": role, "expires_ms": messages.NOW_MS + 7 * DAY,
            "link": "http://boathouse:8080/invitation#k7m2-9xqd-4t8w-hz3c-6vnp", "qr": QR})

    def delete(self, path):
        self.deleted.append(path)
        what, *names = path.removeprefix("/api/v1/").split("/")
        if what == "users" and len(names) == 1:
            del self.users[names[0]]
        if names[1:] == ["invitation"]:
            del self.users[names[0]]["invited_until_ms"]
            return 200, self.users[names[0]]
        return 200, {}
