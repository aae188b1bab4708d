#!/usr/bin/env python3
"""Scans, connects to every monitor at once, subscribes, and prints what came, as JSON.

    bleak_client.py COUNT SECONDS

The bus is that of DBUS_SYSTEM_BUS_ADDRESS, which bleak's D-Bus library obeys.
"""
import asyncio
import json
import sys

from bleak import BleakClient, BleakScanner

C2 = "ce06%s-43e5-11e4-916c-0800200c9a66"
NOTIFYING = ["0031", "0032", "0033", "0035", "0036"]


async def find(count):
    for _ in range(5):
        found = await BleakScanner.discover(1, service_uuids=[C2 % "0000"])
        found = [device for device in found if (device.name or "").startswith("PM5 ")]
        if len(found) >= count:
            return found
    raise SystemExit("found only %d monitors" % len(found))


async def listen(device, seconds):
    received = {}
    async with BleakClient(device, timeout=60) as client:
        def keep(short):
            def callback(_, data):
                received.setdefault(short, []).append(bytes(data).hex())
            return callback
        serial = (await client.read_gatt_char(C2 % "0012")).decode()
        await client.write_gatt_char(C2 % "0034", bytes([3]), response=True)
        for short in NOTIFYING:
            await client.start_notify(C2 % short, keep(short))
        await asyncio.sleep(seconds)
        # Values may arrive late on a busy machine.
        for _ in range(600):
            if len(received.get("0031", [])) > 50 and len(received.get("0035", [])) > 6:
                break
            await asyncio.sleep(0.1)
        await client.stop_notify(C2 % "0031")
    return {"name": device.name, "serial": serial, "received": received}


async def main():
    found = await find(int(sys.argv[1]))
    print(json.dumps(await asyncio.gather(*(listen(d, float(sys.argv[2])) for d in found))))


asyncio.run(main())
