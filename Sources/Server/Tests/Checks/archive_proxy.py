"""A loopback proxy between phones and the archive that does all that networks do.

For each request it picks one fault by a seeded choice: it cuts the connection at any byte in either
direction, delays, sends a request twice, holds it until later ones have passed, keeps a copy that
arrives long after, shortens or garbles a body, or answers by itself with any status code, also as a
captive portal does. It counts what it did.

The choice depends on the seed, the request's path and how often that path was asked for, not on the
order in which connections arrive: the same seed gives the same faults in any interleaving.
"""

import asyncio
import collections
import http
import random
import re
import socket
import struct
import threading

# How often each fault occurs, of the sum.
FAULTS = {
    "passed": 30,
    "delayed": 6,
    "request cut": 9,
    "answer cut": 9,
    "answer lost": 6,
    "request doubled": 8,
    "held until others passed": 6,
    "copy arrived late": 6,
    "request shortened": 4,
    "request garbled": 4,
    "answer shortened": 4,
    "answered itself": 14,
}
# All status codes that an answer can have, beside those of interim answers; more often those that
# look like success.
STATUSES = [int(status) for status in http.HTTPStatus if status >= 200] + [299, 430, 499, 520, 599]
STATUSES += 8 * [200] + 4 * [201, 302, 409]
BODILESS = (204, 205, 304)
PORTAL = b"<!DOCTYPE html><title>Welcome</title><p>Accept our terms to use this network.</p>"
LARGEST_HEAD = 1 << 16
# Beyond this a held request is passed on without waiting for others.
LONGEST_HOLD = 1.0


def split_head(data):
    """The first line and the fields, by their names in lower case."""
    lines = data.split(b"\r\n")
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip()
    return lines[0], fields


def with_length(message, body):
    """`message` with another body, and the length that fits it."""
    head = message.partition(b"\r\n\r\n")[0]
    head = re.sub(rb"(?i)\r\ncontent-length:[^\r]*", b"", head)
    return head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


