"""Clients that are slow or hostile, for the checks and benchmarks of the archive."""

import asyncio
import hashlib
import random
import time

import hostile_units

SECOND = hostile_units.SECOND
NOW = 1_780_000_000 * SECOND


def request(unit, token, digest=None):
    digest = digest or hashlib.sha256(unit).hexdigest()
    return (
        "PUT /v1/units/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
        "Content-Type: application/vnd.locomotion.unit\r\nContent-Length: %d\r\n\r\n"
        % (digest, token, len(unit))).encode() + unit, digest


async def exchange(connection, message):
    """The status and the body of the answer to a request."""
    reader, writer = connection
    writer.write(message)
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
    return int(head.split()[1]), await reader.readexactly(int(length or 0))


async def attack(kind, port, token, number):
    """One connection of a client that is slow or hostile."""
    chance = random.Random(number)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        message, _ = request(chance.randbytes(200_000), token if kind % 2 else "wrong")
        if kind < 2:  # a body of a few bytes a second
            writer.write(message[:300])
            for place in range(300, 330):
                await asyncio.sleep(0.3)
                writer.write(message[place:place + 1])
        elif kind < 4:  # a whole body that is no unit, under its right digest
            await exchange((reader, writer), message)
            await asyncio.sleep(0.2)
        elif kind == 4:  # noise in place of a request
            writer.write(chance.randbytes(3_000))
            await asyncio.wait_for(reader.read(), 2)
        elif kind == 5:  # many requests on a connection, each answered at once
            for _ in range(20):
                await exchange((reader, writer), request(b"x", token)[0])
        elif kind == 6:  # a connection without a request
            await asyncio.sleep(5)
        else:  # half a body, and away
            writer.write(message[:100_000])
            await writer.drain()
            await asyncio.sleep(0.2)
    finally:
        writer.close()


def run_slow(port, token, clients, stop, count):
    async def client(number):
        tries = 0
        while not stop.is_set():
            try:
                await attack(number % 8, port, token, number * 1_000_003 + tries)
            except (OSError, EOFError, ValueError, asyncio.TimeoutError):
                await asyncio.sleep(0.1)
            tries += 1
            # Their own work is not to take the processor from the collector.
            await asyncio.sleep(0.3)
        count.value += tries

    async def all_of_them():
        await asyncio.gather(*[client(number) for number in range(clients)])

    asyncio.run(all_of_them())


async def bombs(user, token, port, chance):
    """Units that decode to some hundred times their size, two connections of them."""
    for _ in range(2):
        unit = hostile_units.dense_unit(user, chance.randbytes(16), NOW, 8)
        await send(port, unit, token)


async def floods(user, token, port, chance):
    """As many small units at once as the limit allows."""
    units = [hostile_units.unit(user, chance.randbytes(16), [NOW]) for _ in range(20)]
    await asyncio.gather(*[send(port, unit, token) for unit in units])


async def slow_bodies(user, token, port, chance):
    """Bodies of a few bytes a second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        message, _ = request(chance.randbytes(200_000), token)
        writer.write(message[:-20])
        for place in range(20, 0, -1):
            await asyncio.sleep(0.3)
            writer.write(message[-place:][:1])
            await writer.drain()
        await asyncio.wait_for(reader.read(1), 5)
    finally:
        writer.close()


async def far_times(user, token, port, chance):
    """Fixes at the ends of what a time can be."""
    for time_of_fix in (2**63 - 1, -2**63, 4_000_000_000 * SECOND):
        await send(port, hostile_units.unit(user, chance.randbytes(16), [time_of_fix]), token)


async def far_apart_times(user, token, port, chance):
    """Two fixes with a quarter of a century between them."""
    times = [NOW - 800_000_000 * SECOND, NOW]
    await send(port, hostile_units.unit(user, chance.randbytes(16), times), token)


async def deletes(user, token, port, chance):
    """Withdrawals of what was just stored, and of what never was."""
    unit = hostile_units.unit(user, chance.randbytes(16), [NOW])
    await send(port, unit, token)
    for digest in [hashlib.sha256(unit).hexdigest(), *[chance.randbytes(32).hex()] * 10]:
        await send(port, b"", token, "DELETE", digest)


ATTACKS = {attack.__name__: attack for attack in [
    bombs, floods, slow_bodies, far_times, far_apart_times, deletes]}


async def send(port, unit, token, method="PUT", digest=None):
    """The status of one request on a connection of its own."""
    connection = await asyncio.open_connection("127.0.0.1", port)
    try:
        message, _ = request(unit, token, digest)
        if method != "PUT":
            message = message.replace(b"PUT", method.encode(), 1)
        return (await exchange(connection, message))[0]
    finally:
        connection[1].close()


def run_hostile(port, users, names, stop, count):
    """One user for each kind of attack, each from two connections, until `stop`."""
    async def client(attack, user, token, number):
        chance = random.Random(number)
        while not stop.is_set():
            try:
                await asyncio.wait_for(attack(user, token, port, chance), 30)
            except (OSError, EOFError, ValueError, asyncio.TimeoutError):
                pass
            # Their own work is not to take the processor from the collector.
            await asyncio.sleep(0.2)
            count.value += 1

    async def all_of_them():
        await asyncio.gather(*[
            client(ATTACKS[name], user, token, 1_000 * turn + number)
            for turn in range(2)
            for number, (name, (user, token)) in enumerate(zip(names, users))])

    asyncio.run(all_of_them())


async def wander(port, units, token, renew, until, counts, number):
    """A user who sends, reads and withdraws until a time, then a device anew, over and over."""
    chance = random.Random(number)
    sent = []
    while time.monotonic() < until:
        for unit in units:
            if time.monotonic() > until:
                return
            try:
                status = await send(port, unit, token)
                counts["status %d" % status] = counts.get("status %d" % status, 0) + 1
                sent.append(hashlib.sha256(unit).hexdigest())
                if chance.random() < 0.3:
                    digest = sent.pop(chance.randrange(len(sent)))
                    await send(port, b"", token, "DELETE", digest)
                path = chance.choice([b"/v1/days", b"/v1/days/2026-05-12", b"/v1/days/2026-05-13"])
                connection = await asyncio.open_connection("127.0.0.1", port)
                await exchange(connection, (
                    b"GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                    % (path, token.encode())))
                connection[1].close()
            except (OSError, EOFError):
                counts["lost"] = counts.get("lost", 0) + 1
            await asyncio.sleep(0.2)
        # Nothing stays of what was sent, so that only the collector's own memory can grow.
        for digest in sent:
            await send(port, b"", token, "DELETE", digest)
        units, sent = renew(), []
