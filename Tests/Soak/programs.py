"""Programs of a test: started, monitored, and stopped."""
import os
import shutil
import socket
import subprocess
import time


class Trouble(Exception):
    """The reason for aborting a soak; `is_ours`: it could not start."""

    def __init__(self, text, is_ours=False):
        super().__init__(text)
        self.is_ours = is_ours


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not path:
        raise Trouble(name + " is not installed", is_ours=True)
    return path


class Programs:
    """Programs with a folder: started, monitored, and stopped."""
    # Maximum time of a stop, in seconds.
    patience = 10

    def __init__(self, folder):
        self.folder, self.children, self.begun = folder, {}, set()

    def path(self, name):
        return str(self.folder / name)

    def spawn(self, name, *command, environment=None):
        """Starts a program; its output is appended to a file of its name."""
        if not shutil.which(str(command[0])):
            raise Trouble("no program %s: swift build first" % command[0], is_ours=True)
        mode = "ab" if name in self.begun else "wb"
        self.begun.add(name)
        with open(self.path(name), mode) as output, open(self.path(name + ".err"), mode) as error:
            self.children[name] = subprocess.Popen(
                [str(word) for word in command], stdout=output, stderr=error,
                env={**os.environ, **(environment or {})})

    def check(self):
        for name, child in self.children.items():
            if child.poll() is not None:
                raise Trouble("%s ended with %d" % (name, child.returncode))

    def end(self, name, kill=False):
        """Stops one program, which must exit with 0 unless killed."""
        child = self.children.pop(name)
        (child.kill if kill else child.terminate)()
        if child.wait(self.patience) != 0 and not kill:
            raise Trouble("%s exited with %d when asked to stop" % (name, child.returncode))

    def stop(self):
        for child in reversed(list(self.children.values())):
            child.terminate()
        for child in self.children.values():
            child.wait(self.patience)
        self.children = {}

    def wait(self, what, seconds, condition):
        end = time.monotonic() + seconds
        while not condition():
            self.check()
            if time.monotonic() > end:
                raise Trouble("not within %d s: %s" % (seconds, what))
            time.sleep(0.2)
