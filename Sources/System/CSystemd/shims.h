#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
/* What Swift's Glibc leaves out: epoll(7), eventfd(2) and adjtimex(2). */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timex.h>
