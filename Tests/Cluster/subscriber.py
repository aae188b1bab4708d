"""An MQTT 5 client that exposes all packets of a broker, including refusals and DISCONNECT."""
import contextlib
import json
import socket
import struct
import time

from cluster import PORT
from room import Trouble

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, DISCONNECT = 1, 2, 3, 4, 8, 9, 14
# `online` counts beside a health that is younger: two of its periods.
HEALTH_LIFETIME = 60


def varint(number):
    out = b""
    while True:
        number, byte = number >> 7, number & 0x7F
        out += bytes([byte | (0x80 if number else 0)])
        if not number:
            return out


def text(value):
    return struct.pack(">H", len(value.encode())) + value.encode()


class Client:
    """Waits for the next packet for `patience` seconds; then raises TimeoutError."""

    def __init__(self, address, user=None, patience=30):
        self.socket, self.buffer = socket.create_connection((address, PORT), patience), b""
        flags = 0xC2 if user else 0x02
        names = text("") + (text(user) + text(user) if user else b"")
        self.send(CONNECT, text("MQTT") + bytes([5, flags, 0, 60, 0]) + names)
        self.expect(CONNACK, "CONNECT", lambda body: body[1])

    def send(self, kind, body, flags=0):
        self.socket.sendall(bytes([kind << 4 | flags]) + varint(len(body)) + body)

    def read(self):
        """The next packet: its kind, its flags, its body; None if the broker has closed the connection."""
        while (packet := self.arrived()) is None:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.buffer += data
        return packet

    def arrived(self):
        length = 0
        for place, byte in enumerate(self.buffer[1:5]):
            length |= (byte & 0x7F) << 7 * place
            begin = 2 + place
            if byte < 0x80 and len(self.buffer) >= begin + length:
                head, body = self.buffer[0], self.buffer[begin:begin + length]
                self.buffer = self.buffer[begin + length:]
                return head >> 4, head & 15, body
            if byte < 0x80:
                break
        return None

    def expect(self, kind, what, reason):
        packet = self.read()
        if packet is None or packet[0] != kind or reason(packet[2]) >= 0x80:
            raise Trouble("to %s the broker says %s" % (what, packet))

    def subscribe(self, *topics):
        filters = b"".join(text(topic) + b"\x01" for topic in topics)
        self.send(SUBSCRIBE, b"\0\1\0" + filters, 2)
        self.expect(SUBACK, "SUBSCRIBE", lambda body: max(body[3:]))

    def publish(self, topic, payload):
        self.send(PUBLISH, text(topic) + b"\0\2\0" + payload.encode(), 2)

    def expect_acknowledged(self):
        """Waits for the PUBACK of the last publish."""
        self.expect(PUBACK, "PUBLISH", lambda body: body[2] if len(body) > 2 else 0)

    def message(self):
        """The next message: topic, payload, whether it was retained."""
        packet = self.read()
        if packet is None or packet[0] != PUBLISH:
            raise Trouble("instead of a message the broker sends %s" % (packet or "nothing any more",))
        _, flags, body = packet
        length = 2 + struct.unpack(">H", body[:2])[0]
        topic, rest = body[2:length].decode(), body[length:]
        if flags & 6:
            self.send(PUBACK, rest[:2])
            rest = rest[2:]
        return topic, rest[1 + rest[0]:].decode(), bool(flags & 1)

    def close(self):
        self.socket.close()


def health_age(payload):
    return time.time() - json.loads(payload)["ts_ms"] / 1000


class Onlooker:
    """A new subscriber at a node that determines whether the gateway is available."""

    def __init__(self, address, gateway):
        self.client = Client(address, patience=1)
        self.topics = ["rowgate/v1/%s/%s" % (gateway, name) for name in ("availability", "health")]
        self.client.subscribe(*self.topics)
        self.availability = self.health = self.kept = None

    def look(self):
        """Reads new messages; returns whether the gateway counts as available."""
        with contextlib.suppress(TimeoutError):
            while True:
                topic, payload, is_kept = self.client.message()
                if topic == self.topics[1]:
                    self.health = payload
                else:
                    self.availability = payload
                    self.kept = payload if is_kept else self.kept
        is_young = self.health is not None and health_age(self.health) < HEALTH_LIFETIME
        return self.availability == "online" and is_young


def refusal(address, user, topic):
    """Describes how a node reacts to a publish that the user is not permitted."""
    client = Client(address, user)
    client.publish(topic, "x")
    said = []
    while (packet := client.read()) is not None:
        kind, _, body = packet
        reason = body[2:3] if kind == PUBACK else body[:1]
        said.append("%s %s" % (
            {PUBACK: "PUBACK", DISCONNECT: "DISCONNECT"}.get(kind, "packet %d" % kind),
            "0x" + reason.hex() if reason else "without a reason"))
    return ", ".join(said + ["the connection ends"])
