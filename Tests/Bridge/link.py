"""The network link between a club and the centre, which can be cut."""
import contextlib
import socket
import threading

from mixture import Proxy, hang_up


class Link(threading.Thread):
    """Listens on its own port, and forwards connections to `upstream` unless cut."""

    def __init__(self, upstream):
        super().__init__(daemon=True)
        self.upstream, self.lock = upstream, threading.Lock()
        self.is_whole, self.ends = True, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            here, _ = self.listener.accept()
            with self.lock:
                there = self.reach() if self.is_whole else None
                if there is None:
                    here.close()
                    continue
                self.ends += [here, there]
            for pair in ((here, there), (there, here)):
                threading.Thread(target=Proxy.carry, args=pair, daemon=True).start()

    def reach(self):
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", self.upstream))
        return None

    def cut(self):
        """Closes all connections, and refuses new ones from now on."""
        with self.lock:
            self.is_whole = False
            hang_up(*self.ends)
            self.ends = []

    def heal(self):
        with self.lock:
            self.is_whole = True
