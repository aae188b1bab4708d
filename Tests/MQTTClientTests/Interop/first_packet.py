#!/usr/bin/env python3
"""A broker that says in hexadecimal digits what each client sends first, and hangs up.

  first_packet.py     prints its port, then a line for each client
"""
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client = listener.accept()[0]
    print(client.recv(4096).hex(), flush=True)
    client.close()
