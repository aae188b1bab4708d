"""Gives a host an adapter implemented by a program: one packet per read and write.

The host is the kernel, or a program with a Bluetooth stack of its own, such as a phone's.
"""
import asyncio
import fcntl
import os
import socket
import struct
import tty

from . import hci

VIRTUAL = "/dev/vhci"
# Line disciplines, from the kernel's tty.h and hci_uart.h.
TIOCSETD, N_HCI = 0x5423, 15
HCIUARTSETPROTO, HCIUARTGETDEVICE, H4 = 0x400455C8, 0x800455CA, 0
# The socket where a program with its own Bluetooth stack gets a controller, in packets of H4.
STREAM = "/run/radio-hci.sock"
# Format and offset of the length field of packets to a controller.
LENGTHS = {hci.COMMAND: ("<B", 3), hci.ACL: ("<H", 3)}


def connect():
    """/dev/vhci, or a replacement if the kernel, such as Debian's for arm64, lacks it."""
    if os.path.exists(VIRTUAL):
        return os.open(VIRTUAL, os.O_RDWR | os.O_NONBLOCK)
    return SerialLine().connect()


def packets(stream):
    """Removes the complete packets from the beginning of a bytearray."""
    while stream:
        layout, position = LENGTHS[stream[0]]
        head = position + struct.calcsize(layout)
        if len(stream) < head:
            return
        end = head + struct.unpack_from(layout, stream, position)[0]
        if len(stream) < end:
            return
        yield bytes(stream[:end])
        del stream[:end]


async def serve_stream(reader, writer, controller):
    """Plugs `controller` into the program at the other end of a stream, until that closes it."""
    def from_controller():
        packet = ours.recv(4096)
        if packet[0] != hci.VENDOR:
            writer.write(packet)

    ours, descriptor = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    descriptor.setblocking(False)
    loop, stream = asyncio.get_running_loop(), bytearray()
    loop.add_reader(ours, from_controller)
    controller.plug_in(descriptor.detach())
    try:
        while data := await reader.read(4096):
            stream += data
            for packet in packets(stream):
                await loop.sock_sendall(ours, packet)
    except ConnectionError:
        pass                                # killed, with packets to it under way
    finally:
        loop.remove_reader(ours)
        controller.pull_out()
        ours.close()
        writer.close()


class SerialLine:
    """A pseudoterminal that the kernel takes for the UART of an adapter (H4, Core specification 5.2,
    volume 4, part A)."""

    def __init__(self):
        self.line, self.terminal = os.openpty()
        tty.setraw(self.terminal)
        self.stream = bytearray()

    def connect(self):
        """The other end; closing it unplugs the adapter."""
        self.packets, descriptor = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.packets.setblocking(False)
        descriptor.setblocking(False)
        self.loop = asyncio.get_running_loop()
        self.loop.add_reader(self.packets, self.from_controller)
        self.loop.add_reader(self.line, self.from_host)
        return descriptor.detach()

    def from_controller(self):
        packet = self.packets.recv(4096)
        if not packet:
            self.close()
        elif packet[0] == hci.VENDOR:
            self.packets.send(bytes((hci.VENDOR, 0)) + struct.pack("<H", self.attach()))
        else:
            os.write(self.line, packet)

    def attach(self):
        """The number of the kernel's new adapter."""
        fcntl.ioctl(self.terminal, TIOCSETD, struct.pack("i", N_HCI))
        fcntl.ioctl(self.terminal, HCIUARTSETPROTO, H4)
        return fcntl.ioctl(self.terminal, HCIUARTGETDEVICE)

    def from_host(self):
        self.stream += os.read(self.line, 4096)
        for packet in packets(self.stream):
            self.packets.send(packet)

    def close(self):
        for source in (self.packets, self.line):
            self.loop.remove_reader(source)
        os.close(self.terminal)
        os.close(self.line)
        self.packets.close()
