#!/usr/bin/env python3
"""Converts a model file of version 3 to 6 to version 7, which this program reads.

Usage: Datasets/convert-model.py OLD NEW

The numbers stay bit for bit, but for the limit of novelty, which no model has any more; the form
becomes that of `ArchiveFile` with the fields of `ActivityModel.Parameters`. A model of other features
than those versions had, or one whose bytes are damaged, is refused.
"""

import struct
import sys
import zlib

MAGIC = b"LACM"
# The digests of the features of versions 3 to 6: of accelerations, rotation rates and fixes.
FEATURES, ROTATION, TRACK = 0x6EDE_1426, 0x6185_7C16, 0x4E10_C98A
# Of version 7: the layout of the fields, and all features together.
LAYOUT, ALL_FEATURES = 0x6E91_372F, 0x29C4_EB23
KNOTS = 6


class Reader:
    """Takes numbers from the front of bytes."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, size):
        if self.place + size > len(self.data):
            sys.exit("damaged: fewer bytes than its counts say")
        self.place += size
        return self.data[self.place - size:self.place]

    def word(self):
        return struct.unpack("<I", self.take(4))[0]

    def function(self, features, classes):
        """Return means, scales, knots and weights, each as a list of the new form."""
        counts = (features, features, KNOTS * features, classes * (1 + (1 + KNOTS) * features))
        return b"".join(listed(self.take(4 * count), 4) for count in counts)


def listed(data, width):
    """Return elements of a width with their number before them."""
    return struct.pack("<Q", len(data) // width) + data


def digest_and_count(reader, digest, what):
    """Read a term's digest and number of features; both are 0 without the term."""
    found, count = reader.word(), reader.word()
    if count and found != digest:
        sys.exit(f"trained on other features of {what}: 0x{found:x}, expected 0x{digest:x}")
    return count


def name(reader):
    """Return a custom activity: its name, a number of 8 bytes for each letter, and its parent."""
    parent, length = reader.word(), reader.word()
    letters = reader.take(32)[:length]
    data = struct.pack("<Q", length) + b"".join(struct.pack("<Q", letter) for letter in letters)
    return data + (b"\0" if parent == 0xFFFFFFFF else bytes([1, parent]))


def converted(data):
    """Return the file in the new form."""
    reader = Reader(data[:-4])
    if data[:4] != MAGIC or len(data) < 80:
        sys.exit("not a model file")
    version = struct.unpack_from("<I", data, 4)[0]
    if version not in range(3, 7):
        sys.exit(f"format version {version}, expected 3 to 6")
    if struct.unpack_from("<I", data, len(data) - 4)[0] != zlib.crc32(data[:-4]):
        sys.exit("damaged: another checksum")
    reader.take(8)
    if (found := reader.word()) != FEATURES:
        sys.exit(f"trained on other features: 0x{found:x}, expected 0x{FEATURES:x}")
    reader.take(4)
    classes, features, _, manifest, _ = (reader.word() for _ in range(5))
    settings = [reader.take(4) for _ in range(4)]
    filtered, *factors, hindsight = (reader.take(4) for _ in range(4))
    rotation = digest_and_count(reader, ROTATION, "rotation rates")
    custom = reader.word() if version >= 4 else 0
    track = digest_and_count(reader, TRACK, "fixes") if version >= 5 else 0
    rank = reader.word() if version >= 6 else 0
    fields = listed(bytes(reader.word() for _ in range(classes)), 1)
    fields += reader.function(features, classes) + filtered + hindsight
    fields += b"".join(settings + factors)

    # A term that is missing is a 0, one that is there is a 1 and its fields.
    fields += bytes([rotation > 0])
    if rotation:
        temperatures = reader.take(8)
        fields += reader.function(rotation, classes) + temperatures
    fields += bytes([custom > 0])
    if custom:
        fields += struct.pack("<Q", custom) + b"".join(name(reader) for _ in range(custom))
        fields += reader.function(features, custom) + struct.pack("<2f", 1, 1)
    fields += bytes([track > 0])
    if track:
        settings, temperatures = reader.take(8), reader.take(8)
        fields += reader.function(track, classes) + temperatures + settings
    fields += bytes([rank > 0])
    if rank:
        fields += listed(reader.take(4 * rank), 4)
        size = rank * (1 + (1 + KNOTS) * features)
        fields += listed(reader.take((size + 3) // 4 * 4)[:size], 1)
    fields += listed(reader.take(manifest), 1)
    header = MAGIC + struct.pack("<IIIQ", 7, LAYOUT, ALL_FEATURES, 24 + len(fields) + 4)
    return header + fields + struct.pack("<I", zlib.crc32(header + fields))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        new = converted(file.read())
    with open(sys.argv[2], "wb") as file:
        file.write(new)
