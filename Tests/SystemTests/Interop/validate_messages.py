"""Validates received messages against the published JSON Schemas with python's jsonschema.

  validate_messages.py SCHEMAS FILE...          validates each line of mosquitto_sub -F %j
  validate_messages.py --cover SCHEMAS FILE...  also requires each kind and field at least once

Messages of a logbook are validated against ../logbook/v1, which its own tests cover. `unseen` in a schema
says why no test covers a field.
"""

import collections
import datetime
import decimal
import json
import pathlib
import re
import sys

import jsonschema


class Kind:
    def __init__(self, path):
        self.name = path.stem
        self.schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft202012Validator(self.schema)
        self.properties = self.schema.get("properties", {})
        self.fields = collections.Counter()
        self.messages = 0

    def routes(self):
        for topic in self.schema["topics"]:
            pattern = re.sub(r"\\{(\w+)\\}", "[^/]+", re.escape(topic["topic"]))
            yield re.compile(pattern), topic, self

    def errors(self, payload):
        """Returns the errors of a message, which is a string or JSON as its schema says."""
        self.messages += 1
        if self.schema["type"] == "string":
            message = payload
        else:
            try:
                message = json.loads(
                    payload, parse_float=decimal.Decimal, parse_constant=refuse_constant,
                    object_pairs_hook=refuse_duplicates)
            except (ValueError, decimal.InvalidOperation, RecursionError) as error:
                return [f"not JSON: {error}"]
            if not isinstance(message, dict):
                return ["not a JSON object"]
            self.fields.update(message.keys())
        found = [f"{error.json_path}: {error.message}" for error in
                 self.validator.iter_errors(message)]
        return found if found or isinstance(message, str) else self.check_values(message)

    def check_values(self, message):
        """Checks decimals, and that the two timestamps are equal, which JSON Schema cannot."""
        found = []
        for name, value in message.items():
            places = self.properties[name].get("decimals", 0)
            for number in value if isinstance(value, list) else [value]:
                decimals = isinstance(number, decimal.Decimal) and -number.as_tuple().exponent
                if isinstance(number, (int, decimal.Decimal)) and decimals != places:
                    found.append(f"$.{name}: {number} has not {places} decimals")
        if "ts_ms" in message:
            time = datetime.datetime.fromisoformat(message["time"])
            if round(time.timestamp() * 1000) != message["ts_ms"]:
                found.append(f"$.time: {message['time']} is not {message['ts_ms']}")
        return found


def refuse_constant(name):
    raise ValueError(f"{name} is not a JSON number")


def refuse_duplicates(pairs):
    object_ = dict(pairs)
    if len(object_) != len(pairs):
        raise ValueError("duplicate key")
    return object_


def is_reply(payload):
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("kind") == "rsp"


def check(line, routes):
    """Returns the errors of one received message."""
    received = json.loads(line)
    topic, payload = received["topic"], received.get("payload") or ""
    match = next((route for route in routes if route[0].fullmatch(topic)), None)
    ours = topic.startswith(("rowgate/", "rowgate-logbook/"))
    if match is None and ours and "/cmd/" not in topic:
        return [f"{topic} is not a topic of the contract"]
    if match is None and is_reply(payload):
        # A reply uses the response topic of its request.
        match = next(route for route in routes
                     if route[2].name == "rsp" and route[1]["topic"].startswith("rowgate/"))
    if match is None:
        return []  # tests also send invalid messages
    _, expected, kind = match
    if kind.name.startswith("cmd_"):
        valid = not kind.errors(payload)
        kind.messages -= not valid
        return []
    if payload == "" and expected["retain"]:
        return []  # a cleared topic
    found = kind.errors(payload)
    if received["qos"] != expected["qos"]:
        found.append(f"QoS {received['qos']}, not {expected['qos']}")
    if received["retain"] and not expected["retain"]:
        found.append("retained")
    return [f"{topic} {error} in {payload[:300]}" for error in found]


def uncovered(kinds):
    for kind in kinds:
        if kind.name.startswith("cmd_"):
            continue
        if kind.messages == 0 and "unseen" not in kind.schema:
            yield f"no {kind.name} was published"
            continue
        for name, schema in kind.properties.items():
            if not kind.fields[name] and "unseen" not in schema:
                yield f"no {kind.name} had {name}"


def main(arguments):
    covers = arguments[:1] == ["--cover"]
    folder, *files = arguments[covers:]
    folder = pathlib.Path(folder)
    kinds = [Kind(path) for path in sorted(folder.glob("*.json"))]
    logbooks = [Kind(path) for path in sorted(folder.parent.glob("logbook/v1/*.json"))]
    routes = [route for kind in kinds + logbooks for route in kind.routes()]
    routes.sort(key=lambda route: route[1]["topic"].count("{"))
    errors = collections.Counter()
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            errors.update(check(line, routes))
    if covers:
        errors.update(uncovered(kinds))
    for error, count in errors.items():
        print(f"{count} x {error}", file=sys.stderr)
    print(f"{sum(kind.messages for kind in kinds + logbooks)} messages", *(
        f"{kind.name}:{kind.messages}" for kind in kinds + logbooks if kind.messages))
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
