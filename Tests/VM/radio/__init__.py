"""Eight PM5s and the Bluetooth adapters that hear them, for a kernel with /dev/vhci.

The adapters are HCI controllers of the kernel (`controller`); the monitors' attributes (`att`),
links (`link`) and advertisements (`monitor`) are emulated here; what the monitors measure and
answer comes from `pm5sim --pipe` (`room`). Only Python's standard library is needed.
"""
