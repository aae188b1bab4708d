#!/usr/bin/env python3
"""Stores every durable record of all gateways in PostgreSQL, each once.

Tested with PostgreSQL 15, paho-mqtt 1.6.1 and psycopg2 2.9.5 of Debian 12: ExampleTests run it.

  apt install postgresql python3-paho-mqtt python3-psycopg2
  sudo -u postgres createuser "$USER" && sudo -u postgres createdb --owner "$USER" rowing
  MQTT_HOST=localhost MQTT_USER=dashboard MQTT_PASSWORD=... ./postgresql-subscriber.py dbname=rowing
"""
import os
import sys

import paho.mqtt.client as mqtt
import psycopg2

TABLE = """create table if not exists record (
  epoch text, gw text, erg text, kind text, seq bigint, time timestamptz not null,
  body jsonb not null, primary key (epoch, gw, erg, kind, seq))"""
INSERT = """insert into record select b->>'epoch', b->>'gw', coalesce(b->>'erg', ''), b->>'kind',
  (b->>'seq')::bigint, (b->>'time')::timestamptz, b - 'historical' from (select %s::jsonb as b) m
  on conflict do nothing"""
KINDS = ["session", "stroke", "force", "split", "summary", "gap", "manifest"]
TOPICS = ["rowgate/v1/+/event"] + [f"rowgate/v1/+/erg/+/{kind}" for kind in KINDS]


def store(client, database, message):
    # paho acknowledges the message after this returns, so the record is stored before.
    with database, database.cursor() as cursor:
        cursor.execute(INSERT, [message.payload.decode()])


database = psycopg2.connect(sys.argv[1])
with database, database.cursor() as cursor:
    cursor.execute(TABLE)
version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
client = mqtt.Client(*version, client_id="rowgate-postgresql", clean_session=False, userdata=database)
if "MQTT_USER" in os.environ:
    client.username_pw_set(os.environ["MQTT_USER"], os.environ.get("MQTT_PASSWORD"))
client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in TOPICS])
client.on_message = store
client.connect(os.environ.get("MQTT_HOST", "localhost"), int(os.environ.get("MQTT_PORT", 1883)))
client.loop_forever()
