"""The monitors themselves: `pm5sim --pipe`, which measures, replies and records the truth."""
import asyncio
import json
import logging
import time

from . import att
from .monitor import Monitor

log = logging.getLogger("radio")


class Room:
    """Reads what the monitors say and passes it to their radios.

    Truth goes to `truth`, a JSON object per line: pm5sim's own, with "at", the seconds of
    the monotonic clock at which the radio was done with it. "stroke" stands for one of which every
    packet reached the adapter, "unsent_stroke" for any other.
    """

    def __init__(self, truth):
        self.truth, self.process, self.monitors = truth, None, {}
        self.answers = {}                   # monitor number -> futures, oldest first

    async def start(self, command):
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        while (line := await self.line())["kind"] != "ready":
            self.describe(line)

    async def line(self):
        text = await self.process.stdout.readline()
        if not text:
            raise EOFError("pm5sim has ended")
        return json.loads(text)

    def describe(self, line):
        number = line["pm"]
        if line["kind"] == "monitor":
            self.monitors[number] = Monitor(
                number, line["serial"], line["name"], line["address"], self)
            self.answers[number] = []
            return
        table, uuid = self.monitors[number].table, att.uuid_bytes(line["uuid"])
        if line["kind"] == "service":
            table.add_service(line["handle"], uuid)
        else:
            table.add(att.Characteristic(
                line["handle"] + 1, uuid, line["flags"], line.get("id"),
                line.get("configuration")), line["handle"])

    async def run(self):
        """Reads until pm5sim ends, which is an error."""
        while True:
            self.handle(await self.line())

    def handle(self, line):
        kind = line["kind"]
        if kind == "value":
            self.monitors[line["pm"]].value(line["id"], bytes.fromhex(line["hex"]))
        elif kind == "answer":
            answer = self.answers[line["pm"]].pop(0)
            # The requester may be gone with its link.
            if not answer.done():
                answer.set_result(bytes.fromhex(line["hex"]) if "hex" in line else None)
        elif kind == "air":
            self.monitors[line["pm"]].is_awake = line["advertising"]
        elif kind == "error":
            raise ValueError("pm5sim did not understand " + line["text"])
        elif kind in ("stroke", "unsent_stroke"):
            monitor = next(m for m in self.monitors.values() if m.serial == line["erg"])
            monitor.when_stroke_arrived(lambda arrived: self.write_truth(line, arrived))
        else:
            self.write_truth(line, True)

    def write_truth(self, line, arrived):
        if not arrived:
            line["kind"] = "unsent_stroke"
        line["at"] = round(time.monotonic(), 3)
        self.truth.write(json.dumps(line) + "\n")
        self.truth.flush()

    # What radios ask of their monitors

    def send(self, monitor, verb, **words):
        request = {"pm": monitor.number, "do": verb, **words}
        self.process.stdin.write((json.dumps(request) + "\n").encode())

    async def read(self, monitor, identifier):
        if identifier is None:
            return b""                      # of the Bluetooth base range; no test needs it
        answer = asyncio.get_running_loop().create_future()
        self.answers[monitor.number].append(answer)
        self.send(monitor, "read", id=identifier)
        return await answer
