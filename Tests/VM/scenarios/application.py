"""A program that registers services and an advertisement at bluetoothd, as BlueZ documents it.

It shares nothing with rowgate: it proves the bed that rowgate is tested on.
"""
import asyncio
import socket
import time

from dbus_next import BusType, Message, MessageFlag, MessageType, Variant
from dbus_next.aio import MessageBus

BLUEZ, ROOT = "org.bluez", "/peripheral"
SERVICE, CHARACTERISTIC, ADVERTISEMENT = (
    "org.bluez.GattService1", "org.bluez.GattCharacteristic1", "org.bluez.LEAdvertisement1")
PROPERTIES = "org.freedesktop.DBus.Properties"
# Of its sockets for notifications: as bluetoothd uses them.
SOCKET = socket.SOCK_SEQPACKET


class Failed(Exception):
    """An error reply; `name` is that of D-Bus."""

    def __init__(self, message):
        super().__init__(message.error_name, *message.body)
        self.name = message.error_name


class Characteristic:
    """`flags` as in BlueZ, separated by spaces; `handle` 0 lets bluetoothd choose."""

    def __init__(self, uuid, flags, value=b"", handle=0, acquires=True):
        self.uuid, self.flags, self.value, self.handle = uuid, flags.split(), value, handle
        # Whether bluetoothd is offered a socket for notifications.
        self.acquires = acquires and bool({"notify", "indicate"} & set(self.flags))
        self.socket = None
        self.writes, self.reads, self.calls = [], [], []
        # The error that a write is answered with, or None; and how long the answer takes.
        self.refusal, self.delay = None, 0

    def properties(self, service):
        found = {"UUID": Variant("s", self.uuid), "Service": Variant("o", service),
                 "Flags": Variant("as", self.flags), "Handle": Variant("q", self.handle)}
        if self.acquires:
            found["NotifyAcquired"] = Variant("b", self.socket is not None)
        return found

    def notify(self, value):
        """Through the socket; False if there is none, or it is full."""
        if self.socket is None:
            return False
        try:
            self.socket.send(value)
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            return False
        return True


def numbered(services, first):
    """Gives each service and characteristic a fixed handle, as bluetoothd demands them: without a gap
    inside a service. That of a characteristic is its value's; its declaration is before it."""
    handle, result = first, []
    for uuid, characteristics in services:
        result.append(((uuid, handle), characteristics))
        handle += 1
        for characteristic in characteristics:
            characteristic.handle = handle + 1
            handle += 3 if {"notify", "indicate"} & set(characteristic.flags) else 2
    return result


