#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
/* The clock module that Swift's Glibc leaves out: adjtimex(2). */
#include <sys/timex.h>
