"""The host of an emulated adapter: what the kernel does, one step at a time."""
import asyncio
import socket
import struct

from radio import hci

ADDRESS = "F4:30:00:00:00:01"
PEER = bytes((hci.RANDOM,)) + hci.address_bytes(ADDRESS)


def create_connection(peer, own_type=hci.PUBLIC):
    """Parameters of LE Create Connection: an interval of 30 ms, a supervision timeout of 420 ms."""
    return struct.pack("<HHB", 0x60, 0x60, 0) + peer + struct.pack(
        "<BHHHHHH", own_type, 24, 40, 0, 42, 0, 0)


CONNECT = create_connection(PEER)


class Kernel:
    """The host's side of one adapter."""

    def __init__(self, adapter):
        self.socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.setblocking(False)
        other.setblocking(False)
        adapter.plug_in(other.detach())
        self.adapter = adapter
        assert self.socket.recv(10) == bytes((hci.VENDOR, 0))

    async def packet(self, kind):
        """The next packet of a kind: its code and parameters, or its bytes."""
        while True:
            packet = await asyncio.wait_for(
                asyncio.get_running_loop().sock_recv(self.socket, 1000), 60)
            if packet[0] == kind:
                return packet[1:]

    async def event(self, code, subcode=None):
        while True:
            packet = await self.packet(hci.EVENT)
            if packet[0] == code and (subcode is None or packet[2] == subcode):
                return packet[2:]

    def ask(self, opcode, parameters=b""):
        self.socket.send(struct.pack("<BHB", hci.COMMAND, opcode, len(parameters)) + parameters)

    async def command(self, opcode, parameters=b"", answer=0x0E):
        self.ask(opcode, parameters)
        return await self.event(answer)

    async def hears_nothing(self):
        try:
            packet = await asyncio.wait_for(
                asyncio.get_running_loop().sock_recv(self.socket, 1000), 0.3)
        except asyncio.TimeoutError:
            return
        raise AssertionError("the adapter said " + packet.hex())

    def request(self, handle, pdu):
        """An attribute request, in two pieces when it is long."""
        frame = struct.pack("<HH", len(pdu), 4) + pdu
        for flags, data in hci.fragments(frame, hci.PACKET_SIZE):
            self.socket.send(hci.acl(handle, flags, data))

    async def status(self, opcode, parameters=b""):
        """The status of a command that is answered with Command Complete."""
        return (await self.command(opcode, parameters))[3]

    def unplug(self):
        self.adapter.pull_out()
        self.socket.close()

    async def response(self):
        return (await self.packet(hci.ACL))[8:]

    async def connect(self, parameters=CONNECT):
        status = await self.command(0x200D, parameters, answer=0x0F)
        assert status[0] == hci.SUCCESS, status
        complete = await self.event(0x3E, 0x01)
        return struct.unpack_from("<H", complete, 2)[0]
