"""Many readers of the event stream at once: the values and their delay."""
import re
import selectors
import socket
import threading
import time

# An erg's last values, and when the gateway received them.
LIVE = re.compile(rb'"erg":"([^"]+)","messages":\{.*?'
                  rb'"live":\{"age_ms":\d+,"payload":\{[^}]*?"ts_ms":(\d+)')


class Readers(threading.Thread):
    """Reads all streams in one thread; records the age of each value when a reader first gets it."""

    def __init__(self, address, count):
        super().__init__(daemon=True)
        self.selector, self.events, self.lags, self.counts = selectors.DefaultSelector(), 0, [], False
        self.ended = threading.Event()
        host, port = address.split(":")
        for _ in range(count):
            stream = socket.create_connection((host, int(port)))
            stream.sendall(b"GET /api/v1/live HTTP/1.1\r\nHost: %s\r\n\r\n" % address.encode())
            stream.setblocking(False)
            self.selector.register(stream, selectors.EVENT_READ, {"text": b"", "seen": {}})

    def run(self):
        while not self.ended.is_set():
            for key, _ in self.selector.select(0.5):
                data = key.fileobj.recv(1 << 20)
                if not data:
                    raise SystemExit("a stream has ended")
                self.process(key.data, data)

    def process(self, reader, data):
        now = time.time() * 1000
        *whole, reader["text"] = (reader["text"] + data).split(b"\n\n")
        for event in whole:
            found = LIVE.search(event)
            if not found or not self.counts:
                continue
            erg, heard = found.group(1), int(found.group(2))
            if heard > reader["seen"].get(erg, 0):
                reader["seen"][erg] = heard
                self.events += 1
                # Truncated milliseconds: half a millisecond is added to the wait.
                self.lags.append(now - heard - 0.5)
