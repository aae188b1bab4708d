"""Runs a program in a terminal whose window is resized, and prints what it drew, as JSON.

    terminal.py COLUMNSxROWS[,COLUMNSxROWS...] PROGRAM [ARGUMENT...]

For each size one frame: its lines without colours. Then Ctrl-Z is typed, the program is continued,
and when it has drawn again, Ctrl-C is typed. Printed is
{"frames": [[line, ...], ...], "colours": BOOL, "first": TEXT, "suspended": TEXT, "resumed": TEXT,
"last": TEXT, "status": NUMBER}: what stood before the first frame, behind the last before the
program stopped, before the first after that, and behind the last.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios

HOME, ERASE_BELOW = "\x1b[H", "\x1b[J"
# Frames that may have been drawn for the size before, while a window changes.
STALE = 2


def resize(terminal, size):
    columns, rows = map(int, size.split("x"))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def complete_frames(text):
    """Everything between the cursor's way home and the erasing of what is below."""
    return [part.split(ERASE_BELOW)[0] for part in text.split(HOME)[1:] if ERASE_BELOW in part]


def lines(frame):
    return [re.sub(r"\x1b\[[0-9;]*[mK]", "", line).rstrip() for line in frame.split("\r\n")]


def main():
    sizes, command = sys.argv[1].split(","), sys.argv[2:]
    child, terminal = pty.fork()
    if child == 0:
        # Before the parent can, so that the first frame has it.
        resize(0, sizes[0])
        os.environ["TERM"] = "xterm"
        os.execv(command[0], command)
    signal.alarm(300)
    text, frames = "", []

    def read():
        try:
            return os.read(terminal, 65536).decode(errors="replace")
        except OSError:                                     # the program has ended
            return ""

    for number, size in enumerate(sizes):
        resize(terminal, size)
        # What was drawn before, while nobody read.
        while select.select([terminal], [], [], 0)[0] and (piece := read()):
            text += piece
        seen = len(complete_frames(text))
        while len(complete_frames(text)) < seen + 1 + (STALE if number else 0):
            piece = read()
            if not piece:
                sys.exit("the program ended early: " + text)
            text += piece
        frames.append(complete_frames(text)[-1])
    os.write(terminal, b"\x1a")
    # Read on meanwhile: a full terminal would keep the program from getting there.
    stopped = 0
    while not stopped:
        stopped, how = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        while select.select([terminal], [], [], 0.01)[0] and (piece := read()):
            text += piece
    if not os.WIFSTOPPED(how):
        sys.exit("the program ended instead of stopping: " + text)
    suspended, before = text.split(ERASE_BELOW)[-1], len(text)
    os.kill(child, signal.SIGCONT)
    while not complete_frames(text[before:]):
        text += read()
    resumed = text[before:].split(HOME)[0]
    os.write(terminal, b"\x03")
    while True:
        piece = read()
        if not piece:
            break
        text += piece
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    json.dump({
        "frames": [lines(frame) for frame in frames], "colours": "\x1b[32m" in text,
        "first": text.split(HOME)[0], "suspended": suspended, "resumed": resumed,
        "last": text.split(ERASE_BELOW)[-1], "status": status,
    }, sys.stdout)


main()
