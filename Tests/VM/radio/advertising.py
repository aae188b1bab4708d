"""Advertising by a controller, as its host demands with the commands of Bluetooth 4.0.

Not implemented, and refused: directed advertising, filter policies (no host here uses them).
"""
import asyncio
import logging
import random
import struct

from . import hci

log = logging.getLogger("radio")
DATA_SIZE = 31
CONNECTABLE, SCANNABLE, NOT_CONNECTABLE = 0, 2, 3
# In units of 0.625 ms. Before Bluetooth 5 only connectable ones may be more frequent than 100 ms.
LONGEST_INTERVAL, SHORTEST_INTERVAL = 0x4000, {CONNECTABLE: 0x20, SCANNABLE: 0xA0, NOT_CONNECTABLE: 0xA0}


class Advertising:
    """What one controller advertises. `air` lists the controllers in range, itself among them."""

    def __init__(self, controller, air):
        self.controller, self.air = controller, air
        self.is_muted = False
        self.task = None
        self.forget()

    def forget(self):
        """The state after a reset."""
        self.disable()
        self.kind, self.address_type, self.interval = CONNECTABLE, hci.PUBLIC, 0x800
        self.advertisement = self.scan_response = b""

    def disable(self):
        if self.task:
            self.task.cancel()
        self.task = None

    # Commands; each returns its status.

    def set_parameters(self, parameters):
        shortest, longest, kind, address_type, _, _, _, policy = struct.unpack(
            "<HHBBB6sBB", parameters)
        if self.task:
            return hci.COMMAND_DISALLOWED
        if kind not in SHORTEST_INTERVAL or address_type not in (hci.PUBLIC, hci.RANDOM) or policy:
            return hci.UNSUPPORTED_PARAMETER
        if not SHORTEST_INTERVAL[kind] <= shortest <= longest <= LONGEST_INTERVAL:
            return hci.INVALID_PARAMETERS
        self.kind, self.address_type, self.interval = kind, address_type, shortest
        return hci.SUCCESS

    def set_data(self, parameters):
        data = data_of(parameters)
        if data is None:
            return hci.INVALID_PARAMETERS
        self.advertisement = data
        return hci.SUCCESS

    def set_scan_response(self, parameters):
        data = data_of(parameters)
        if data is None:
            return hci.INVALID_PARAMETERS
        self.scan_response = data
        return hci.SUCCESS

    def set_enable(self, parameters):
        enable, = struct.unpack("<B", parameters)
        if not enable:
            self.disable()
            return hci.SUCCESS
        if self.is_muted:
            return hci.COMMAND_DISALLOWED
        if self.address_type == hci.RANDOM and self.controller.random_address is None:
            return hci.INVALID_PARAMETERS
        if self.kind == CONNECTABLE and self.controller.is_full:
            return hci.CONNECTION_LIMIT_EXCEEDED
        if not self.task:
            log.info("%s advertises", self.controller.name)
            self.task = asyncio.create_task(self.advertise())
        return hci.SUCCESS

    # The air

    async def advertise(self):
        while True:
            for controller in self.air:
                # The one before may have connected.
                if controller is not self.controller and self.is_to_be_found:
                    controller.receive_advertisement(self)
            # A random delay keeps advertisers from colliding for ever (volume 6, part B, 4.4.2.2).
            await asyncio.sleep(self.interval * 0.000625 + random.uniform(0, 0.01))

    @property
    def peer(self):
        """The advertiser's address as others see it."""
        return self.controller.own_peer(self.address_type)

    @property
    def rssi(self):
        return self.controller.rssi

    @property
    def peripheral(self):
        """The end of a link that a central makes now."""
        return self.controller

    @property
    def is_to_be_found(self):
        return self.task is not None and self.controller.is_working

    def state(self):
        return {"on": self.is_to_be_found, "kind": self.kind, "interval_ms": self.interval * 0.625,
                "data": self.advertisement.hex(), "scan_response": self.scan_response.hex()}


def data_of(parameters):
    """The significant part of a length byte and 31 bytes; None if that is not what they are."""
    if len(parameters) != 1 + DATA_SIZE or parameters[0] > DATA_SIZE:
        return None
    return parameters[1:1 + parameters[0]]