class Proxy:
    """Listens on a port of the loopback until it is closed; used as a context manager."""

    def __init__(self, upstream, seed=1):
        # What follows may be changed at any time.
        self.upstream = upstream
        self.clean = False
        self.seed = seed
        self.counts = collections.Counter()
        self.statuses = collections.Counter()
        # Authorization fields that arrived at the address to which the portal redirects.
        self.leaked = 0
        self.attempts = collections.Counter()
        self.finished = 0
        self.late = []
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait(20)

    def __enter__(self):
        return self

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def __exit__(self, *_):
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(20)

    def deliver_late_copies(self):
        """Sends all copies that have not arrived yet; returns how many these were."""
        return asyncio.run_coroutine_threadsafe(self._deliver(all_of_them=True), self.loop).result()

    def table(self):
        """What was done, the most frequent first."""
        rows = sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        return rows + [("of these answered %d" % s, n) for s, n in sorted(self.statuses.items())]

    # The loop's side

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)

        async def start():
            self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.port = self.server.sockets[0].getsockname()[1]
            # Another address than the proxy's, to which a client must not carry its token.
            self.portal = await asyncio.start_server(self._serve_portal, "127.0.0.2", 0)
            self.portal_port = self.portal.sockets[0].getsockname()[1]

        self.loop.run_until_complete(start())
        ready.set()
        self.loop.run_forever()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.server.close()
        self.portal.close()
        self.loop.run_until_complete(asyncio.sleep(0.01))
        self.loop.close()

    async def _serve_portal(self, reader, writer):
        try:
            _, head, _ = await self._read_message(reader, writer)
            if b"authorization" in head:
                self.leaked += 1
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
                b"Content-Length: %d\r\n\r\n" % len(PORTAL) + PORTAL)
            await writer.drain()
        except (OSError, EOFError, asyncio.LimitOverrunError):
            pass
        writer.close()

    async def _serve(self, reader, writer):
        try:
            while True:
                line, fields, message = await self._read_message(reader, writer)
                if not await self._handle(line, fields, message, writer):
                    break
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _read_message(self, reader, writer=None, is_answer=False, has_body=True):
        """The first line, the fields, and all bytes of a request or an answer."""
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            line, fields = split_head(head[:-4])
            if not (is_answer and line.split()[1].startswith(b"1")):
                break
        if writer and fields.get(b"expect", b"").lower() == b"100-continue":
            # Answered here, so that the archive does not answer it once more.
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            head = re.sub(rb"(?i)\r\nexpect:[^\r]*", b"", head)
        if is_answer and (not has_body or int(line.split()[1]) in BODILESS):
            return line, fields, head
        if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
            body = b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readuntil(b"\r\n")
            head = re.sub(rb"(?i)\r\ntransfer-encoding:[^\r]*", b"", head)
            return line, fields, with_length(head, body)
        if b"content-length" in fields:
            return line, fields, head + await reader.readexactly(int(fields[b"content-length"]))
        if is_answer:
            return line, fields, with_length(head, await reader.read())
        return line, fields, head

    async def _exchange(self, message, is_cut=False):
        """What the archive answers to `message`; nothing when there is none."""
        writer = None
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection("127.0.0.1", self.upstream, limit=LARGEST_HEAD), 5)
            writer.write(message)
            await asyncio.wait_for(writer.drain(), 30)
            if is_cut:
                return None
            has_body = not message.startswith(b"HEAD ")
            return (await asyncio.wait_for(
                self._read_message(reader, is_answer=True, has_body=has_body), 60))[2]
        except (OSError, EOFError, ValueError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            self.counts["the archive was not there"] += not is_cut
            return None
        finally:
            if writer:
                writer.close()

    async def _deliver(self, all_of_them=False):
        """Sends the copies whose time has come; nobody waits for the answers."""
        due = [late for late in self.late if all_of_them or late[0] <= self.finished]
        self.late = [late for late in self.late if late not in due]
        for _, message in due:
            await self._exchange(message)
        return len(due)

    async def _handle(self, line, fields, message, writer):
        """Handles a request; false when the connection has ended."""
        if self.clean:
            answer = await self._exchange(message)
            self.counts["passed at the end"] += 1
            return await self._answer(answer, writer)
        key = b" ".join(line.split()[:2]).decode("latin-1")
        self.attempts[key] += 1
        chance = random.Random("%s %s %s" % (self.seed, key, self.attempts[key]))
        fault = chance.choices(list(FAULTS), list(FAULTS.values()))[0]
        self.counts[fault] += 1
        try:
            return await self._commit(fault, chance, message, writer)
        finally:
            self.finished += 1
            if self.late:
                asyncio.ensure_future(self._deliver())

    async def _commit(self, fault, chance, message, writer):
        head, _, body = message.partition(b"\r\n\r\n")
        if fault == "request cut":
            # Half of them in the head, where there are few bytes.
            end = len(message) if chance.random() < 0.5 else len(head) + 4
            await self._exchange(message[:chance.randrange(end)], is_cut=True)
            return self._hang_up(chance, writer)
        if fault == "answered itself":
            status = chance.choice(STATUSES)
            self.statuses[status] += 1
            return await self._answer(self._own_answer(status, chance), writer)
        if fault == "request shortened":
            message = with_length(message, body[:chance.randrange(max(1, len(body)))])
        if fault == "request garbled" and body:
            place = chance.randrange(len(body))
            changed = bytes([body[place] ^ 1 << chance.randrange(8)])
            message = with_length(message, body[:place] + changed + body[place + 1:])
        if fault == "copy arrived late":
            # The phone is told nothing, or to wait; it sends again what will have arrived twice.
            self.late.append((self.finished + chance.randint(2, 30), message))
            if chance.random() < 0.5:
                return self._hang_up(chance, writer)
            return await self._answer(self._own_answer(503, chance), writer)
        if fault == "delayed" and chance.random() < 0.5:
            await asyncio.sleep(chance.uniform(0.01, 0.3))
        if fault == "held until others passed":
            target = self.finished + chance.randint(1, 5)
            end = self.loop.time() + LONGEST_HOLD
            while self.finished < target and self.loop.time() < end:
                await asyncio.sleep(0.02)
        if fault == "request doubled":
            if chance.random() < 0.5:
                answers = await asyncio.gather(self._exchange(message), self._exchange(message))
            else:
                answers = [await self._exchange(message), await self._exchange(message)]
            return await self._answer(chance.choice(answers), writer)
        answer = await self._exchange(message)
        if fault == "delayed":
            await asyncio.sleep(chance.uniform(0.01, 0.3))
        if fault == "answer lost" or answer is None:
            return self._hang_up(chance, writer)
        if fault == "answer cut":
            writer.write(answer[:chance.randrange(len(answer))])
            await writer.drain()
            return self._hang_up(chance, writer)
        if fault == "answer shortened":
            found = answer.partition(b"\r\n\r\n")[2]
            answer = with_length(answer, found[:chance.randrange(max(1, len(found)))])
        return await self._answer(answer, writer)

    def _own_answer(self, status, chance):
        """An answer of neither phone nor archive, as of a captive portal or a broken gateway."""
        try:
            reason = http.HTTPStatus(status).phrase
        except ValueError:
            reason = "Other"
        fields = ["HTTP/1.1 %d %s" % (status, reason)]
        if 300 <= status < 400 and status != 304:
            fields.append("Location: http://127.0.0.2:%d/portal" % self.portal_port)
        if status in (408, 425, 429) or status >= 500:
            wait = chance.choice([None, "0", "1", "soon", "-3", "Thu, 01 Jan 1970 00:00:00 GMT"])
            fields += ["Retry-After: " + wait] if wait else []
        if status == 401:
            fields.append('WWW-Authenticate: Bearer realm="portal"')
        if status in BODILESS:
            fields += ["Content-Length: 0"] if status == 205 else []
            return "\r\n".join(fields + ["", ""]).encode()
        kind, body = chance.choice([
            ("text/html", PORTAL),
            ("application/json", b'{"digest":"%s"}' % (b"0" * 64)),
            ("application/json", b'{"result":"ok"}'),
            ("application/json", b'{"digest":'),
            ("text/plain", b""),
        ])
        fields += ["Content-Type: " + kind, "Content-Length: %d" % len(body), "", ""]
        return "\r\n".join(fields).encode() + body

    async def _answer(self, answer, writer):
        if answer is None:
            return False
        writer.write(answer)
        await writer.drain()
        fields = split_head(answer.partition(b"\r\n\r\n")[0])[1]
        return fields.get(b"connection", b"").lower() != b"close"

    @staticmethod
    def _hang_up(chance, writer):
        """Ends the connection, half of the times by a reset."""
        if chance.random() < 0.5:
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        return False
