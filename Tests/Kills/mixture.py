"""MQTT on its way to a client, some of it twice and some of it behind what was sent later."""
import contextlib
import random
import socket
import threading

PUBLISH, AGAIN, ACKNOWLEDGED = 3, 0x08, 0x06
# Of a hundred messages that are acknowledged, so many come later, and so many once more.
LATER, TWICE = 20, 20
# How many others one waits for at most; the broker sends no more than twenty unacknowledged.
BEHIND = 8
# What waits comes after so many seconds in which nothing else does.
IDLE = 0.05


class Frames:
    """Bytes of a connection to packets of MQTT."""

    def __init__(self):
        self.buffer = b""

    def take(self, data):
        self.buffer += data
        while packet := self.first():
            self.buffer = self.buffer[len(packet):]
            yield packet

    def first(self):
        length = 0
        for place, byte in enumerate(self.buffer[1:5]):
            length |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                end = 2 + place + length
                return self.buffer[:end] if len(self.buffer) >= end else None
        return None


class Mixture:
    """What comes later, and what once more. A value without a socket."""

    def __init__(self, chance):
        self.chance, self.waiting, self.later, self.twice = chance, [], 0, 0

    def take(self, packet):
        """What goes on now, in this order."""
        gone = []
        if packet[0] >> 4 != PUBLISH or not packet[0] & ACKNOWLEDGED:
            gone.append(packet)
        elif self.chance.randrange(100) < LATER:
            self.later += 1
            self.hold(packet)
        else:
            gone.append(packet)
            if self.chance.randrange(100) < TWICE:
                self.twice += 1
                self.hold(bytes([packet[0] | AGAIN]) + packet[1:])
        self.waiting = [[left - 1, packet] for left, packet in self.waiting]
        return gone + self.rest(lambda left: left <= 0)

    def hold(self, packet):
        self.waiting.append([self.chance.randint(1, BEHIND), packet])

    def rest(self, is_due=lambda left: True):
        """What waits, and shall no longer."""
        due = [packet for left, packet in self.waiting if is_due(left)]
        self.waiting = [one for one in self.waiting if not is_due(one[0])]
        return due


class Proxy(threading.Thread):
    """Listens on `port`, and mixes what the broker on `upstream` sends."""

    def __init__(self, port, upstream, seed):
        super().__init__(daemon=True)
        self.upstream, self.chance = upstream, random.Random(seed)
        self.mixtures, self.lock = [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", port))

    def run(self):
        while True:
            client, _ = self.listener.accept()
            try:
                broker = socket.create_connection(("127.0.0.1", self.upstream))
            except OSError:
                client.close()
                continue
            with self.lock:
                mixture = Mixture(random.Random(self.chance.random()))
                self.mixtures.append(mixture)
            for work in (lambda c=client, b=broker: self.carry(c, b),
                         lambda c=client, b=broker, m=mixture: self.mix(b, c, m)):
                threading.Thread(target=work, daemon=True).start()

    @staticmethod
    def carry(source, target):
        """As it is, until one of them hangs up."""
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        hang_up(source, target)

    @staticmethod
    def mix(source, target, mixture):
        frames = Frames()
        with contextlib.suppress(OSError):
            while True:
                source.settimeout(IDLE if mixture.waiting else None)
                try:
                    data = source.recv(65536)
                except TimeoutError:
                    target.sendall(b"".join(mixture.rest()))
                    continue
                if not data:
                    break
                for packet in frames.take(data):
                    target.sendall(b"".join(mixture.take(packet)))
        hang_up(source, target)

    def counts(self):
        """Messages that came later, and twice."""
        with self.lock:
            return (sum(one.later for one in self.mixtures), sum(one.twice for one in self.mixtures))


def hang_up(*sockets):
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
