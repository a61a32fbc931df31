"""Units that no phone makes, valid by their form, for the checks and benchmarks of the archive."""

import struct
import zlib

SECOND = 1_000_000_000


def number(value):
    """LEB128."""
    result = b""
    while value > 127:
        result, value = result + bytes([value & 127 | 128]), value >> 7
    return result + bytes([value])


def zigzag(value):
    return number((value << 1 ^ value >> 63) & 2**64 - 1)


def sealed(content):
    return content + struct.pack("<I", zlib.crc32(content))


def unit(user, device, times, blocks=(), span=None):
    """A unit with a fix at each of the times, in nanoseconds, and with blocks of samples."""
    content = number(len(user.encode())) + user.encode() + device + b"\0\0\1"
    content += struct.pack("<qq", *(span or (min(times), max(times)))) + b"\0\0\0\0"
    content += number(sum(block[0] for block in blocks))
    content += number(sum(block[1] for block in blocks)) + b"\0\0" + number(len(times))
    for time in times:
        content += struct.pack("<qHddd", time, 0b1011, 48, 11, 5)
    content += number(len(blocks) + bool(times))
    for samples, rotations, block in blocks:
        content += number(samples) + number(rotations) + b"\0" + number(len(block)) + block
    content += (b"\0\0" + number(len(times)) + b"\0" if times else b"") + b"\0"
    return sealed(b"LJU1\2\0" + struct.pack("<I", len(content)) + content)


def dense_block(place, first, step, count=65_536):
    """A block of 2.5 kB that decodes to as many accelerations and rotation rates, all of them 0."""
    bits = "000000" + "110" + "0" * 63 + "111111" * ((count - 2) // 64)
    packed = bytes(int(bits[at:at + 8][::-1], 2) for at in range(0, len(bits), 8))
    zeros = zlib.compress(bytes(4 * count), 9)
    axes = 3 * (b"\x08" + number(len(zeros)) + zeros)
    content = number(count) + b"\0" + zigzag(first) + zigzag(step) + b"\0\2"
    content += number(len(packed)) + packed + axes + number(count) + b"\1" + axes
    head = b"LJB1" + struct.pack("<qI", 1 << 40 | place, len(content) + 4)
    return count, count, sealed(head + content)


def dense_unit(user, device, first, count=8):
    """A unit that decodes to some hundred times its size."""
    step = 10_000_000
    blocks = [dense_block(place, first + place * 65_536 * step, step) for place in range(count)]
    return unit(user, device, [], blocks, (first, first + (count * 65_536 - 1) * step))
