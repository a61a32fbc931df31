"""FIT files made here, and what fitdecode reads of them, for FITTests.

Run with Python 3.11 and fitdecode 0.11.0:  python3 fit_golden.py > fit.csv

Rows: file,NAME,BASE64; record,NAME,SECONDS,LATITUDE,LONGITUDE,ALTITUDE,SPEED,ACCURACY for each
message 'record' with a position; session,NAME,START,END,SPORT; timer,NAME,SECONDS,TYPE. Empty is
unknown, seconds count from 1970.
"""
import base64
import io
import random
import struct

import fitdecode

random.seed(1989)
EPOCH = 631065600
START = 1714564800 - EPOCH
ENUM, SINT8, UINT8, STRING = 0x00, 0x01, 0x02, 0x07
SINT16, UINT16, SINT32, UINT32, FLOAT32, UINT32Z, BYTE = 0x83, 0x84, 0x85, 0x86, 0x88, 0x8C, 0x0D
LETTERS = {ENUM: "B", SINT8: "b", UINT8: "B", SINT16: "h", UINT16: "H", SINT32: "i", UINT32: "I", FLOAT32: "f", UINT32Z: "I", BYTE: "B"}
RECORD, SESSION, LAP, EVENT, FILE_ID, SPORT, DEVELOPER, DESCRIPTION = 20, 18, 19, 21, 0, 12, 207, 206


