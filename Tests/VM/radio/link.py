"""A link between an adapter and a monitor: packets in transit and their arrival times."""
import asyncio
from collections import deque

from . import hci

# Packets that fit one connection event in each direction. Phones and Pis manage 4 to 6.
PACKETS_PER_EVENT = 4


class Link:
    """Carries packets at connection events, which are an interval apart.

    The adapter is the central. L2CAP frames to it are bytes; a callable between them is called with
    True when everything ahead of it has arrived, with False when it never will.
    """

    def __init__(self, controller, monitor, handle, interval, latency, timeout):
        self.controller, self.monitor, self.handle = controller, monitor, handle
        self.set_parameters(interval, latency, timeout)
        self.to_central, self.to_monitor = deque(), deque()
        self.reassembly = hci.Reassembly()
        self.loop = asyncio.get_running_loop()
        self.anchor = self.loop.time()
        self.next_event = None
        self.is_silent = False

    def set_parameters(self, interval, latency, timeout):
        """In protocol units: 1.25 ms, events, 10 ms."""
        self.parameters = (interval, latency, timeout)
        self.interval, self.timeout = interval * 0.00125, timeout * 0.01

    def send_to_central(self, frame):
        if self.is_silent:
            if callable(frame):
                frame(False)
            return
        self.to_central.append(frame)
        self.schedule()

    def send_to_monitor(self, flags, data):
        self.to_monitor.append((flags, data))
        self.schedule()

    def schedule(self):
        if self.next_event or self.is_silent:
            return
        events = int((self.loop.time() - self.anchor) / self.interval) + 1
        self.next_event = self.loop.call_at(self.anchor + events * self.interval, self.exchange)

    def exchange(self):
        """A connection event."""
        self.next_event = None
        for _ in range(min(PACKETS_PER_EVENT, len(self.to_monitor))):
            self.controller.packet_done(self)
            frame = self.reassembly.add(*self.to_monitor.popleft())
            if frame:
                self.monitor.received(self, *frame)
        sent = 0
        while self.to_central and sent < PACKETS_PER_EVENT:
            frame = self.to_central.popleft()
            if callable(frame):
                frame(True)
            else:
                self.controller.deliver(self, frame)
                sent += 1
        if self.to_central or self.to_monitor:
            self.schedule()

    def silence(self):
        """Nothing gets through any more: one side has gone without a word, or both know.

        What was under way is lost, and told to be. Idempotent.
        """
        self.is_silent = True
        if self.next_event:
            self.next_event.cancel()
            self.next_event = None
        while self.to_central:
            frame = self.to_central.popleft()
            if callable(frame):
                frame(False)
