"""A link between a central and a peripheral: packets in transit and their arrival times."""
import asyncio
from collections import deque

from . import hci

# Packets that fit one connection event in each direction. Phones and Pis manage 4 to 6.
PACKETS_PER_EVENT = 4


class Link:
    """Carries packets at connection events, which are an interval apart.

    Each end is a controller, or a monitor, with the methods `packet_arrived(link, flags, data)`,
    `packet_sent(link)` and `link_ended(link, reason)`. A packet is a pair of flags and data; a
    callable between packets is called with True when everything ahead of it has arrived, with False
    when it never will.
    """

    def __init__(self, central, peripheral, interval, latency, timeout):
        self.central, self.peripheral = central, peripheral
        # The number of the link at each end that is a controller.
        self.handles = {}
        self.set_parameters(interval, latency, timeout)
        self.queues = {central: deque(), peripheral: deque()}
        self.loop = asyncio.get_running_loop()
        self.anchor = self.loop.time()
        self.next_event = None
        self.is_silent = False

    def set_parameters(self, interval, latency, timeout):
        """In protocol units: 1.25 ms, events, 10 ms."""
        self.parameters = (interval, latency, timeout)
        self.interval, self.timeout = interval * 0.00125, timeout * 0.01

    def other(self, end):
        return self.peripheral if end is self.central else self.central

    # Packets

    def send(self, end, packet):
        """Sends a packet, or a callable, from `end` to the other one."""
        if self.is_silent:
            if callable(packet):
                packet(False)
            return
        self.queues[end].append(packet)
        self.schedule()

    def schedule(self):
        if self.next_event or self.is_silent:
            return
        events = int((self.loop.time() - self.anchor) / self.interval) + 1
        self.next_event = self.loop.call_at(self.anchor + events * self.interval, self.exchange)

    def exchange(self):
        """A connection event, in which the central speaks first."""
        self.next_event = None
        self.transfer(self.central)
        self.transfer(self.peripheral)
        if any(self.queues.values()):
            self.schedule()

    def transfer(self, end):
        queue, receiver, sent = self.queues[end], self.other(end), 0
        while queue and sent < PACKETS_PER_EVENT:
            packet = queue.popleft()
            if callable(packet):
                packet(True)
                continue
            sent += 1
            end.packet_sent(self)
            receiver.packet_arrived(self, *packet)

    # Ends

    def terminate(self, end, reason=hci.REMOTE_USER_TERMINATED):
        """Ends the link on behalf of `end`; the other end learns the reason.

        That end acknowledges at the next connection event; a silent one never does.
        """
        reasons = {end: hci.LOCAL_HOST_TERMINATED, self.other(end): reason}
        self.loop.call_later(self.timeout if self.is_silent else self.interval, self.end, reasons)

    def lose(self):
        """Silences the link; its ends notice by supervision timeout."""
        self.silence()
        self.end_later(self.timeout, hci.CONNECTION_TIMEOUT)

    def end_later(self, delay, reason):
        self.loop.call_later(delay, self.end, dict.fromkeys(self.queues, reason))

    def end(self, reasons):
        """`reasons` per end. An end that has forgotten the link ignores it."""
        self.silence()
        for end, reason in reasons.items():
            end.link_ended(self, reason)

    def silence(self):
        """Nothing gets through any more: one side has gone without a word, or both know.

        What was under way is lost, and told to be. Idempotent.
        """
        self.is_silent = True
        if self.next_event:
            self.next_event.cancel()
            self.next_event = None
        for queue in self.queues.values():
            while queue:
                packet = queue.popleft()
                if callable(packet):
                    packet(False)
