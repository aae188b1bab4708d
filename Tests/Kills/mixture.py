"""A proxy that duplicates and reorders MQTT packets on their way to a client."""
import contextlib
import random
import socket
import threading

PUBLISH, AGAIN, ACKNOWLEDGED = 3, 0x08, 0x06
# Percentages of acknowledged messages that are delayed, and that are duplicated.
LATER, TWICE = 20, 20
# The most messages that overtake a delayed one; the broker sends at most twenty unacknowledged.
BEHIND = 8
# Delayed messages are sent after this many seconds without other messages.
IDLE = 0.05


class Frames:
    """Splits the bytes of a connection into MQTT packets."""

    def __init__(self):
        self.buffer = b""

    def split(self, data):
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
    """Delays and duplicates packets. Independent of sockets."""

    def __init__(self, chance):
        self.chance, self.waiting, self.later, self.twice = chance, [], 0, 0

    def process(self, packet):
        """Returns the packets to forward now, in this order."""
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
        """Removes and returns the waiting packets that are due."""
        due = [packet for left, packet in self.waiting if is_due(left)]
        self.waiting = [one for one in self.waiting if not is_due(one[0])]
        return due


class Proxy(threading.Thread):
    """Listens on `port`, and duplicates and reorders the packets of the broker on `upstream`."""

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
        """Forwards bytes unchanged until one side closes."""
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
                for packet in frames.split(data):
                    target.sendall(b"".join(mixture.process(packet)))
        hang_up(source, target)

    def counts(self):
        """Numbers of delayed and of duplicated messages."""
        with self.lock:
            return (sum(one.later for one in self.mixtures), sum(one.twice for one in self.mixtures))


def hang_up(*sockets):
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
