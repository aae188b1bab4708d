#pragma once
// Nothing to call: floor.c defines what the linker would otherwise take from a newer glibc.
