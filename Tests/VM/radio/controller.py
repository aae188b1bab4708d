"""An LE controller, behind an adapter of the kernel."""
import asyncio
import errno
import logging
import os
import random
import struct

from . import hci, host
from .advertising import CONNECTABLE, NOT_CONNECTABLE, Advertising
from .link import Link

log = logging.getLogger("radio")

# The buffers of a Raspberry Pi's radio.
PACKET_BUFFERS = 8
FILTER_LIST_SIZE = 16
RESET = 0x0C03
# LE and no classic Bluetooth (LMP features, byte 4).
FEATURES = bytes((0, 0, 0, 0, 0x60, 0, 0, 0))
# Bluetooth 4.2 of Broadcom, as on a Raspberry Pi 3 and 4. No extended commands: the kernel then
# scans and connects with those of 4.0.
VERSION = struct.pack("<BHH", 8, 15, 0)
# Of what reaches an antenna, a packet in fifty is damaged on the way.
LOSS = 0.02


def supported(*bits):
    """The bitmap of supported commands from octet.bit pairs."""
    octets = bytearray(64)
    for octet, bit in bits:
        octets[octet] |= 1 << bit
    return bytes(octets)


COMMANDS = supported(
    (0, 5), (2, 7), (5, 6), (5, 7), (14, 3), (14, 5), (15, 1), (15, 5), (24, 6),
    *((25, bit) for bit in (0, 1, 2, 4, 5, 6, 7)), *((26, bit) for bit in range(8)),
    *((27, bit) for bit in (0, 1, 2, 5, 7)), (28, 3))


