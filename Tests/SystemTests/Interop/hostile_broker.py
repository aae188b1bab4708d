#!/usr/bin/env python3
"""A broker that accepts connections and sends malformed packets.

  hostile_broker.py PORT [NAME...]  sends one attack per connection, in order, and repeats them
  hostile_broker.py --names         prints the names of all attacks, one per line

After "READY" it prints the name of each attack when its connection has ended.
"""
import random
import socket
import struct
import sys

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9


def varint(number):
    out = b""
    while True:
        number, byte = number >> 7, number & 0x7F
        out += bytes([byte | (0x80 if number else 0)])
        if not number:
            return out


def packet(kind, body, flags=0):
    return bytes([kind << 4 | flags]) + varint(len(body)) + body


def text(value):
    return struct.pack(">H", len(value)) + value


def attacks():
    """Returns tuples of name, whether to accept the connection first, and bytes."""
    accepted = []

    def add(name, data, accept=True):
        accepted.append((name, accept, data))

    # These two abort libmosquitto 2.0.11.
    add("publish-property", bytes.fromhex("300d0009726f77676174652f7631000041"))
    add("publish-pair", bytes.fromhex("300a00036262620399ffff41"))
    topic, mid = text(b"rowgate/v1/test/cmd/ping"), b"\0\1"
    unknown = [b"\x01\x7f", b"\x02\x7f\x01", b"\x02\x00\x00", b"\x05\x80\x80\x80\x80\x01"]
    for number, properties in enumerate(unknown):
        add("publish-qos0-%d" % number, packet(PUBLISH, topic + properties + b"x"))
        add("publish-qos1-%d" % number, packet(PUBLISH, topic + mid + properties + b"x", 2))
        add("publish-qos2-%d" % number, packet(PUBLISH, topic + mid + properties + b"x", 4))
        for kind in (4, 5, 6, 7):
            flags = 2 if kind == 6 else 0
            add("ack%d-%d" % (kind, number), packet(kind, mid + b"\0" + properties, flags))
        for kind in (9, 11):
            add("suback%d-%d" % (kind, number), packet(kind, mid + properties + b"\x01"))
        for kind in (14, 15):
            add("end%d-%d" % (kind, number), packet(kind, b"\x81" + properties))
        add("connack-%d" % number, packet(CONNACK, b"\0\0" + properties), False)
        add("second-connack-%d" % number, packet(CONNACK, b"\0\0" + properties))
    # Known properties with truncated values, or in the wrong packet.
    for name, value in {
        "string": b"\x03\x00\xff", "binary": b"\x09\xff\xff\x01", "pair": b"\x26\0\1a\xff\xff",
        "number": b"\x02\0", "varint": b"\x0b\xff\xff\xff\xff\xff", "byte": b"\x01",
        "utf8": b"\x03\0\2\xc0\x80", "alias": b"\x23\xff\xff", "foreign": b"\x21\0\1",
    }.items():
        properties = varint(len(value)) + value
        add("value-" + name, packet(PUBLISH, topic + properties + b"x"))
        add("connack-value-" + name, packet(CONNACK, b"\0\0" + properties), False)
    # Lengths.
    for kind in range(16):
        add("empty-%d" % kind, packet(kind, b""))
        add("short-%d" % kind, packet(kind, b"\0"))
        add("cut-%d" % kind, bytes([kind << 4]) + b"\x20\0\1")
    add("no-topic", packet(PUBLISH, b"\0\0\0x"))
    add("long-topic", packet(PUBLISH, b"\xff\xffab"))
    add("wildcard-topic", packet(PUBLISH, text(b"rowgate/v1/#") + b"\0x"))
    add("bad-varint", b"\x30\xff\xff\xff\xff\xff\xff")
    add("suback-nothing", packet(SUBACK, mid + b"\0"))
    add("suback-unknown", packet(SUBACK, b"\x7f\xff\0\xff"))
    add("suback-many", packet(SUBACK, mid + b"\0" + b"\1" * 5000))
    add("puback-unknown", packet(PUBACK, b"\x7f\xff"))
    add("whale", bytes([PUBLISH << 4]) + b"\xff\xff\xff\x7f" + topic + b"\0" + b"x" * (96 << 20))
    # Seeded, so that the garbage is the same in each run.
    source = random.Random(15)
    for number in range(30):
        add("garbage-%d" % number, source.randbytes(source.randrange(1, 400)), number % 3 > 0)
    return accepted


def read_packet(stream):
    """Returns kind and body of the next packet, or None at the end."""
    head = stream.read(1)
    if not head:
        return None
    length = shift = 0
    while True:
        byte = stream.read(1)
        if not byte:
            return None
        length |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:
            return head[0] >> 4, stream.read(length)


def serve(connection, attack):
    name, accept, data = attack
    connection.settimeout(5)
    stream = connection.makefile("rb")
    if (read_packet(stream) or (0,))[0] != CONNECT:
        return
    if accept:
        connection.sendall(packet(CONNACK, b"\0\0\0"))
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)
    while read_packet(stream):
        pass


def main():
    every = attacks()
    if sys.argv[1] == "--names":
        print("\n".join(name for name, _, _ in every))
        return
    if sys.argv[2:]:
        every = [attack for attack in every if attack[0] in sys.argv[2:]]
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("READY", flush=True)
    number = 0
    while True:
        connection, _ = listener.accept()
        attack = every[number % len(every)]
        number += 1
        try:
            serve(connection, attack)
        except OSError:
            pass                                            # the client disconnected or stopped sending
        connection.close()
        print(attack[0], flush=True)


main()