class Application:
    """Confined to one event loop.

    `services` lists pairs of UUID (or UUID and handle) and characteristics.
    """

    def __init__(self, services, advertisement=None):
        self.objects, self.characteristics, self.interfaces = {}, {}, {}
        self.released = 0
        self.advertisement = advertisement
        for number, (uuid, characteristics) in enumerate(services):
            uuid, handle = uuid if isinstance(uuid, tuple) else (uuid, 0)
            path = "%s/service%d" % (ROOT, number)
            self.objects[path] = SERVICE, {
                "UUID": Variant("s", uuid), "Primary": Variant("b", True),
                "Handle": Variant("q", handle)}
            for index, characteristic in enumerate(characteristics):
                own = "%s/char%d" % (path, index)
                self.objects[own] = CHARACTERISTIC, characteristic.properties(path)
                self.characteristics[own] = characteristic

    async def connect(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.bus.add_message_handler(self.handle)
        return self

    def leave(self):
        """Ends without unregistering, as a killed program does."""
        for characteristic in self.characteristics.values():
            self.close(characteristic)
        self.bus.disconnect()

    def send(self, message):
        """A future; its failure is no news, because then bluetoothd or the bus is gone."""
        future = self.bus.send(message)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        return future

    # Calls to bluetoothd

    async def call(self, path, interface, member, signature="", *body):
        reply = await self.bus.call(Message(
            destination=BLUEZ, path=path, interface=interface, member=member, signature=signature,
            body=list(body)))
        if reply.message_type == MessageType.ERROR:
            raise Failed(reply)
        return reply.body[0] if reply.body else None

    async def set(self, path, interface, name, signature, value):
        await self.call(path, PROPERTIES, "Set", "ssv", interface, name, Variant(signature, value))

    async def get(self, path, interface, name):
        return (await self.call(path, PROPERTIES, "Get", "ss", interface, name)).value

    async def register(self, adapter):
        await self.call(adapter, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", ROOT, {})

    async def unregister(self, adapter):
        await self.call(adapter, "org.bluez.GattManager1", "UnregisterApplication", "o", ROOT)

    async def advertise(self, adapter):
        await self.call(adapter, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                        "oa{sv}", ROOT + "/advertisement", {})

    async def stop_advertising(self, adapter):
        await self.call(adapter, "org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement", "o",
                        ROOT + "/advertisement")

    # Calls from bluetoothd

    def handle(self, message):
        if message.message_type != MessageType.METHOD_CALL or not message.path.startswith(ROOT):
            return None
        if message.member == "GetManagedObjects":
            return Message.new_method_return(message, "a{oa{sa{sv}}}", [
                {path: {name: values} for path, (name, values) in self.objects.items()}])
        if message.interface == PROPERTIES:
            return self.properties(message)
        if message.interface == ADVERTISEMENT:
            self.released += 1
            return Message.new_method_return(message)
        characteristic = self.characteristics.get(message.path)
        if characteristic is None:
            return None
        characteristic.calls.append((time.monotonic(), message.member, message.body))
        return getattr(self, message.member)(characteristic, message)

    def properties(self, message):
        if message.path == ROOT + "/advertisement":
            values = self.advertisement
        else:
            values = self.objects[message.path][1]
        if message.member == "GetAll":
            return Message.new_method_return(message, "a{sv}", [values])
        name = message.body[1]
        if message.member == "Get":
            return Message.new_method_return(message, "v", [values[name]])
        # bluetoothd tells the handle that it chose.
        values[name] = message.body[2]
        return Message.new_method_return(message)

    def ReadValue(self, characteristic, message):           # noqa: N802
        options = {name: variant.value for name, variant in message.body[0].items()}
        characteristic.reads.append(options)
        return Message.new_method_return(message, "ay", [characteristic.value[options.get("offset", 0):]])

    def WriteValue(self, characteristic, message):          # noqa: N802
        value, options = message.body
        characteristic.writes.append((bytes(value), {k: v.value for k, v in options.items()}))
        if message.flags & MessageFlag.NO_REPLY_EXPECTED:
            return True
        answer = Message.new_method_return(message)
        if characteristic.refusal:
            answer = Message.new_error(message, *characteristic.refusal)
        if not characteristic.delay:
            return answer
        asyncio.get_running_loop().call_later(characteristic.delay, self.send, answer)
        return True

    def AcquireNotify(self, characteristic, message):       # noqa: N802
        self.close(characteristic)
        characteristic.socket, theirs = socket.socketpair(socket.AF_UNIX, SOCKET)
        characteristic.socket.setblocking(False)
        asyncio.get_running_loop().add_reader(
            characteristic.socket, self.hung_up, characteristic, characteristic.socket)
        mtu = message.body[0]["mtu"].value
        answer = Message.new_method_return(message, "hq", [0, mtu], unix_fds=[theirs.fileno()])
        self.send(answer).add_done_callback(lambda _: theirs.close())
        self.changed(characteristic, message.path, "NotifyAcquired", Variant("b", True))
        return True

    def StartNotify(self, characteristic, message):         # noqa: N802
        return Message.new_method_return(message)

    def StopNotify(self, characteristic, message):          # noqa: N802
        return Message.new_method_return(message)

    def Confirm(self, characteristic, message):             # noqa: N802
        return Message.new_method_return(message)

    # Notifications

    def hung_up(self, characteristic, connection):
        """The socket has ended: nobody is subscribed any more."""
        data = None
        try:
            data = connection.recv(512)
        except (BlockingIOError, ConnectionResetError):
            pass
        if not data and characteristic.socket is connection:
            characteristic.calls.append((time.monotonic(), "end of socket", []))
            self.close(characteristic)
        elif not data:
            asyncio.get_running_loop().remove_reader(connection)

    def close(self, characteristic):
        if characteristic.socket:
            asyncio.get_running_loop().remove_reader(characteristic.socket)
            characteristic.socket.close()
            characteristic.socket = None

    def changed(self, characteristic, path, name, value):
        self.objects[path][1][name] = value
        self.send(Message.new_signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as",
                                     [CHARACTERISTIC, {name: value}, []]))

    def signal(self, characteristic, value):
        """A notification as a change of the property Value."""
        path = next(p for p, c in self.characteristics.items() if c is characteristic)
        self.changed(characteristic, path, "Value", Variant("ay", value))