class Controller:
    """One adapter. Numbers count from 0, independently of the kernel's names."""

    version, rssi = VERSION, -45

    def __init__(self, number, link_limit, air=None):
        self.number, self.link_limit = number, link_limit
        self.address = hci.address_bytes("B8:27:EB:00:00:%02X" % (number + 1))
        self.descriptor, self.name, self.links = None, None, {}
        self.advertising = Advertising(self, [] if air is None else air)
        self.capture = None
        self.is_frozen, self.resets_until_recovery = False, 0
        # How long a monitor takes to answer a connect, in seconds.
        self.answering_time = 0
        self.loop = asyncio.get_running_loop()
        self.forget()

    def forget(self):
        """The state after a reset."""
        self.scan_enabled = self.filters_duplicates = False
        self.scan = (1, 0x10, 0x10, 0)      # type, interval, window, filter policy
        self.seen, self.accepted = set(), set()
        self.initiating = None              # parameters of LE Create Connection
        self.random_address = None
        self.advertising.forget()
        self.answering = None               # the monitor that will have been connected

    @property
    def is_working(self):
        return self.descriptor is not None and not self.is_frozen

    @property
    def is_full(self):
        return len(self.links) >= self.link_limit

    def own_peer(self, address_type):
        """Type and address of this controller as others see them."""
        random_address = address_type == hci.RANDOM
        return bytes((address_type,)) + (self.random_address if random_address else self.address)

    # The host's side

    def plug_in(self, descriptor=None):
        """`descriptor`: one packet per read; replaces the kernel's. Also mends a frozen adapter."""
        self.forget()
        self.is_frozen = False
        self.descriptor = host.connect() if descriptor is None else descriptor
        # Asks for an adapter, and is answered with its number.
        os.write(self.descriptor, bytes((hci.VENDOR, 0)))
        self.loop.add_reader(self.descriptor, self.read)

    def pull_out(self):
        """Removes the adapter. Monitors notice by supervision timeout."""
        self.abandon_links()
        if self.descriptor is not None:
            self.loop.remove_reader(self.descriptor)
            os.close(self.descriptor)
            self.descriptor = None

    def read(self):
        try:
            packet = os.read(self.descriptor, 4096)
        except BlockingIOError:
            return
        kind, body = packet[0], packet[1:]
        self.note(packet, is_to_host=False)
        if kind == hci.COMMAND:
            opcode, = struct.unpack_from("<H", body)
            if self.is_frozen and not self.recovers_with(opcode):
                return
            self.command(opcode, body[3:])
        elif kind == hci.ACL:
            self.data(body)
        elif kind == hci.VENDOR:
            self.name = "hci%d" % struct.unpack_from("<H", body, 1)
            log.info("%s is there", self.name)

    def send(self, packet):
        if not self.is_working:
            return
        self.note(packet, is_to_host=True)
        try:
            os.write(self.descriptor, packet)
        except OSError as error:
            # The kernel has closed the adapter, and listens to nothing.
            if error.errno != errno.ENXIO:
                raise

    def note(self, packet, is_to_host):
        if self.capture and packet[0] != hci.VENDOR:
            self.capture.add(packet, is_to_host)

    def data(self, body):
        handle, length = struct.unpack_from("<HH", body)
        handle, flags = handle & 0xFFF, handle >> 12 & 3
        link = self.links.get(handle)
        if link:
            flags = hci.FIRST if flags == hci.FIRST_FROM_HOST else flags
            link.send(self, (flags, body[4:4 + length]))

    def packet_arrived(self, link, flags, data):
        self.send(hci.acl(link.handles[self], flags, data))

    def packet_sent(self, link):
        self.send(hci.completed_packets(link.handles[self], 1))

    # A firmware that hangs

    def freeze(self, resets=0):
        """Takes what the kernel sends and says nothing more; its links are silent.

        As a radio on a UART whose firmware has crashed: the kernel is not told, and monitors
        notice by supervision timeout. With `resets`, so many HCI Resets mend it. The kernel sends one
        whenever it switches an adapter on; 1 is a driver that cuts the radio's power meanwhile, as
        a Raspberry Pi's can, and 0 one that cannot: then only `thaw` helps.
        """
        self.abandon_links()
        self.is_frozen, self.resets_until_recovery = True, resets

    def thaw(self):
        """Restarts its firmware from outside; all its state is lost."""
        self.forget()
        self.is_frozen = False

    def recovers_with(self, opcode):
        if opcode != RESET or self.resets_until_recovery == 0:
            return False
        self.resets_until_recovery -= 1
        if self.resets_until_recovery == 0:
            self.thaw()
        return not self.is_frozen

    # Commands

    def command(self, opcode, parameters):
        answer = self.CONSTANT.get(opcode)
        if answer is not None:
            return self.send(hci.command_complete(opcode, answer))
        serve = self.SERVED.get(opcode)
        if serve is None:
            log.info("unknown command 0x%04x", opcode)
            return self.send(hci.command_complete(opcode, bytes((hci.UNKNOWN_COMMAND,))))
        try:
            serve(self, opcode, parameters)
        except struct.error:
            self.send(hci.command_complete(opcode, bytes((hci.INVALID_PARAMETERS,))))

    def complete(self, opcode, status=hci.SUCCESS, rest=b""):
        self.send(hci.command_complete(opcode, bytes((status,)) + rest))

    def reset(self, opcode, _):
        self.abandon_links()
        self.forget()
        self.complete(opcode)

    def read_address(self, opcode, _):
        self.complete(opcode, rest=self.address)

    def set_random_address(self, opcode, parameters):
        address, = struct.unpack("<6s", parameters)
        is_in_use = self.scan_enabled or self.initiating or self.advertising.task
        if not is_in_use:
            self.random_address = address
        self.complete(opcode, hci.COMMAND_DISALLOWED if is_in_use else hci.SUCCESS)

    def set_advertising_parameters(self, opcode, parameters):
        self.complete(opcode, self.advertising.set_parameters(parameters))

    def set_advertising_data(self, opcode, parameters):
        self.complete(opcode, self.advertising.set_data(parameters))

    def set_scan_response_data(self, opcode, parameters):
        self.complete(opcode, self.advertising.set_scan_response(parameters))

    def set_advertising_enable(self, opcode, parameters):
        self.complete(opcode, self.advertising.set_enable(parameters))

    def set_scan_parameters(self, opcode, parameters):
        kind, interval, window, _, policy = struct.unpack("<BHHBB", parameters)
        self.scan = (kind, interval, window, policy)
        self.complete(opcode, hci.COMMAND_DISALLOWED if self.scan_enabled else hci.SUCCESS)

    def set_scan_enable(self, opcode, parameters):
        enabled, filters = struct.unpack("<BB", parameters)
        self.scan_enabled, self.filters_duplicates = bool(enabled), bool(filters)
        self.seen.clear()
        self.complete(opcode)

    def clear_accepted(self, opcode, _):
        self.accepted.clear()
        self.complete(opcode)

    def accept(self, opcode, parameters):
        is_full = len(self.accepted) >= FILTER_LIST_SIZE
        if not is_full:
            self.accepted.add(parameters)
        self.complete(opcode, 0x07 if is_full else hci.SUCCESS)

    def no_longer_accept(self, opcode, parameters):
        self.accepted.discard(parameters)
        self.complete(opcode)

    def create_connection(self, opcode, parameters):
        _, _, policy, kind, address, own_type, interval, _, latency, timeout, _, _ = struct.unpack(
            "<HHBB6sBHHHHHH", parameters)
        status = hci.SUCCESS
        if self.initiating:
            status = hci.COMMAND_DISALLOWED
        elif self.is_full:
            status = hci.CONNECTION_LIMIT_EXCEEDED
        elif own_type == hci.RANDOM and self.random_address is None:
            status = hci.INVALID_PARAMETERS
        else:
            self.initiating = (policy, bytes((kind,)) + address, interval, latency, timeout)
            self.initiator = self.own_peer(own_type)
        self.send(hci.command_status(opcode, status))

    def cancel_connection(self, opcode, _):
        # The answer and the call cross: the link stands, and the kernel hears of that first.
        if self.answering:
            self.answered(self.answering)
        if not self.initiating:
            return self.complete(opcode, hci.COMMAND_DISALLOWED)
        peer, self.initiating = self.initiating[1], None
        self.complete(opcode)
        self.send(hci.connection_complete(hci.UNKNOWN_CONNECTION, peer=peer))

    def disconnect(self, opcode, parameters):
        handle, reason = struct.unpack("<HB", parameters)
        link = self.known_link(opcode, handle)
        if link:
            link.terminate(self, reason)

    def known_link(self, opcode, handle):
        """Sends a command status; returns the link, or None if unknown."""
        link = self.links.get(handle)
        status = hci.SUCCESS if link else hci.UNKNOWN_CONNECTION
        self.send(hci.command_status(opcode, status))
        return link

    def read_remote_features(self, opcode, parameters):
        handle, = struct.unpack("<H", parameters)
        link = self.known_link(opcode, handle)
        if link:
            self.after_event(link, lambda: hci.le_event(
                0x04, struct.pack("<BH", hci.SUCCESS, handle) + bytes(8)))

    def read_remote_version(self, opcode, parameters):
        handle, = struct.unpack("<H", parameters)
        link = self.known_link(opcode, handle)
        if link:
            self.after_event(link, lambda: hci.event(
                0x0C, struct.pack("<BH", hci.SUCCESS, handle) + link.other(self).version))

    def update_connection(self, opcode, parameters):
        handle, _, interval, latency, timeout, _, _ = struct.unpack("<HHHHHHH", parameters)
        if handle in self.links and self.links[handle].central is not self:
            # A peripheral has to ask the central's host.
            return self.send(hci.command_status(opcode, hci.COMMAND_DISALLOWED))
        link = self.known_link(opcode, handle)

        def updated():
            link.set_parameters(interval, latency, timeout)
            if isinstance(link.peripheral, Controller):
                link.peripheral.connection_updated(link)
            return self.connection_update(link)
        if link:
            self.after_event(link, updated)

    def connection_update(self, link):
        return hci.le_event(0x03, struct.pack(
            "<BHHHH", hci.SUCCESS, link.handles[self], *link.parameters))

    def connection_updated(self, link):
        """The central has changed the parameters."""
        self.send(self.connection_update(link))

    def read_rssi(self, opcode, parameters):
        handle, = struct.unpack("<H", parameters)
        link = self.links.get(handle)
        status = hci.SUCCESS if link else hci.UNKNOWN_CONNECTION
        self.complete(opcode, status, struct.pack("<Hb", handle, link.other(self).rssi if link else 0))

    def random_number(self, opcode, _):
        self.complete(opcode, rest=random.randbytes(8))

    def after_event(self, link, make_event):
        """Runs a step after an exchange with the other end, unless the link is gone by then."""
        def happen():
            if not link.is_silent:
                self.send(make_event())
        self.loop.call_later(2 * link.interval, happen)

    # The air

    def receive_advertisement(self, advertiser):
        """A monitor or controller advertises on all three channels."""
        if not self.is_working or random.random() < LOSS:
            return
        if self.initiating and advertiser.kind == CONNECTABLE:
            policy, peer = self.initiating[:2]
            wanted = self.accepted if policy else {peer}
            if advertiser.peer in wanted:
                return self.request(advertiser)
        kind, interval, window, policy = self.scan
        if not self.scan_enabled or random.random() > window / interval:
            return
        if policy & 1 and advertiser.peer not in self.accepted:
            return
        if self.filters_duplicates and advertiser.peer in self.seen:
            return
        self.seen.add(advertiser.peer)
        rssi = advertiser.rssi + random.randint(-4, 4)
        self.send(hci.advertising_report(
            advertiser.kind, advertiser.peer, advertiser.advertisement, rssi))
        if kind == 1 and advertiser.kind != NOT_CONNECTABLE:
            self.send(hci.advertising_report(
                hci.SCAN_RESPONSE, advertiser.peer, advertiser.scan_response, rssi))

    def request(self, advertiser):
        """Connects, now or after the advertiser's delay."""
        if not self.answering_time:
            self.connect(advertiser)
        elif not self.answering:
            self.answering = advertiser
            self.loop.call_later(self.answering_time, self.answered, advertiser)

    def answered(self, advertiser):
        """Connects unless already done, or the advertiser has another link by now."""
        if advertiser is not self.answering:
            return
        self.answering = None
        if self.initiating and advertiser.is_to_be_found and not self.is_frozen:
            self.connect(advertiser)

    def connect(self, advertiser):
        _, _, interval, latency, timeout = self.initiating
        self.initiating = None
        link = Link(self, advertiser.peripheral, interval, latency, timeout)
        self.add(link, advertiser.peer, hci.CENTRAL)
        if not link.peripheral.connected(link):
            # It did not hear the request: six connection events without an answer.
            link.silence()
            link.end_later(6 * link.interval, hci.NOT_ESTABLISHED)

    def connected(self, link):
        """A central connects to this advertiser, which stops advertising."""
        self.advertising.disable()
        self.add(link, link.central.initiator, hci.PERIPHERAL)
        return True

    def add(self, link, peer, role):
        handle = next(h for h in range(0x40, 0x80) if h not in self.links)
        self.links[handle], link.handles[self] = link, handle
        self.send(hci.connection_complete(hci.SUCCESS, handle, peer, *link.parameters, role))

    # Ends of links

    def link_ended(self, link, reason):
        """Also called for links that were abandoned."""
        handle = link.handles[self]
        if self.links.get(handle) is link:
            del self.links[handle]
            self.send(hci.disconnected(handle, reason))

    def abandon_links(self):
        """The controller forgets its links without notifying the other ends."""
        for link in self.links.values():
            link.lose()
        self.links.clear()

    OK = bytes((hci.SUCCESS,))
    CONSTANT = {
        # HCI and link layer are of one version.
        0x1001: OK + VERSION[:1] + bytes(2) + VERSION, 0x1002: OK + COMMANDS, 0x1003: OK + FEATURES,
        0x2002: OK + struct.pack("<HB", hci.PACKET_SIZE, PACKET_BUFFERS), 0x2003: OK + bytes(8),
        0x200F: OK + bytes((FILTER_LIST_SIZE,)), 0x201C: OK + b"\xff" * 7 + b"\x03",
        0x2007: OK + bytes((0,)),           # advertising power, dBm
        # Event masks, LE host support.
        0x0C01: OK, 0x0C63: OK, 0x0C6D: OK, 0x2001: OK,
    }
    SERVED = {
        RESET: reset, 0x1009: read_address, 0x2005: set_random_address,
        0x2006: set_advertising_parameters, 0x2008: set_advertising_data,
        0x2009: set_scan_response_data, 0x200A: set_advertising_enable, 0x200B: set_scan_parameters,
        0x200C: set_scan_enable, 0x200D: create_connection, 0x200E: cancel_connection,
        0x2010: clear_accepted, 0x2011: accept, 0x2012: no_longer_accept, 0x0406: disconnect,
        0x2016: read_remote_features, 0x041D: read_remote_version, 0x2013: update_connection,
        0x1405: read_rssi, 0x2018: random_number,
    }
