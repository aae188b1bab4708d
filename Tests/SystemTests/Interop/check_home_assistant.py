"""Checks the entities of a gateway in Home Assistant, which Interop/home-assistant installs.

  check_home_assistant.py requirements      prints the Python packages that the integrations in use need
  check_home_assistant.py run PORT GATEWAY ERGS
                                            starts Home Assistant on the broker at PORT, and checks devices,
                                            states and units of the ergs of GATEWAY

`run` prints "all entities match" when every sensor has had a value. It then waits for the gateway to stop,
and ends when all entities are unavailable. A warning of Home Assistant is a failure.
"""

import asyncio
import importlib
import json
import pathlib
import re
import socket
import sys
import tempfile
import time

INTEGRATIONS = {"mqtt", "config", "onboarding", "api", "websocket_api", "sensor", "binary_sensor"}
UNITS = {
    "power": "W", "stroke_rate": "spm", "pace": "s/500m", "heart_rate": "bpm", "distance": "m",
    "elapsed": "s", "speed": "m/s", "drag_factor": None, "state": None, "battery": "%",
}
CLIENT = "http://127.0.0.1/"


def requirements():
    """Returns the requirements of the integrations and of their dependencies."""
    import homeassistant
    from homeassistant import bootstrap

    folder = pathlib.Path(homeassistant.__file__).parent / "components"
    names = ("CORE_INTEGRATIONS", "DEFAULT_INTEGRATIONS", "FRONTEND_INTEGRATIONS")
    waiting = INTEGRATIONS.union(*(getattr(bootstrap, name, ()) for name in names))
    seen, expected = set(), set()
    while waiting:
        part = waiting.pop()
        seen.add(part)
        manifest = json.loads((folder / part / "manifest.json").read_text())
        expected.update(manifest.get("requirements", []))
        waiting |= set(manifest.get("dependencies", [])) - seen
    return sorted(expected)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Home:
    """A Home Assistant without devices, used over its HTTP and WebSocket APIs."""

    def __init__(self, folder, session):
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.session = session
        self.headers = {}
        self.sent = 0

    async def start(self):
        (self.folder / "configuration.yaml").write_text(
            "homeassistant:\n  name: Boathouse\n  unit_system: metric\n  time_zone: UTC\n"
            f"http:\n  server_host: 127.0.0.1\n  server_port: {self.port}\n"
            "logger:\n  default: warning\n"
            "api:\nwebsocket_api:\nconfig:\nonboarding:\n")
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "homeassistant", "--config", str(self.folder), "--skip-pip",
            "--log-file", str(self.folder / "log"), stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL)

    @property
    def log(self):
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    async def request(self, method, path, **body):
        async with self.session.request(
            method, self.url + path, headers=self.headers, **body) as answer:
            text = await answer.text()
            if answer.status >= 400:
                raise RuntimeError(f"{method} {path}: {answer.status} {text}")
            return json.loads(text)

    async def create_user(self):
        """Creates the first user, as the welcome page does."""
        user = {"client_id": CLIENT, "name": "Cox", "username": "cox", "password": "cox",
                "language": "en"}
        code = (await self.request("POST", "/api/onboarding/users", json=user))["auth_code"]
        grant = {"client_id": CLIENT, "grant_type": "authorization_code", "code": code}
        token = (await self.request("POST", "/auth/token", data=grant))["access_token"]
        self.headers = {"Authorization": f"Bearer {token}"}
        self.socket = await self.session.ws_connect(self.url + "/api/websocket")
        await self.socket.receive_json()
        await self.socket.send_json({"type": "auth", "access_token": token})
        assert (await self.socket.receive_json())["type"] == "auth_ok"

    async def command(self, kind):
        self.sent += 1
        await self.socket.send_json({"id": self.sent, "type": kind})
        answer = await self.socket.receive_json()
        assert answer["success"], answer
        return answer["result"]

    async def connect_broker(self, port):
        """Adds the MQTT integration."""
        flow = await self.request("POST", "/api/config/config_entries/flow", json={"handler": "mqtt"})
        broker = {"broker": "127.0.0.1", "port": port}
        entry = await self.request(
            "POST", f"/api/config/config_entries/flow/{flow['flow_id']}", json=broker)
        assert entry["type"] == "create_entry", entry

    async def entities(self):
        """Returns registry entry and state of each MQTT entity by unique id."""
        states = {state["entity_id"]: state for state in await self.request("GET", "/api/states")}
        registry = await self.command("config/entity_registry/list")
        return {
            entity["unique_id"]: (entity, states.get(entity["entity_id"]))
            for entity in registry if entity["platform"] == "mqtt"
        }


