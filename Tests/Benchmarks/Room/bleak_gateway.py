#!/usr/bin/env python3
"""A simple gateway, written in an afternoon: bleak, struct and paho-mqtt, eight monitors.

    bleak_gateway.py PORT MONITORS MILLISECONDS

Publishes strokes with QoS 1 and twice a second the live values with QoS 0, as JSON with the time at
which they were received. No ring, no sessions, no recovery. Prints a line at its start, and
the number of notifications on SIGUSR1. The bus is that of DBUS_SYSTEM_BUS_ADDRESS.
"""
import asyncio
import json
import signal
import struct
import sys
import time

import paho.mqtt.client as mqtt
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

C2 = "ce06%s-43e5-11e4-916c-0800200c9a66"
RATES = {1000: 0, 500: 1, 250: 2, 100: 3}


def u24(data, at):
    return data[at] | data[at + 1] << 8 | data[at + 2] << 16


def general_status(data, live):
    live["elapsed_s"], live["distance_m"] = u24(data, 0) / 100, u24(data, 3) / 10
    live["workout_state"], live["stroke_state"], live["drag_factor"] = data[8], data[10], data[18]


def status_1(data, live):
    speed, rate, heart, pace = struct.unpack_from("<HBBH", data, 3)
    live["speed_m_s"], live["rate_spm"], live["pace_s"] = speed / 1000, rate, pace / 100
    live["heart_rate_bpm"] = None if heart == 255 else heart


def status_2(data, live):
    live["power_w"], live["calories"] = struct.unpack_from("<HH", data, 4)


def stroke(data):
    drive, recovery, distance, peak, mean, work, count = struct.unpack_from("<BHHHHHH", data, 7)
    return {
        "elapsed_s": u24(data, 0) / 100, "distance_m": u24(data, 3) / 10,
        "length_m": data[6] / 100, "drive_s": drive / 100, "recovery_s": recovery / 100,
        "stroke_m": distance / 100, "peak_n": peak / 10 * 4.448, "mean_n": mean / 10 * 4.448,
        "work_j": work / 10, "n": count,
    }


class Erg:
    def __init__(self, gateway, device):
        self.gateway, self.device, self.live, self.sent_ms = gateway, device, {}, 0

    def heard(self, handle):
        def callback(_, data):
            self.gateway.notifications += 1
            handle(bytes(data), time.time_ns() // 1_000_000)
        return callback

    def publish(self, kind, values, heard_ms, qos):
        body = json.dumps({"ts_ms": heard_ms, "v": 1, **values})
        self.gateway.client.publish("bleak/%s/%s" % (self.serial, kind), body, qos)

    def on_status_2(self, data, heard_ms):
        status_2(data, self.live)
        if heard_ms - self.sent_ms >= 450:
            self.sent_ms = heard_ms
            self.publish("live", self.live, heard_ms, 0)

    async def hold(self, milliseconds):
        while True:
            try:
                async with BleakClient(self.device, timeout=60) as client:
                    self.serial = (await client.read_gatt_char(C2 % "0012")).decode().rstrip("\0")
                    await client.write_gatt_char(
                        C2 % "0034", bytes([RATES[milliseconds]]), response=True)
                    for short, handle in [
                        ("0031", lambda data, _: general_status(data, self.live)),
                        ("0032", lambda data, _: status_1(data, self.live)),
                        ("0033", self.on_status_2),
                        ("0035", lambda data, at: self.publish("stroke", stroke(data), at, 1)),
                        ("0036", lambda data, _: None),
                        ("003d", lambda data, _: None),
                    ]:
                        await client.start_notify(C2 % short, self.heard(handle))
                    while client.is_connected:
                        await asyncio.sleep(1)
            except (BleakError, asyncio.TimeoutError, EOFError) as error:
                print("retry: %s" % error, file=sys.stderr)
                await asyncio.sleep(2)


class Gateway:
    notifications = 0

    async def run(self, port, monitors, milliseconds):
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGUSR1, lambda: print("notifications %d" % self.notifications, flush=True))
        found = {}
        while len(found) < monitors:
            for device in await BleakScanner.discover(2, service_uuids=[C2 % "0000"]):
                if (device.name or "").startswith("PM5 "):
                    found[device.address] = device
        ergs = [asyncio.create_task(Erg(self, d).hold(milliseconds)) for d in found.values()]
        print("streaming", flush=True)
        await asyncio.gather(*ergs)


asyncio.run(Gateway().run(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
