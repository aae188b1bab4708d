"""Compares the examples that cannot run with the published schemas.

  check_examples.py EXAMPLES SCHEMAS
"""

import json
import pathlib
import re
import sys
import tomllib

import jsonschema

examples, folder = map(pathlib.Path, sys.argv[1:])
schemas = {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def kind_of(topic):
    """Returns the schema of a topic or of a filter with one-level wildcards, or None."""
    for name, schema in schemas.items():
        for entry in schema["topics"]:
            if fits(topic.split("/"), entry["topic"].split("/")):
                return name
    return None


def fits(levels, pattern):
    return len(levels) == len(pattern) and all(
        level == name or (name.startswith("{") and level != "") for level, name
        in zip(levels, pattern))


def telegraf():
    configuration = tomllib.loads((examples / "telegraf.conf").read_text())
    for consumer in configuration["inputs"]["mqtt_consumer"]:
        kinds = [kind_of(topic) for topic in consumer["topics"]]
        assert None not in kinds, consumer["topics"]
        fields = set().union(*(schemas[kind]["properties"] for kind in kinds))
        for key in consumer["tag_keys"] + consumer["json_string_fields"]:
            assert key in fields, f"telegraf.conf: no {key} in {kinds}"
        for kind in kinds:
            for key in ["json_name_key", "json_time_key"]:
                assert consumer[key] in schemas[kind]["required"], f"{kind} does not require {key}"


def node_red():
    nodes = {node["id"]: node for node in json.loads((examples / "node-red-flow.json").read_text())}
    for node in nodes.values():
        for target in sum(node.get("wires", []), []):
            assert target in nodes, f"node-red-flow.json: no node {target}"
        if node["type"].startswith("mqtt "):
            assert nodes[node["broker"]]["type"] == "mqtt-broker"
            assert kind_of(node["topic"]), node["topic"]
    summary = schemas["summary"]["properties"]
    for field in re.findall(r"{{payload\.(\w+)}}", nodes["sentence"]["template"]):
        assert field in summary, field
    command = json.loads(nodes["command"]["template"].replace("{{payload}}", "1788627900120"))
    jsonschema.validate(command, schemas[kind_of(nodes["send"]["topic"])])


def grafana():
    dashboard = json.loads((examples / "grafana-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        sql = panel["targets"][0]["rawSql"]
        kind = re.search(r"kind = '(\w+)'", sql).group(1)
        for field in re.findall(r"body(?:->>| \? )'(\w+)'", sql):
            assert field in schemas[kind]["properties"], f"grafana-dashboard.json: {kind}.{field}"


telegraf()
node_red()
grafana()
