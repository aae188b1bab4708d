"""Runs a program in a terminal, resizes its window, and prints the frames as JSON.

    terminal.py COLUMNSxROWS[,COLUMNSxROWS...] PROGRAM [ARGUMENT...]

Records one frame for each size, without colours. Then types Ctrl-Z, continues the program, and types Ctrl-C
after the next frame. Prints
{"frames": [[line, ...], ...], "colours": BOOL, "first": TEXT, "suspended": TEXT, "resumed": TEXT,
"last": TEXT, "status": NUMBER}: the output before the first frame, after the last frame before the stop,
before the first frame after the stop, and after the last frame.
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
# Number of frames that may still have the previous size.
STALE = 2


def resize(terminal, size):
    columns, rows = map(int, size.split("x"))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def complete_frames(text):
    """Returns the text between each cursor-home and the following erase-below."""
    return [part.split(ERASE_BELOW)[0] for part in text.split(HOME)[1:] if ERASE_BELOW in part]


def lines(frame):
    return [re.sub(r"\x1b\[[0-9;]*[mK]", "", line).rstrip() for line in frame.split("\r\n")]


def main():
    sizes, command = sys.argv[1].split(","), sys.argv[2:]
    child, terminal = pty.fork()
    if child == 0:
        # Sets the size before the first frame.
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
        # Reads pending output.
        while select.select([terminal], [], [], 0)[0] and (chunk := read()):
            text += chunk
        seen = len(complete_frames(text))
        while len(complete_frames(text)) < seen + 1 + (STALE if number else 0):
            chunk = read()
            if not chunk:
                sys.exit("the program ended early: " + text)
            text += chunk
        frames.append(complete_frames(text)[-1])
    os.write(terminal, b"\x1a")
    # Reads meanwhile, because a full terminal would block the program.
    stopped = 0
    while not stopped:
        stopped, how = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        while select.select([terminal], [], [], 0.01)[0] and (chunk := read()):
            text += chunk
    if not os.WIFSTOPPED(how):
        sys.exit("the program ended instead of stopping: " + text)
    suspended, before = text.split(ERASE_BELOW)[-1], len(text)
    os.kill(child, signal.SIGCONT)
    while not complete_frames(text[before:]):
        text += read()
    resumed = text[before:].split(HOME)[0]
    os.write(terminal, b"\x03")
    while True:
        chunk = read()
        if not chunk:
            break
        text += chunk
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    json.dump({
        "frames": [lines(frame) for frame in frames], "colours": "\x1b[32m" in text,
        "first": text.split(HOME)[0], "suspended": suspended, "resumed": resumed,
        "last": text.split(ERASE_BELOW)[-1], "status": status,
    }, sys.stdout)


main()
