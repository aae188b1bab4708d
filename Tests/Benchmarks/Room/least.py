#!/usr/bin/env python3
"""Links eight monitors, acquires their notifications, and passes the descriptors to least.c.

    least.py PROGRAM PORT MONITORS MILLISECONDS

Keeps running, because the links belong to this process's connection to the bus, but does not take part
in the program's work. The bus is that of DBUS_SYSTEM_BUS_ADDRESS.
"""
import asyncio
import os
import signal
import subprocess
import sys

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

C2 = "ce06%s-43e5-11e4-916c-0800200c9a66"
RATES = {1000: 0, 500: 1, 250: 2, 100: 3}
HEARD = ("0031", "0032", "0033", "0035", "0036", "003d")
DEVICE, CHARACTERISTIC = "org.bluez.Device1", "org.bluez.GattCharacteristic1"
# Links that each of the room's radios holds.
RADIOS = {"/org/bluez/hci0": 7, "/org/bluez/hci1": 5}


class Refused(Exception):
    pass


class Bus:
    async def begin(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        return self

    async def call(self, path, interface, member, signature="", *body):
        reply = await self.bus.call(Message(
            destination="org.bluez", path=path, interface=interface, member=member,
            signature=signature, body=list(body)))
        if reply.message_type == MessageType.ERROR:
            raise Refused("%s of %s: %s" % (member, path, reply.body))
        return reply

    async def patiently(self, *call):
        for _ in range(30):
            try:
                return await self.call(*call)
            except Refused as refusal:
                last = refusal
                await asyncio.sleep(1)
        raise last

    async def objects(self):
        return (await self.call(
            "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")).body[0]

    async def monitors(self, count):
        """Each by one of the radios that see it."""
        for radio in RADIOS:
            await self.patiently(radio, "org.bluez.Adapter1", "StartDiscovery")
        await asyncio.sleep(3)
        for radio in RADIOS:
            await self.call(radio, "org.bluez.Adapter1", "StopDiscovery")
        found, left = {}, dict(RADIOS)
        for path, interfaces in sorted((await self.objects()).items()):
            radio, _, device = path.rpartition("/")
            if DEVICE in interfaces and device not in found and left[radio] and len(found) < count:
                found[device], left[radio] = path, left[radio] - 1
        return list(found.values())

    async def link(self, monitor):
        await self.patiently(monitor, DEVICE, "Connect")
        while not (await self.objects())[monitor][DEVICE]["ServicesResolved"].value:
            await asyncio.sleep(0.5)

    async def acquire(self, monitor, milliseconds):
        """Each descriptor with its characteristic."""
        paths = {interfaces[CHARACTERISTIC]["UUID"].value: path
                 for path, interfaces in (await self.objects()).items()
                 if path.startswith(monitor + "/") and CHARACTERISTIC in interfaces}
        await self.call(paths[C2 % "0034"], CHARACTERISTIC, "WriteValue", "aya{sv}",
                        bytes([RATES[milliseconds]]), {"type": Variant("s", "request")})
        for short in HEARD:
            reply = await self.call(
                paths[C2 % short], CHARACTERISTIC, "AcquireNotify", "a{sv}", {})
            yield reply.unix_fds[reply.body[0]], short


async def main(program, port, count, milliseconds):
    bus, words = await Bus().begin(), []
    for number, monitor in enumerate(await bus.monitors(int(count))):
        await bus.link(monitor)
        async for descriptor, short in bus.acquire(monitor, int(milliseconds)):
            os.set_inheritable(descriptor, True)
            words.append("%d:%s:%d" % (descriptor, short, number))
    child = subprocess.Popen([program, port, *words], close_fds=False)
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGUSR1, child.send_signal, signal.SIGUSR1)
    try:
        await asyncio.get_running_loop().run_in_executor(None, child.wait)
    finally:
        child.kill()


asyncio.run(main(*sys.argv[1:]))
