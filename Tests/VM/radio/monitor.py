"""The radio of one monitor: it advertises, holds one link, and sends the packets of `room`."""
import asyncio
import logging
import random
import struct

from . import att, hci
from .advertising import CONNECTABLE

log = logging.getLogger("radio")

ADVERTISING_INTERVAL = 0.1
SERVICE_IN_SCAN_RESPONSE = "ce060000-43e5-11e4-916c-0800200c9a66"
ATTRIBUTES, SIGNALLING, SECURITY = 4, 5, 6
CONTROL_ANSWERS = "0022"
GENERAL_STATUS = "0031"
# Of the link layer: Bluetooth 4.1, of Nordic.
VERSION = struct.pack("<BHH", 7, 0x0059, 0)


def structure(kind, data):
    """A field of an advertisement."""
    return bytes((len(data) + 1, kind)) + data


class Monitor:
    """Confined to the event loop. `room` is the other side of pm5sim's pipe."""

    def __init__(self, number, serial, name, address, room):
        self.number, self.serial, self.room = number, serial, room
        self.kind, self.version = CONNECTABLE, VERSION
        self.table = att.Table()
        # Only the advertised name may tell the machine.
        att.generic_access(self.table, "PM5 " + serial)
        self.peer = bytes((hci.RANDOM,)) + hci.address_bytes(address)
        self.rssi = -48 - 3 * (number % 8)
        self.advertisement = structure(0x01, b"\x06") + structure(0x09, name.encode())
        self.scan_response = structure(0x07, att.uuid_bytes(SERVICE_IN_SCAN_RESPONSE))
        self.is_on = self.is_connectable = True
        # Off by itself, or by its firmware's will, it does not advertise; pm5sim knows.
        self.is_awake = True
        self.is_hanging = False
        # Sends a first status before it confirms the subscription.
        self.is_early = False
        self.status_sent = asyncio.Event()
        self.refusals = 0
        self.link = self.server = self.requests = None
        self.last_answer = bytes(1)
        self.connections = self.sent = 0
        # A packet of the stroke in progress did not arrive.
        self.lost_part = False

    # Advertising

    async def advertise(self, adapters):
        while True:
            # A random delay keeps monitors from colliding for ever (volume 6, part B, 4.4.2.2).
            await asyncio.sleep(ADVERTISING_INTERVAL + random.uniform(0, 0.01))
            for adapter in adapters:
                if self.is_to_be_found:
                    adapter.receive_advertisement(self)

    @property
    def peripheral(self):
        """The end of a link that a central makes now."""
        return self

    @property
    def is_to_be_found(self):
        return self.is_on and self.is_awake and self.is_connectable and self.link is None

    # The link

    def connected(self, link):
        """False if the monitor did not receive the request."""
        if self.refusals:
            self.refusals -= 1
            return False
        self.link, self.server = link, att.Server(self.table, self)
        self.reassembly = hci.Reassembly()
        self.connections += 1
        self.room.send(self, "connect")
        self.requests = asyncio.Queue()
        self.serving = asyncio.create_task(self.serve(self.server, self.requests))
        log.info("%s connected", self.serial)
        return True

    def link_ended(self, link, _reason=None):
        """Also called for links that were never made."""
        if self.link is not link:
            return
        self.serving.cancel()
        self.link = self.server = None
        self.room.send(self, "disconnect")
        log.info("%s disconnected", self.serial)

    def packet_sent(self, link):
        pass

    def packet_arrived(self, link, flags, data):
        frame = self.reassembly.add(flags, data) if link is self.link else None
        if frame:
            self.received(*frame)

    def received(self, channel, payload):
        if self.is_hanging or not payload:
            return
        if channel == ATTRIBUTES:
            self.requests.put_nowait(payload)
        elif channel == SECURITY and payload[0] == 0x01:
            self.transmit(SECURITY, b"\x05\x05")            # pairing is not supported
        elif channel == SIGNALLING and payload[0] not in (0x01, 0x13):
            self.transmit(SIGNALLING, struct.pack("<BBHH", 0x01, payload[1], 2, 0))

    async def serve(self, server, requests):
        """One request at a time, as the protocol requires."""
        while True:
            answer = await server.handle(await requests.get())
            if answer and not self.is_hanging:
                self.transmit(ATTRIBUTES, answer)

    def transmit(self, channel, payload):
        if self.link:
            frame = struct.pack("<HH", len(payload), channel) + payload
            for packet in hci.fragments(frame, hci.PACKET_SIZE):
                self.link.send(self, packet)

    # Requests of the server

    def send(self, pdu):
        self.transmit(ATTRIBUTES, pdu)

    async def read(self, identifier):
        if identifier == CONTROL_ANSWERS:
            return self.last_answer         # stale, not the next answer
        return await self.room.read(self, identifier)

    def write(self, identifier, value):
        self.room.send(self, "write", id=identifier, hex=value.hex())

    def subscribe(self, identifier, on):
        self.room.send(self, "subscribe" if on else "unsubscribe", id=identifier)

    async def subscribed(self, identifier):
        """Steps between a subscription and its confirmation."""
        if self.is_early and identifier == GENERAL_STATUS:
            self.status_sent.clear()
            # A status comes twice a second.
            await asyncio.wait_for(self.status_sent.wait(), 5)

    # Values from the room

    def value(self, identifier, value):
        if identifier == CONTROL_ANSWERS:
            self.last_answer = value
        is_part = identifier in ("0035", "0036") or (
            identifier == "0080" and value[0] in (0x35, 0x36))
        on_air = bool(self.link) and not self.is_hanging and self.server.notify(identifier, value)
        self.sent += on_air
        if on_air and identifier == GENERAL_STATUS:
            self.status_sent.set()
        if is_part:
            self.lost_part |= not on_air
            self.in_order(self.part_arrived)

    def part_arrived(self, arrived):
        self.lost_part |= not arrived

    def when_stroke_arrived(self, callback):
        """Calls `callback` with whether all packets of the stroke arrived, once known."""
        def arrived(_):
            lost, self.lost_part = self.lost_part, False
            callback(not lost)
        self.in_order(arrived)

    def in_order(self, call):
        """Sends after all packets in transit."""
        if self.link:
            self.link.send(self, call)
        else:
            call(True)

    # Faults

    def drop(self):
        if self.link:
            self.link.terminate(self)

    def switch_off(self):
        """Ends without a packet; the strokes rowed are discarded."""
        self.is_on = False
        if self.link:
            self.link.lose()
            self.link_ended(self.link)
        self.room.send(self, "restart")

    def switch_on(self):
        self.is_on = True

    # People

    def press(self, key):
        self.room.send(self, "press", key=key)

    def pull(self):
        """A rower rows, which wakes the monitor."""
        self.room.send(self, "pull")

    def leave(self):
        self.room.send(self, "leave")

    def characteristics(self):
        """UUID, value handle, properties and service of each, in the order of handles."""
        found, service = {}, None
        for _, attribute in sorted(self.table.attributes.items()):
            if attribute.kind == att.short(att.PRIMARY_SERVICE):
                service = att.uuid_text(attribute.value)
            elif attribute.owner:
                c = attribute.owner
                found[c] = [att.uuid_text(c.uuid), c.handle, c.properties(), service]
        return list(found.values())

    def state(self):
        configured = self.server.configurations if self.server else {}
        subscriptions = self.server.subscriptions if self.server else 0
        characteristics = self.table.by_identifier.items()
        return {"pm": self.number, "serial": self.serial, "on": self.is_on,
                "awake": self.is_awake,
                "connected": self.link is not None, "connections": self.connections,
                "subscriptions": subscriptions,
                "adapter": self.link.central.number if self.link else None, "sent": self.sent,
                "subscribed": [i for i, c in characteristics if configured.get(c.handle)]}
