#!/usr/bin/env python3
"""A proxy for CONNECT that leads every host to one port of this machine, or refuses.

  connect_proxy.py PORT [STATUS]     prints its port, and then a line for each request with its credentials
"""
import socket
import sys
import threading


def forward(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(65536)
        if not data:
            return
        head += data
    lines = head.decode().split("\r\n")
    credentials = [line.split(": ")[1] for line in lines if line.lower().startswith("proxy-authorization: ")]
    print(lines[0].rsplit(" ", 1)[0], *credentials, flush=True)
    if sys.argv[2:]:
        client.sendall(f"HTTP/1.1 {sys.argv[2]} Refused\r\nX-Proxy: yes\r\nContent-Length: 0\r\n\r\n".encode())
        client.close()
        return
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    client.sendall(b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
    for pair in ((client, server), (server, client)):
        threading.Thread(target=forward, args=pair, daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