def checksum(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value


class File:
    def __init__(self, order="<", header=14):
        self.order, self.header, self.body, self.fields = order, header, b"", {}

    def define(self, local, number, *fields, developer=()):
        """fields: (number, type, count); developer: (number, size, index)."""
        self.fields[local] = [(type, count) for _, type, count in fields] + [(BYTE, size) for _, size, _ in developer]
        self.body += bytes([0x40 | (0x20 if developer else 0) | local, 0, self.order == ">"])
        self.body += struct.pack(self.order + "H", number) + bytes([len(fields)])
        for field, type, count in fields:
            size = count if type == STRING else struct.calcsize(LETTERS[type]) * count
            self.body += bytes([field, size, type])
        if developer:
            self.body += bytes([len(developer)]) + b"".join(bytes(field) for field in developer)

    def data(self, local, *values, offset=None):
        self.body += bytes([local if offset is None else 0x80 | local << 5 | offset])
        for (type, count), value in zip(self.fields[local], values):
            if type == STRING:
                self.body += value.encode().ljust(count, b"\0")
            elif count == 1:
                self.body += struct.pack(self.order + LETTERS[type], value)
            else:
                self.body += struct.pack(self.order + str(count) + LETTERS[type], *value)

    def bytes(self):
        head = struct.pack("<BBHI4s", self.header, 0x20, 2132, len(self.body), b".FIT")
        if self.header == 14:
            head += struct.pack("<H", checksum(head))
        return head + self.body + struct.pack("<H", checksum(head + self.body))


def semicircles(degrees):
    return round(degrees * 2**31 / 180)


def run():
    """A run with a pause, as a watch of today writes it."""
    file = File()
    file.define(0, FILE_ID, (0, ENUM, 1), (1, UINT16, 1), (4, UINT32, 1), (3, UINT32Z, 1), (8, STRING, 9))
    file.data(0, 4, 1, START, 12345, "watch")
    file.define(1, EVENT, (253, UINT32, 1), (0, ENUM, 1), (1, ENUM, 1))
    file.define(2, RECORD, (253, UINT32, 1), (0, SINT32, 1), (1, SINT32, 1), (78, UINT32, 1), (73, UINT32, 1), (31, UINT8, 1), (3, UINT8, 1))
    file.data(1, START, 0, 0)
    for second in range(4):
        file.data(2, START + second, semicircles(48.5) + 300 * second, semicircles(-11.25), 5 * (500 + 520) + second, 2750 + second, 3, 120)
    file.data(1, START + 3, 0, 4)
    file.data(1, START + 60, 0, 0)
    file.data(2, START + 60, 0x7FFFFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFF, 121)
    for second in range(61, 64):
        file.data(2, START + second, semicircles(48.501) + second, semicircles(-11.25), 0xFFFFFFFF, 0xFFFFFFFF, 0xFF, 0xFF)
    file.data(1, START + 63, 0, 4)
    file.define(3, LAP, (253, UINT32, 1), (2, UINT32, 1), (7, UINT32, 1), (25, ENUM, 1))
    file.data(3, START + 63, START, 63000, 1)
    file.define(4, SESSION, (253, UINT32, 1), (2, UINT32, 1), (7, UINT32, 1), (5, ENUM, 1), (6, ENUM, 1))
    file.data(4, START + 63, START, 63000, 1, 0)
    return file.bytes()


def ride():
    """A ride of an older device: a short header, the other byte order, fields of 16 bits."""
    file = File(order=">", header=12)
    file.define(0, RECORD, (253, UINT32, 1), (0, SINT32, 1), (1, SINT32, 1), (2, UINT16, 1), (6, UINT16, 1))
    for second in range(3):
        file.data(0, START + 10 * second, semicircles(-33.9), semicircles(151.2) + 500 * second, 5 * 500 + 77, 8123 if second else 0xFFFF)
    file.define(1, SESSION, (253, UINT32, 1), (2, UINT32, 1), (7, UINT32, 1), (5, ENUM, 1))
    file.data(1, START + 20, START, 20000, 2)
    return file.bytes()


def compressed():
    """Times in the headers, which wrap every 32 seconds."""
    file = File()
    file.define(0, RECORD, (253, UINT32, 1), (0, SINT32, 1), (1, SINT32, 1))
    file.data(0, START, 1000, 2000)
    file.define(2, RECORD, (0, SINT32, 1), (1, SINT32, 1), (6, UINT16, 1))
    now = START
    for step in (0, 1, 1, 30, 31, 5, 17, 32 - 1):
        now += step
        file.data(2, 1000 + now - START, 2000, 1234, offset=now & 31)
    return file.bytes()


def developer():
    """Fields of an app beside the device's own."""
    file = File()
    file.define(0, DEVELOPER, (1, BYTE, 16), (3, UINT8, 1))
    file.data(0, tuple(range(16)), 0)
    file.define(1, DESCRIPTION, (0, UINT8, 1), (1, UINT8, 1), (2, UINT8, 1), (3, STRING, 8), (8, STRING, 4))
    file.data(1, 0, 7, FLOAT32, "doughs", "kg")
    file.define(2, RECORD, (253, UINT32, 1), (0, SINT32, 1), (1, SINT32, 1), (31, UINT8, 1), developer=((7, 4, 0),))
    for second in range(3):
        file.data(2, START + second, semicircles(60.0), semicircles(25.0) + second, 4 + second, tuple(struct.pack("<f", 1.5)))
    file.define(3, SPORT, (0, ENUM, 1), (1, ENUM, 1))
    file.data(3, 11, 0)
    return file.bytes()


def laps():
    """Laps of two sports, and no session, of a device that was cut off before it wrote one."""
    file = File(order=">")
    file.define(0, RECORD, (253, UINT32, 1), (0, SINT32, 1), (1, SINT32, 1))
    file.define(1, LAP, (253, UINT32, 1), (2, UINT32, 1), (7, UINT32, 1), (25, ENUM, 1))
    for lap, sport in enumerate((1, 1, 2, 5)):
        for second in range(10 * lap, 10 * lap + 10):
            file.data(0, START + second, semicircles(-1.5) - second, semicircles(179.9) + second)
        file.data(1, START + 10 * lap + 10, START + 10 * lap, 9500, sport)
    return file.bytes()


def drawn(index):
    """Everything that may vary, drawn: order, header, local types, redefinitions, arrays, texts, unknown messages."""
    file = File(order=random.choice("<>"), header=random.choice((12, 14)))
    now = START + random.randrange(10**6)
    file.define(15, RECORD, (253, UINT32, 1))
    file.data(15, now)
    optional = [(78, UINT32), (73, UINT32), (2, UINT16), (6, UINT16), (31, UINT8), (3, UINT8), (13, SINT8), (199, FLOAT32), (200, SINT16)]
    for _ in range(6):
        fields = random.sample(optional, random.randrange(len(optional)))
        # Of the short and the long field of a quantity fitdecode gives whichever comes first.
        for long, short in ((78, 2), (73, 6)):
            if long in dict(fields):
                fields = [field for field in fields if field[0] != short]
        has_time = random.random() < 0.7
        local = random.randrange(16 if has_time else 4)
        order = [(0, SINT32, 1), (1, SINT32, 1)] + [(number, type, 1) for number, type in fields]
        if has_time:
            order.append((253, UINT32, 1))
        order.append((150, BYTE, 3))
        order.append((151, STRING, 5))
        random.shuffle(order)
        file.define(local, RECORD, *order)
        for _ in range(random.randrange(1, 12)):
            step = random.randrange(32)
            now += step
            values = []
            for number, type, count in order:
                if type == STRING:
                    values.append("abc")
                elif count > 1:
                    values.append((1, 2, 3))
                elif number == 253:
                    values.append(now)
                elif type == FLOAT32:
                    values.append(1.25)
                else:
                    size = 8 * struct.calcsize(LETTERS[type])
                    low, high = (-2 ** (size - 1), 2 ** (size - 1) - 1) if type in (SINT8, SINT16, SINT32) else (0, 2**size - 1)
                    if number == 0:
                        low, high = -(2**30), 2**30
                    if number == 78:
                        high = 60000
                    values.append((0x7FFFFFFF if number in (0, 1) else high if number != 78 else 0xFFFFFFFF) if random.random() < 0.1 else random.randint(low, high))
            file.data(local, *values, offset=None if has_time else now & 31)
        other = random.randrange(16)
        file.define(other, 0xFF00 + random.randrange(200), (1, UINT16, random.randrange(1, 9)), (2, STRING, 7))
        count = file.fields[other][0][1]
        file.data(other, 5 if count == 1 else tuple(range(count)), "xyz")
    return file.bytes()


def text(value):
    return "" if value is None else repr(value)


files = {"run": run(), "ride": ride(), "compressed": compressed(), "developer": developer(), "chained": run() + ride(), "laps": laps()}
for index in range(12):
    files[f"drawn{index}"] = drawn(index)
print("# file, name, bytes; record, name, seconds, latitude, longitude, altitude, speed, accuracy; session, name, start, end, sport; timer, name, seconds, type")
for name, data in files.items():
    print(f"file,{name},{base64.b64encode(data).decode()}")
    with fitdecode.FitReader(io.BytesIO(data), check_crc=fitdecode.CrcCheck.RAISE) as reader:
        for frame in reader:
            if frame.frame_type != fitdecode.FIT_FRAME_DATA:
                continue
            def get(*names):
                for field in names:
                    if frame.has_field(field) and frame.get_value(field) is not None:
                        return frame.get_value(field)
                return None
            time = get("timestamp")
            time = None if time is None else int(time.timestamp())
            if frame.global_mesg_num == RECORD:
                latitude, longitude = get("position_lat"), get("position_long")
                if latitude is None or longitude is None:
                    continue
                places = [value * 180 / 2**31 for value in (latitude, longitude)]
                rest = [get("enhanced_altitude", "altitude"), get("enhanced_speed", "speed"), get("gps_accuracy")]
                print(",".join(["record", name, str(time)] + [repr(value) for value in places] + [text(value if value is None else float(value)) for value in rest]))
            elif frame.global_mesg_num == SESSION:
                start = int(get("start_time").timestamp())
                print(f"session,{name},{start},{start + int(get('total_elapsed_time'))},{get('sport')}")
            elif frame.global_mesg_num == EVENT and get("event") == "timer":
                print(f"timer,{name},{time},{get('event_type')}")
