"""A running `locomotion-server collect`, phones that record for it, and a way to cut its database off."""

import base64
import hashlib
import hmac
import http.client
import json
import math
import os
import random
import re
import socket
import subprocess
import tempfile
import threading
import time
import uuid

from service import Service

TYPE = "application/vnd.locomotion.unit"
START = 1_700_006_000  # 2023-11-14 23:53:20 in UTC, so that a recording goes over midnight


def run(program, *arguments, status=0, **options):
    """What a command prints; it must end with the status."""
    done = subprocess.run([program, *arguments], capture_output=True, timeout=170, **options)
    assert done.returncode == status, (arguments[:2], done.returncode, done.stderr.decode())
    return done.stdout


class Phone:
    """A journal with rests and walks of five minutes, at 25 Hz."""

    def __init__(self, program, folder, user, seed=1):
        self.program, self.user, self.folder = program, user, folder
        self.store = os.path.join(folder, f"phone-{seed}.locomotion")
        self.random, self.latitude = random.Random(seed), 48.1 + seed / 100

    def record(self, first, last):
        lines = []
        for second in range(first, last):
            walks = second // 300 % 2 == 1
            swing = 2.5 if walks else 0.02
            times = [START + second + step / 25 for step in range(25)]
            noise = lambda: self.random.gauss(0, 0.05)
            line = {
                "t": times, "ay": [noise() for _ in times],
                "ax": [0.4 * swing * math.sin(6 * (t - START)) + noise() for t in times],
                "az": [9.81 + swing * math.sin(12 * (t - START)) + noise() for t in times],
                "fixes": [{"t": START + second, "lat": self.latitude, "lon": 11.5, "alt": 500,
                           "hacc": 5, "speed": 1.4 if walks else 0}]}
            self.latitude += 1.4 / 111_200 if walks else 0
            lines.append(json.dumps(line))
        run(self.program, "record", "--store", self.store, "--user", self.user,
            input="\n".join(lines).encode())

    def journal(self, verb, *arguments):
        return run(self.program, "journal", verb, "--store", self.store, "--user", self.user,
                   *arguments)

    def sync(self, url, token, status=0):
        path = os.path.join(self.folder, "token")
        with open(path, "w") as file:
            file.write(token + "\n")
        return run(self.program, "sync", "--store", self.store, "--user", self.user, "--to", url,
                   "--token-file", path, "--once", status=status)

    def story(self, date):
        return self.journal("day", "--storyline", "--date", date)


class Archive(Service):
    """A collector on a free port, with folders of its own."""

    def __init__(self, program, folder, users=(), objects=None, options=(), database=None):
        self.program, self.folder = program, folder
        self.database = database or os.environ["LOCOMOTION_DATABASE"]
        self.objects = objects or os.path.join(folder, "objects")
        self.cache = os.path.join(folder, "cache")
        self.options = list(options)
        self.tokens = {user: f"token-of-{index}-long-enough" for index, user in enumerate(users)}
        if users:
            # The file separates a user from a token by blanks.
            path = os.path.join(folder, "tokens")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.writelines(f"{user} {token}\n" for user, token in self.tokens.items())
            self.options += ["--token-file", path]
        self.start()

    def command(self):
        return [self.program + "-server", "collect", "--database", self.database, "--port", "0",
                "--requests-per-minute", "100000", *self.places(), *self.options]

    def start(self):
        self.errors = tempfile.TemporaryFile()
        found = self.launch(self.command(), self.errors)
        assert found and found.group(2) == "127.0.0.1", self.talk()
        self.port = int(found.group(3))
        self.url = f"http://127.0.0.1:{self.port}/"

    def places(self, with_cache=True):
        places = ["--objects", self.objects] + (["--cache", self.cache] if with_cache else [])
        endpoint = os.environ.get("LOCOMOTION_S3_ENDPOINT")
        return places + (["--s3-endpoint", endpoint] if self.objects.startswith("s3:") else [])

    def request(self, method, path, token=None, body=None, **fields):
        """The status, the body and the fields of an answer."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        if token:
            headers["Authorization"] = "Bearer " + token
        try:
            client.request(method, path, body, headers)
        except BrokenPipeError:
            pass  # It has answered before the end of the body, and closed the connection.
        answer = client.getresponse()
        content = answer.read()
        client.close()
        return answer.status, content, {k.lower(): v for k, v in answer.getheaders()}

    def put(self, unit, token, digest=None, kind=TYPE):
        digest = digest or hashlib.sha256(unit).hexdigest()
        return self.request("PUT", "/v1/units/" + digest, token, unit, Content_Type=kind)

    def tool(self, verb, *arguments, status=0):
        places = [] if verb == "readmit" else self.places(with_cache=verb == "erase")
        return run(self.program + "-server", "archive", verb, "--database", self.database, *places,
                   *arguments, status=status)

    def wait_for_story(self, user, date, story, seconds=100):
        """Waits until the archive tells a day as the phone does; that may take some derivations."""
        command = [self.program + "-server", "archive", "days", "--database", self.database,
                   "--user", user, "--date", date, "--json"]
        # A day that is not there yet is status 1.
        told = lambda: subprocess.run(command, capture_output=True).stdout
        self.wait_until(lambda: told() == story, seconds, lambda: (told(), story, self.talk()))

    def wait_until(self, condition, seconds=60, said=None):
        """Waits until a condition comes true, or fails with what is said then."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, (said or self.talk)()
            time.sleep(0.2)


def new_user(name):
    return f"{name}-{uuid.uuid4().hex[:12]}"


def units(folder):
    """The units of a folder of objects or of an export, by their digests."""
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".loco"):
                with open(os.path.join(parent, name), "rb") as file:
                    found[name[-69:-5]] = file.read()
    return found


def bearer(claims, key, header=None):
    """A JSON Web Token by HS256."""
    encode = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    parts = [encode(json.dumps(part).encode()) for part in (header or {"alg": "HS256"}, claims)]
    text = ".".join(parts)
    return text + "." + encode(hmac.new(key, text.encode(), hashlib.sha256).digest())


def write_keys(path, keys):
    """Writes a set of JSON Web Keys for HS256."""
    encode = lambda key: base64.urlsafe_b64encode(key).rstrip(b"=").decode()
    entries = [{"kty": "oct", "kid": kid, "alg": "HS256", "k": encode(key)}
               for kid, key in keys.items()]
    with open(path + ".new", "w") as file:
        json.dump({"keys": entries}, file)
    os.rename(path + ".new", path)


class Gate:
    """Forwards connections to PostgreSQL while `is_open`."""

    def __init__(self, conninfo):
        self.target = int(re.search(r"port=(\d+)", conninfo).group(1))
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        self.conninfo = re.sub(r"port=\d+", f"port={port}", conninfo) + " connect_timeout=2"
        self.is_open, self.pairs = True, []
        threading.Thread(target=self._accept, daemon=True).start()

    def shut(self):
        self.is_open = False
        for end in self.pairs:
            end.close()
        self.pairs = []

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            if not self.is_open:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.target))
            self.pairs += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def _copy(source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
