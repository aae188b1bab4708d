"""Whose a message is, and of which kind, by its topic."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "scenarios"))
from machine import Message  # noqa: E402


class MessageTests(unittest.TestCase):
    def test_kinds(self):
        """The room's `live` belongs to no erg: eight ergs are not seven and the room."""
        for path, erg, kind in [
                ("erg/erg-1/live", "erg-1", "live"), ("erg/erg-1/cmd/workout", "erg-1", "cmd/workout"),
                ("room/live", None, "room/live"), ("crew/bow/live", None, "crew/bow/live"),
                ("health", None, "health")]:
            message = Message(0.0, False, "rowgate/v1/boathouse/" + path, "{}")
            self.assertEqual((message.erg, message.kind), (erg, kind))


if __name__ == "__main__":
    unittest.main()