async def until(what, check, seconds=300):
    """Waits until `check` returns no problem."""
    end = time.monotonic() + seconds
    while problem := await check():
        if time.monotonic() > end:
            raise SystemExit(f"{what}: {problem}")
        await asyncio.sleep(0.5)


async def is_ready(home):
    try:
        await home.request("GET", "/api/onboarding")
    except Exception as error:  # a starting server can fail in many ways
        if home.process.returncode is not None:
            raise SystemExit(f"Home Assistant ended:\n{home.log}") from error
        return f"{error!r}\n{home.log}"


def is_number(state):
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", state["state"]) is not None


async def sensors(home, names, own, shown):
    """Returns a problem of the sensors; `shown` collects those that have had a value."""
    entities = await home.entities()
    for problem in [f"{name}-problem" for name in [*names, own]]:
        if problem not in entities:
            return f"no {problem}"
        state = entities.pop(problem)[1]
        if state is None or state["state"] not in ("on", "off"):
            return f"{problem} is {state and state['state']}"
    expected = {f"{name}-{key}": key for name in names for key in UNITS}
    if set(entities) != set(expected):
        return f"sensors missing {set(expected) - set(entities)}, too many {set(entities) - set(expected)}"
    for unique, key in expected.items():
        state = entities[unique][1]
        if state is None:
            return f"{unique} has no state"
        unit = state["attributes"].get("unit_of_measurement")
        assert unit == UNITS[key], f"{unique} is in {unit}"
        if key == "state":
            options = state["attributes"]["options"]
            assert state["state"] in [*options, "unknown", "unavailable"], state
            if state["state"] == "rowing":
                shown.add(unique)
        elif is_number(state):
            shown.add(unique)
        else:
            assert state["state"] in ("unknown", "unavailable"), state
    problem = set(expected) - shown
    if any(expected[unique] == "heart_rate" for unique in shown):
        # Some simulated rowers have no heart rate belt.
        problem = {unique for unique in problem if expected[unique] != "heart_rate"}
    return problem


async def devices(home, names, own):
    """Returns a problem of the device registry."""
    registry = await home.command("config/device_registry/list")
    found = {identifier[1]: device for device in registry for identifier in device["identifiers"]
             if identifier[0] == "mqtt"}
    if set(found) != {*names, own}:
        return f"devices {sorted(found)}, not {[*names, own]}"
    del found[own]
    for name, device in found.items():
        erg = name.split("-", 2)[2]
        assert device["name"] == f"Erg {erg}", device
        for key in ("manufacturer", "model", "serial_number", "sw_version", "hw_version"):
            if not device[key]:
                return f"{name} has no {key}"


async def unavailable(home):
    return {unique for unique, (_, state) in (await home.entities()).items()
            if state is None or state["state"] != "unavailable"}


async def run(port, gateway, ergs):
    aiohttp = importlib.import_module("aiohttp")
    names = [f"rowgate-{gateway}-erg-{number}" for number in range(1, ergs + 1)]
    own = f"rowgate_{gateway}"
    with tempfile.TemporaryDirectory() as folder:
        async with aiohttp.ClientSession() as session:
            home = Home(pathlib.Path(folder), session)
            await home.start()
            try:
                await until("no answer", lambda: is_ready(home))
                await home.create_user()
                await home.connect_broker(port)
                shown = set()
                await until("sensors", lambda: sensors(home, names, own, shown))
                await until("devices", lambda: devices(home, names, own))
                print("all entities match", flush=True)
                await until("without a gateway", lambda: unavailable(home))
            finally:
                home.process.terminate()
                await home.process.wait()
            warnings = [line for line in home.log.splitlines() if "mqtt" in line.lower()]
            if warnings:
                raise SystemExit("Home Assistant warns:\n" + "\n".join(warnings))
    print(f"{len(names)} devices of {len(UNITS)} sensors each, and no warning", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["requirements"]:
        print("\n".join(requirements()))
    elif sys.argv[1:2] == ["run"] and len(sys.argv) == 5:
        asyncio.run(run(int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
    else:
        sys.exit(__doc__)
