#!/usr/bin/env python3
"""A broker behind TLS that accepts one client, and sends its CONNACK and three messages in one record.

  one_record.py CERTIFICATE KEY     prints its port, and ends when the client goes
"""
import socket
import ssl
import sys

CONNACK = bytes.fromhex("2003000000")
# Topic "t", no properties, a byte each.
MESSAGES = b"".join(bytes.fromhex("3005000174") + b"\0" + text for text in (b"1", b"2", b"3"))

context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
client = context.wrap_socket(listener.accept()[0], server_side=True)
client.recv(4096)
client.sendall(CONNACK + MESSAGES)
while client.recv(4096):
    pass
