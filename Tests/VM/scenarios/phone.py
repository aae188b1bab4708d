"""A phone: Bumble, a Bluetooth stack that shares no code with BlueZ, on a controller of the radio.

It records what reaches it: reports of advertisements, notifications with their times, and packets
that a peripheral has no reason to send (of pairing, and requests to the phone's own services).
"""
import asyncio
import dataclasses
import itertools
import struct
import time

from bumble import core, device, gatt, hci, snoop
from bumble.transport.unix import open_unix_client_transport

CONTROLLER = "/run/radio-hci.sock"
ATTRIBUTES, SECURITY = 4, 6
CONFIGURATION = gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
NUMBERS = itertools.count(1)
# In seconds; an emulated machine is slow.
LIMIT = 60


@dataclasses.dataclass
class Report:
    """An advertisement or scan response as it was on the air; `kind` as in HCI, 4: scan response."""

    at: float
    kind: int
    address: str
    data: bytes


@dataclasses.dataclass
class Notification:
    """`at` is on the monotonic clock."""

    at: float
    uuid: str
    value: bytes
    is_indication: bool


@dataclasses.dataclass
class Characteristic:
    """What discovery showed; `configuration` is the handle of that descriptor, or None."""

    service: str
    uuid: str
    declaration: int
    handle: int
    flags: int
    configuration: int | None


def short(uuid):
    """'1826' or 'ce060031-...', in lower case."""
    return uuid.to_hex_str("-").lower()


class Phone:
    """Confined to one event loop. It connects to one peripheral at a time."""

    def __init__(self, capture=None):
        """`capture` is the path of a record for btmon and Wireshark."""
        self.address = "C4:00:00:00:00:%02X" % next(NUMBERS)
        self.capture = open(capture, "wb") if capture else None
        self.reports, self.notifications, self.disconnections = [], [], []
        self.pairing, self.requests = [], []    # that the peripheral sent
        self.connection = self.client = None
        self.characteristics = {}

    async def switch_on(self):
        self.transport = await open_unix_client_transport(CONTROLLER)
        configuration = device.DeviceConfiguration(name="phone", address=hci.Address(self.address))
        self.device = device.Device.from_config_with_hci(
            configuration, self.transport.source, self.transport.sink)
        if self.capture:
            self.device.host.snooper = snoop.BtSnooper(self.capture)
        self.device.host.on("advertising_report", self.reported)
        self.device.host.on("l2cap_pdu", self.received)
        await self.device.power_on()
        return self

    async def vanish(self):
        """Out of range, without a word."""
        await self.transport.close()

    # Advertisements

    def reported(self, report):
        self.reports.append(Report(time.monotonic(), report.event_type,
                                   str(report.address).split("/")[0], bytes(report.data)))

    async def start_scanning(self, active=True, duplicates=True):
        self.reports.clear()
        await self.device.start_scanning(
            legacy=True, active=active, filter_duplicates=not duplicates, scan_interval=10,
            scan_window=10)

    async def stop_scanning(self):
        await self.device.stop_scanning(legacy=True)

    async def find(self, address, kind=0, limit=LIMIT):
        """The next report of a kind from an address; scans meanwhile."""
        await self.start_scanning()
        try:
            return await self.wait_for(lambda: next(
                (r for r in self.reports if (r.address, r.kind) == (address, kind)), None), limit)
        finally:
            await self.stop_scanning()

    async def wait_for(self, condition, limit=LIMIT):
        """The first true result of `condition`."""
        async with asyncio.timeout(limit):
            while not (result := condition()):
                await asyncio.sleep(0.005)
            return result

    # The link

    async def connect(self, address, limit=LIMIT):
        """Raises TimeoutError."""
        address = hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)
        try:
            self.connection = await self.device.connect(address, timeout=limit)
        except core.TimeoutError as error:
            raise TimeoutError("no connection to %s" % address) from error
        self.connection.on("disconnection", self.disconnected)
        self.client = self.connection.gatt_client
        # All of them are recorded, subscribed to or not.
        self.client.on_att_handle_value_notification = self.notified
        self.client.on_att_handle_value_indication = self.indicated

    def disconnected(self, reason):
        self.disconnections.append((time.monotonic(), reason))
        self.connection = None

    async def disconnect(self):
        await self.connection.disconnect()

    def received(self, _, channel, pdu):
        if channel == SECURITY:
            self.pairing.append(pdu)
        # Even opcodes are requests and commands; not the confirmation of an indication.
        elif channel == ATTRIBUTES and pdu[0] & 1 == 0 and pdu[0] != 0x1E:
            self.requests.append(pdu)

    # Attributes

    async def discover(self):
        """All characteristics, by UUID."""
        self.characteristics = {}
        for service in await self.client.discover_services():
            for found in await service.discover_characteristics():
                descriptors = await found.discover_descriptors()
                configuration = next((d.handle for d in descriptors if d.type == CONFIGURATION), None)
                self.characteristics[short(found.uuid)] = Characteristic(
                    short(service.uuid), short(found.uuid), found.handle - 1, found.handle,
                    int(found.properties), configuration)
        self.by_handle = {c.handle: c for c in self.characteristics.values()}
        return self.characteristics

    async def request_mtu(self, mtu):
        return await self.client.request_mtu(mtu)

    async def read(self, uuid):
        return bytes(await self.client.read_value(self.characteristics[uuid].handle))

    async def write(self, uuid, value, with_response=True):
        await self.client.write_value(
            self.characteristics[uuid].handle, value, with_response=with_response)

    async def subscribe(self, uuid, bits=1):
        """Returns when the write was answered."""
        await self.client.write_value(
            self.characteristics[uuid].configuration, struct.pack("<H", bits), with_response=True)
        return time.monotonic()

    async def unsubscribe(self, uuid):
        await self.subscribe(uuid, 0)

    def notified(self, pdu):
        self.note(pdu, False)

    def indicated(self, pdu):
        self.note(pdu, True)
        self.client.send_confirmation(device.att.ATT_Handle_Value_Confirmation())

    def note(self, pdu, is_indication):
        known = self.by_handle.get(pdu.attribute_handle)
        self.notifications.append(Notification(
            time.monotonic(), known.uuid if known else "0x%04x" % pdu.attribute_handle,
            bytes(pdu.attribute_value), is_indication))

    def values(self, uuid):
        return [n.value for n in self.notifications if n.uuid == uuid]
