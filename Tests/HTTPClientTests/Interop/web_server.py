#!/usr/bin/env python3
"""A web server for the tests of a client; it prints its port, and then a line for each event.

  web_server.py [CERTIFICATE KEY [old]]     with TLS, `old` with TLS 1.1 only

The path selects the answer: /echo the request as JSON, with the parts of a multipart body as Python's email
module reads them; /status/NUMBER with a Location on another server; and faults.
"""
import base64
import email.parser
import email.policy
import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()


def say(text):
    with lock:
        print(text, flush=True)


def text_of(data):
    return base64.b64encode(data).decode()


def parts_of(content_type, body):
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    return [
        {
            "name": part.get_param("name", header="content-disposition"),
            "file": part.get_filename(),
            "type": part.get_content_type(),
            "body": text_of(part.get_payload(decode=True)),
        }
        for part in message.iter_parts()
    ]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def echo(self, body):
        kind = self.headers.get("Content-Type", "")
        described = {
            "method": self.command,
            "path": self.path,
            "headers": [[name.lower(), value] for name, value in self.headers.items()],
            "body": text_of(body),
            "parts": parts_of(kind, body) if kind.startswith("multipart/") else [],
        }
        self.answer(200, json.dumps(described).encode(), [("X-Twice", "one"), ("x-twice", "two")])

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        say(f"{self.command} {self.path} {self.headers.get('Authorization', '-')}")
        first, _, rest = self.path.split("?")[0].strip("/").partition("/")
        if first == "status":
            number, _, other = rest.partition("/")
            self.answer(int(number), b"elsewhere", [("Location", f"http://127.0.0.1:{other}/echo")])
        elif first == "never":
            # Until the client closes the connection.
            self.rfile.read(1)
            say("closed")
        elif first == "silent":
            self.close_connection = True
        elif first == "cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
            self.close_connection = True
        elif first == "large":
            self.answer(200, b"x" * int(rest))
        elif first == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            self.repeat(b"400\r\n" + b"x" * 0x400 + b"\r\n")
        elif first == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            self.repeat(b"X-Header: " + b"x" * 1000 + b"\r\n")
        elif first == "trailers":
            self.wfile.write(
                b"HTTP/1.1 103 Early Hints\r\nLink: </early>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                b"\r\n2\r\nok\r\n0\r\nX-Trailer: late\r\n\r\n")
        elif first == "garbage":
            self.wfile.write(b"220 mail.example ESMTP\r\n")
            self.close_connection = True
        else:
            self.echo(body)

    def repeat(self, data):
        try:
            while True:
                self.wfile.write(data)
        except OSError:
            say("closed")
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = handle_request


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        # Clients that refuse the certificate end the connection.
        say(f"failed: {sys.exc_info()[1]}")


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    if sys.argv[3:] == ["old"]:
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
say(server.server_address[1])
server.serve_forever()
