"""Many honest and many hostile clients at once, for `serve-requests.py`.

Each kind of hostile client takes up something else: connections, memory, time.
"""

import asyncio
import json
import multiprocessing
import os
import random
import socket
import struct
import time

HALF = b"POST /overland HTTP/1.1\r\nHost: a\r\n"


def post(body, token=None, length=None):
    token = b"Authorization: Bearer %s\r\n" % token.encode() if token else b""
    return HALF + token + b"Content-Length: %d\r\n\r\n" % (length or len(body)) + body


async def close(writer):
    writer.close()
    try:
        await writer.wait_closed()
    except OSError:
        pass


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    body = await reader.readexactly(int(length[0].split(b":")[1]))
    return int(head.split()[1]), body


async def hold(reader, seconds):
    """Waits until the server ends the connection, for so long at most."""
    try:
        await asyncio.wait_for(reader.read(), seconds)
    except (asyncio.TimeoutError, OSError):
        pass


async def attack(kind, reader, writer, token, pause):
    """One connection of a hostile client."""
    if kind == 0:  # half a line, and an end with it
        writer.write(b"POST /over")
        await asyncio.sleep(pause)
    elif kind == 1:  # the same with a reset
        writer.write(b"POST /over")
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        await asyncio.sleep(pause)
    elif kind == 2:  # nothing at all
        await hold(reader, 60)
    elif kind == 3:  # half a head
        writer.write(HALF)
        await hold(reader, 60)
    elif kind == 4:  # a head of one byte now and then
        for byte in HALF * 9:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.3)
    elif kind == 5:  # guesses
        for number in range(20):
            writer.write(post(b"{}", "guess-%d" % number))
            await asyncio.wait_for(answer(reader), 10)
            await asyncio.sleep(pause)
    elif kind == 6:  # noise, and a head without an end
        writer.write(random.choice([os.urandom(3_000), HALF + b"X: " + b"y" * 100_000]))
        await hold(reader, 5)
    elif kind == 7:  # a long body from nobody
        writer.write(post(b"", "nobody", 16_000_000))
        for _ in range(60):
            writer.write(b" " * 65_536)
            await asyncio.wait_for(writer.drain(), 10)
            await asyncio.sleep(0.1)
    elif kind == 8:  # somebody with a token: bodies that are all work, and halves of others
        if random.random() < 0.2:
            writer.write(post(b'{"locations":[0' + b",0" * 4_000_000 + b"]}", token))
        else:
            writer.write(post(b" " * random.choice([10, 4_000_000]), token, 8_000_000))
        await hold(reader, 20)
    else:  # heads that can be read in two ways, many in a row
        writer.write((HALF + b"Content-Length: 2\r\nContent-Length: 50\r\n\r\n{}") * 50)
        await hold(reader, 5)
        await asyncio.sleep(pause)


async def hostile(port, number, end, token, count):
    while time.monotonic() < end:
        count[0] += 1
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection("127.0.0.1", port), 5)
            try:
                await asyncio.wait_for(
                    attack(number % 10, reader, writer, token, 0.04), end - time.monotonic() + 1)
            finally:
                await close(writer)
        except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            await asyncio.sleep(0.1)


async def honest(port, number, end, token, batch, results):
    """Sends a batch a second, every other client on one connection."""
    connection, step = None, 0
    await asyncio.sleep(random.random())
    while time.monotonic() < end:
        begin = time.monotonic()
        try:
            if connection is None:
                connection = await asyncio.open_connection("127.0.0.1", port)
            reader, writer = connection
            writer.write(post(json.dumps(batch(10 * step, 10)).encode(), token))
            status, body = await asyncio.wait_for(answer(reader), 30)
            results.append((time.monotonic() - begin, status, body.decode()))
            if number % 2:
                await close(writer)
                connection = None
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            results.append((time.monotonic() - begin, 0, repr(error)))
            connection = None
        step += 1
        await asyncio.sleep(max(0, 1 - (time.monotonic() - begin)))


def run_hostile(port, numbers, end, token, queue):
    async def all_of_them():
        count = [0]
        await asyncio.gather(*[hostile(port, n, end, token, count) for n in numbers])
        return count[0]

    queue.put(("hostile", asyncio.run(all_of_them())))


def run_honest(port, tokens, end, batch, queue):
    async def all_of_them():
        results = [[] for _ in tokens]
        await asyncio.gather(*[
            honest(port, n, end, token, batch, results[n]) for n, token in enumerate(tokens)])
        return results

    queue.put(("honest", asyncio.run(all_of_them())))


def run(port, seconds, tokens, hostile_token, hostile_count, batch):
    """Connections of hostile clients, and what each honest client was answered, in time order."""
    queue, end = multiprocessing.Queue(), time.monotonic() + seconds
    processes = [
        multiprocessing.Process(
            target=run_hostile,
            args=(port, range(part, hostile_count, 4), end, hostile_token, queue))
        for part in range(4)]
    processes.append(multiprocessing.Process(
        target=run_honest, args=(port, tokens, end, batch, queue)))
    for process in processes:
        process.start()
    connections, results = 0, None
    for _ in processes:
        kind, value = queue.get(timeout=seconds + 120)
        if kind == "hostile":
            connections += value
        else:
            results = value
    for process in processes:
        process.join(30)
    return connections, results
