"""Three nodes of RabbitMQ, each in its own network namespace, on an isolated bridge."""
import socket
import subprocess
import time

from room import Trouble

ADDRESSES = {"r1": "10.77.0.1", "r2": "10.77.0.2", "r3": "10.77.0.3"}
PORT = 1883
OWN_ADDRESS = "10.77.0.254/24"
CONFIGURATION = """mqtt.durable_queue_type = quorum
mqtt.prefetch = 1000
mqtt.allow_anonymous = true
loopback_users = none
cluster_formation.peer_discovery_backend = classic_config
cluster_partition_handling = pause_minority
disk_free_limit.absolute = 100MB
""" + "".join("cluster_formation.classic_config.nodes.%d = rabbit@%s\n" % (number, name)
              for number, name in enumerate(ADDRESSES, 1))
# The longest wait, in seconds, for a step that takes a minute on a busy machine.
PATIENCE = 300


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble("%s: %s" % (" ".join(command), done.stderr.strip() or done.stdout.strip()))
    return done.stdout


def until(what, condition, seconds=PATIENCE):
    """Waits for a condition; returns how long that took."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() > begin + seconds:
            raise Trouble("not within %d s: %s" % (seconds, what))
        time.sleep(0.2)
    return time.monotonic() - begin


class Node:
    def __init__(self, name, root, folder):
        self.name, self.address, self.root = name, ADDRESSES[name], root
        self.log, self.process, self.heard = folder / (name + ".log"), None, 0

    def plug_in(self):
        """A network namespace with one veth pair, whose other end is a port of the bridge."""
        port = "port-" + self.name
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", port, "type", "veth", "peer", "eth0", "netns", self.name)
        run("ip", "link", "set", port, "master", "bridge", "up")
        inside = ["ip", "-n", self.name]
        run(*inside, "address", "add", self.address + "/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")

    def inside(self, *command):
        """The command line for one of Debian's programs in this node's namespace."""
        return ["ip", "netns", "exec", self.name, "chroot", str(self.root), "env", "-i",
                "HOME=/var/lib/rabbitmq", "LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "RABBITMQ_NODENAME=rabbit@" + self.name,
                "RABBITMQ_MNESIA_DIR=/var/lib/rabbitmq/" + self.name,
                "RABBITMQ_CONFIG_FILE=/etc/rabbitmq/cluster", "RABBITMQ_LOGS=-",
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 2:2",
                # The node itself is then the process that is started, and not a child of it.
                "RUNNING_UNDER_SYSTEMD=true", *command]

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.inside("/usr/lib/rabbitmq/bin/rabbitmq-server"), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Stops it as an administrator does; kills it after a timeout."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def cut(self):
        self.heard = self.log.stat().st_size
        run("ip", "link", "set", "port-" + self.name, "down")

    def heal(self):
        run("ip", "link", "set", "port-" + self.name, "up")

    def says(self, word):
        """Whether its log has the text since it was last cut off."""
        with open(self.log, "rb") as log:
            log.seek(self.heard)
            return word.encode() in log.read()

    def is_serving(self):
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((self.address, PORT)) == 0

    def control(self, *words, program="rabbitmqctl"):
        return run(*self.inside("/usr/lib/rabbitmq/bin/" + program, "--quiet", *words))

    def can_be_spared(self):
        """Whether, according to the node, every queue has a majority without it."""
        try:
            self.control("check_if_node_is_quorum_critical", program="rabbitmq-queues")
        except Trouble:
            return False
        return True


class Cluster:
    def __init__(self, root, folder):
        self.nodes = {name: Node(name, root, folder) for name in ADDRESSES}
        self.root = root

    def __getitem__(self, name):
        return self.nodes[name]

    def start(self):
        self.configure(self.root)
        run("ip", "link", "add", "bridge", "type", "bridge")
        run("ip", "address", "add", OWN_ADDRESS, "dev", "bridge")
        for name in ("bridge", "lo"):
            run("ip", "link", "set", name, "up")
        for node in self.nodes.values():
            node.plug_in()
            node.start()
        return until("three nodes form a cluster", self.is_whole)

    @staticmethod
    def configure(root):
        configuration = root / "etc/rabbitmq"
        (configuration / "cluster.conf").write_text(CONFIGURATION)
        (configuration / "enabled_plugins").write_text("[rabbitmq_mqtt].\n")
        with open(root / "etc/hosts", "a") as hosts:
            hosts.writelines("%s %s\n" % (at, name) for name, at in ADDRESSES.items())
        cookie = root / "var/lib/rabbitmq/.erlang.cookie"
        cookie.write_text("rowgate")
        cookie.chmod(0o400)

    def is_whole(self):
        for node in self.nodes.values():
            if node.process.poll() is not None:
                raise Trouble("%s ended with %d: see %s" % (
                    node.name, node.process.returncode, node.log))
        return all(node.is_serving() for node in self.nodes.values())

    def settle(self):
        """Waits until each node may be stopped."""
        until("all nodes serve", self.is_whole)
        for node in self.nodes.values():
            until(node.name + " can be spared", node.can_be_spared)

    def stop(self):
        for node in self.nodes.values():
            if node.process is not None:
                node.kill()
