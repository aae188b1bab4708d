"""Compares the logbook's records with those of the gateway's ring, as texts."""
import ctypes
import json
import re
import sqlite3
import subprocess

# Metadata of a message: whether it was published later than recorded.
HISTORICAL = re.compile(r',"historical":(?:true|false)\}$')


def identity(record):
    return record["epoch"], record.get("erg", ""), record["kind"], record["seq"]


def of_ring(path):
    with open(path) as file:
        texts = [HISTORICAL.sub("}", line.rstrip("\n")) for line in file]
    return {identity(json.loads(text)): text for text in texts}


def rows(place, statement):
    """The result of a query, one column of texts, from a SQLite file or a libpq connection string."""
    if "=" in place:
        done = subprocess.run(["psql", "-qAt", place, "-c", statement], capture_output=True,
                              text=True, check=True)
        return done.stdout.splitlines()
    store = sqlite3.connect("file:%s?mode=ro" % place, uri=True)
    try:
        found = [value for (value,) in store.execute(statement)]
    finally:
        store.close()
    return [value.decode() if isinstance(value, bytes) else value for value in found]


def published(body, dictionaries, sessions):
    """The text of a record in a SQLite file.

    A compressed record has the number of a dictionary, the row of its session, whose id the text omits (7 bits a
    byte, the lowest first; 0 for none), and a zstd frame without its first four bytes.
    """
    if body[:1] == b"{":
        return body.decode()
    session, place = 0, 1
    while True:
        session |= (body[place] & 0x7F) << (7 * (place - 1))
        place += 1
        if body[place - 1] < 0x80:
            break
    library = ctypes.CDLL("libzstd.so.1")
    size = ctypes.c_size_t
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    library.ZSTD_decompress_usingDict.restype = size
    library.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
    library.ZSTD_decompress_usingDict.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, size, ctypes.c_char_p, size, ctypes.c_char_p, size]
    frame, dictionary = b"\x28\xb5\x2f\xfd" + body[place:], dictionaries[body[0]]
    text = ctypes.create_string_buffer(1 << 20)
    context = library.ZSTD_createDCtx()
    try:
        count = library.ZSTD_decompress_usingDict(
            context, text, len(text), frame, len(frame), dictionary, len(dictionary))
    finally:
        library.ZSTD_freeDCtx(context)
    if count > len(text):
        raise ValueError("a compressed record is damaged")
    found = text.raw[:count].decode()
    return found.replace('"session_id":"', '"session_id":"' + sessions[session], 1) if session else found


def of_logbook(place, gateway=None):
    """The records of one gateway, or of the only one."""
    statement = "SELECT %s FROM record JOIN stream ON stream.id = record.stream"
    statement += " WHERE gw = '%s'" % gateway if gateway else ""
    if "=" in place:
        texts = rows(place, statement % "convert_from(body, 'UTF8')")
    else:
        store = sqlite3.connect("file:%s?mode=ro" % place, uri=True)
        try:
            dictionaries = dict(store.execute("SELECT id, bytes FROM record_dictionary"))
            sessions = dict(store.execute("SELECT id, session_id FROM session"))
            texts = [published(bytes(body), dictionaries, sessions)
                     for (body,) in store.execute(statement % "body")]
        finally:
            store.close()
    return {identity(json.loads(text)): text for text in texts}


def sessions(records, kind):
    """The sessions that have a record of the kind."""
    return {json.loads(text)["session_id"] for name, text in records.items() if name[2] == kind}


class Comparison:
    def __init__(self, ring, logbook):
        self.count = len(ring)
        self.unended = sessions(ring, "session") - sessions(ring, "manifest")
        self.missing = sorted(ring.keys() - logbook.keys())
        self.strange = sorted(logbook.keys() - ring.keys())
        self.different = sorted(
            name for name in ring.keys() & logbook.keys() if ring[name] != logbook[name])

    @property
    def is_final(self):
        """Whether both are equal and no further record is due."""
        return self.count > 0 and not (
            self.unended or self.missing or self.strange or self.different)

    def __str__(self):
        words = "%d records of the ring, %d sessions without a manifest" % (
            self.count, len(self.unended))
        for name in ("missing", "strange", "different"):
            found = getattr(self, name)
            words += ", %d %s in the logbook" % (len(found), name)
            words += " (first %s)" % " ".join(map(str, found[0])) if found else ""
        return words
