"""A bus with eight simulated monitors and a broker, in a folder of their own."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
</policy></busconfig>
"""


class Room:
    def __init__(self, programs, ergs):
        self.programs, self.ergs = programs, ergs
        self.folder, self.processes = tempfile.mkdtemp(prefix="rowgate-room-"), []
        self.environment = {
            **os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=%s/bus" % self.folder}

    def __enter__(self):
        with open(self.path("bus.conf"), "w") as file:
            file.write(BUS % self.folder)
        self.begin("bus", ["dbus-daemon", "--config-file", self.path("bus.conf"), "--nofork",
                           "--print-address"], "unix:")
        self.begin("pm5sim", [self.programs + "/pm5sim", "--ergs", str(self.ergs), "--adapters",
                              "hci0:7,hci1:5", "--workout", "just-row"], "READY")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(self.path("broker.conf"), "w") as file:
            # Without it a message may wait 40 ms for the acknowledgement of the one before.
            file.write("listener %d 127.0.0.1\nallow_anonymous true\nlog_type all\n"
                       "set_tcp_nodelay true\n" % self.port)
        self.begin("mosquitto", ["mosquitto", "-c", self.path("broker.conf")], "running")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder)

    def path(self, name):
        return self.folder + "/" + name

    def begin(self, name, command, sign):
        """Runs it and waits until it says `sign`; returns the process, its output in `name`.log."""
        with open(self.path(name + ".log"), "w") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=self.environment)
        self.processes.append(process)
        for _ in range(600):
            if sign in self.log(name):
                return process
            if process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit("%s did not come up:\n%s" % (name, self.log(name)[-2000:]))

    def log(self, name):
        with open(self.path(name + ".log")) as file:
            return file.read()
