"""The radio of a room of PM5s.

    python3 -m radio [--adapters 7,5] [--truth FILE] [--capture FOLDER] -- pm5sim --pipe ...
    python3 -m radio ctl COMMAND [name=value ...]

--adapters says how many links each adapter can hold. --capture records what passes between the kernel
and each adapter, in adapter-0.btsnoop and so on; btmon and Wireshark read it. The first form says READY,
to systemd too, once the kernel has its adapters. Commands, of which those about monitors take pm=N, or go to all:

    state                  state of every monitor and adapter
    table                  UUID, value handle, properties and service of a monitor's characteristics
    drop                   the monitor ends the link
    off, on                the monitor is switched off, and on again: all is forgotten
    connectable on=0|1     on a screen where it can be connected to
    hang on=0|1            connected, and silent
    early on=0|1           sends a first status before it confirms the subscription
    refuse n=N             the next N links end as they are made
    leave                  the rower leaves, in the middle of a piece
    press key=menu|connect a key is pressed, which wakes the monitor
    row                    a rower rows, which wakes it too
    pull, plug adapter=N   an adapter is pulled out, and plugged in; they count from 0
    freeze adapter=N on=0|1 [resets=N]
                           its firmware hangs: no command is answered, its links are silent; until
                           on=0, until it is plugged in anew, or until the Nth HCI Reset, which the
                           kernel sends when it switches an adapter on
    slow adapter=N seconds=S
                           monitors take so long to answer a connect, and answer one that is
                           called off meanwhile in that very moment; 0 is the end of it
    mute adapter=N on=0|1  it refuses to advertise
    flush                  what was recorded is in the files

A program that connects to /run/radio-hci.sock gets a controller in range of all others, for packets
of H4. It is pulled out when the program closes the connection, which others notice by timeout.
"""
import argparse
import asyncio
import itertools
import json
import logging
import os
import socket
import sys

from . import capture, host
from .controller import Controller
from .room import Room

SOCKET = "/run/radio.sock"
# Links of the controller of a program.
STREAM_LINKS = 4
log = logging.getLogger("radio")


class Control:
    def __init__(self, monitors, adapters):
        self.monitors, self.adapters = monitors, adapters

    async def serve(self, reader, writer):
        """A JSON object per line, both ways."""
        while line := await reader.readline():
            try:
                answer = {"ok": True, **(self.carry_out(**json.loads(line)) or {})}
            except (ValueError, TypeError, KeyError, IndexError, OSError) as error:
                answer = {"ok": False, "error": repr(error)}
            writer.write((json.dumps(answer) + "\n").encode())
        writer.close()

    def carry_out(self, command, pm=None, adapter=None, on=1, n=1, resets=0, seconds=0, key="menu"):
        if command == "state":
            return self.state()
        if command in ("pull", "plug"):
            chosen = self.adapters[int(adapter)]
            return chosen.pull_out() if command == "pull" else chosen.plug_in()
        if command == "freeze":
            chosen = self.adapters[int(adapter)]
            return chosen.freeze(int(resets)) if int(on) else chosen.thaw()
        if command == "flush":
            for chosen in self.adapters:
                chosen.capture.flush()
            return None
        if command == "mute":
            self.adapters[int(adapter)].advertising.is_muted = bool(int(on))
            return None
        if command == "slow":
            self.adapters[int(adapter)].answering_time = float(seconds)
            return None
        if command == "table":
            return {"characteristics": self.monitors[int(pm) - 1].characteristics()}
        for monitor in self.monitors if pm is None else [self.monitors[int(pm) - 1]]:
            if command == "drop":
                monitor.drop()
            elif command == "off":
                monitor.switch_off()
            elif command == "on":
                monitor.switch_on()
            elif command == "connectable":
                monitor.is_connectable = bool(int(on))
            elif command == "hang":
                monitor.is_hanging = bool(int(on))
            elif command == "early":
                monitor.is_early = bool(int(on))
            elif command == "leave":
                monitor.leave()
            elif command == "press":
                monitor.press(key)
            elif command == "row":
                monitor.pull()
            elif command == "refuse":
                monitor.refusals = int(n)
            else:
                raise ValueError("no such command: " + command)
        return None

    def state(self):
        return {"monitors": [m.state() for m in self.monitors],
                "adapters": [{"name": a.name, "present": a.descriptor is not None,
                              "frozen": a.is_frozen, "links": len(a.links),
                              "connecting": a.answering is not None,
                              "advertising": a.advertising.state()}
                             for a in self.adapters]}


def ask(words):
    request = {"command": words[0], **dict(word.split("=", 1) for word in words[1:])}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(SOCKET)
        connection.sendall((json.dumps(request) + "\n").encode())
        answer = connection.makefile().readline()
    print(answer, end="")
    return 0 if json.loads(answer)["ok"] else 1


def notify_systemd(text):
    path = os.environ.get("NOTIFY_SOCKET")
    if path:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notification:
            notification.sendto(text.encode(), "\0" + path[1:] if path[0] == "@" else path)


async def serve(options):
    with open(options.truth, "w") as truth:
        room = Room(truth)
        await room.start(options.command)
        monitors = [room.monitors[number] for number in sorted(room.monitors)]
        air = []                            # every controller in range
        adapters = [Controller(number, int(limit), air)
                    for number, limit in enumerate(options.adapters.split(","))]
        air += adapters
        numbers = itertools.count(0x80)

        async def serve_program(reader, writer):
            controller = Controller(next(numbers), STREAM_LINKS, air)
            air.append(controller)
            try:
                await host.serve_stream(reader, writer, controller)
            finally:
                air.remove(controller)
        for adapter in adapters:
            if options.capture:
                adapter.capture = capture.Capture(
                    "%s/adapter-%d.btsnoop" % (options.capture, adapter.number))
            adapter.plug_in()
        while not all(adapter.name for adapter in adapters):
            await asyncio.sleep(0.01)
        await asyncio.start_unix_server(Control(monitors, adapters).serve, SOCKET)
        await asyncio.start_unix_server(serve_program, host.STREAM)
        print("READY", flush=True)
        notify_systemd("READY=1")
        await asyncio.gather(room.run(), *(m.advertise(air) for m in monitors))


def main():
    if sys.argv[1:2] == ["ctl"]:
        return ask(sys.argv[2:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapters", default="7,5")
    parser.add_argument("--truth", default="/run/truth.jsonl")
    parser.add_argument("--capture")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    return asyncio.run(serve(options))


if __name__ == "__main__":
    sys.exit(main())
