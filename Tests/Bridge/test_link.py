"""Tests the link: cd Tests/Bridge && python3 -m unittest"""
import pathlib
import socket
import sys
import threading
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "Kills")]

from link import Link  # noqa: E402


def echo(listener):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=answer, args=(client,), daemon=True).start()


def answer(client):
    while data := client.recv(100):
        client.sendall(data)


class LinkTests(unittest.TestCase):
    def setUp(self):
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=echo, args=(listener,), daemon=True).start()
        self.link = Link(listener.getsockname()[1])
        self.link.start()

    def connected(self):
        return socket.create_connection(("127.0.0.1", self.link.port), 30)

    def test_cut_link_forwards_after_repair(self):
        """A connection ends with the cut, a new one is refused, a third one works after the repair."""
        before = self.connected()
        self.assertEqual(self.answer(before), b"hello")
        self.link.cut()
        self.assertEqual(self.answer(before), b"")
        self.assertEqual(self.answer(self.connected()), b"")
        self.link.heal()
        self.assertEqual(self.answer(self.connected()), b"hello")

    @staticmethod
    def answer(client):
        """The reply to a request; nothing from a closed connection."""
        try:
            client.sendall(b"hello")
            return client.recv(5)
        except (BrokenPipeError, ConnectionResetError):
            return b""


if __name__ == "__main__":
    unittest.main()
