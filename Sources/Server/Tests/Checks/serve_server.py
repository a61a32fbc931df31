"""A running `locomotion-server serve`, and what the apps send to it."""

import http.client
import json
import os
import resource
import socket
import ssl
import subprocess
import tempfile
import time

from service import Service

TOKEN = "a-token-of-some-length"
OK = b'{"result":"ok"}'
# The first lines of a request.
HEAD = b"POST /overland HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n" % TOKEN.encode()


def write_tokens(run, tokens):
    """The path of a file with the token of each user."""
    path = os.path.join(run.folder, "tokens")
    with open(path, "w") as file:
        file.writelines("%s %s\n" % row for row in tokens.items())
    return path


class Server(Service):
    """A running server on a free port."""

    longest_stop = 20

    def __init__(
            self, program, folder, *options, tokens=None, largest_file=None, descriptors=None):
        self.program, self.store = program, os.path.join(folder, "journal")
        self.certificate = os.path.join(folder, "certificate.pem")
        command = [program + "-server", "serve", "--store", self.store, "--port", "0", *options]
        command += ["--token-file", tokens] if tokens else ["--user", "ada", "--token", TOKEN]
        self.errors = tempfile.TemporaryFile()
        limit = None
        if largest_file:
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file,) * 2)
        if descriptors:
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors,) * 2)
        found = self.launch(command, self.errors, preexec_fn=limit)
        assert found, self.talk()
        self.scheme, self.port = found.group(1), int(found.group(3))

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def exchange(self, request, is_end=False, pause=0):
        """All that is answered to bytes with which the client ends, or else one head."""
        with self.connect() as connection:
            connection.sendall(request)
            time.sleep(pause)
            if is_end:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while data := connection.recv(65536):
                    answer += data
                    if not is_end and b"\r\n\r\n" in answer:
                        break
            except ConnectionResetError:
                pass
            return answer

    def client(self):
        if self.scheme == "http":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        trusted = ssl.create_default_context(cafile=self.certificate)
        return http.client.HTTPSConnection("localhost", self.port, timeout=20, context=trusted)

    def request(self, method, path, body=None, token=TOKEN, headers=None, connection=None):
        """The status, the body and the header fields of an answer."""
        used = connection or self.client()
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = "Bearer " + token
        used.request(method, path, body, fields)
        answer = used.getresponse()
        content = answer.read()
        if not connection:
            used.close()
        return answer.status, content, {k.lower(): v for k, v in answer.getheaders()}

    def post(self, path, value, **options):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return self.request("POST", path, body, **options)

    def tool(self, *arguments, status=0):
        program = self.program + ("-server" if arguments[0] == "serve" else "")
        run = subprocess.run(
            [program, *arguments, "--store", self.store], capture_output=True, timeout=60)
        assert run.returncode == status, (arguments, run)
        return run.stdout.decode()

    def lines(self, user="ada"):
        """What the journal holds of a user: samples, fixes."""
        text = self.tool("journal", "export", "--format", "ndjson", "--user", user)
        samples, fixes = [], []
        for line in map(json.loads, text.splitlines()):
            if "t" in line:
                samples += zip(line["t"], line["ax"], line["ay"], line["az"])
            fixes += line.get("fixes", [])
        return samples, fixes

    def check(self):
        self.tool("journal", "check")


def overland(first, count=3):
    """A batch of fixes, a second apart, as the app sends it."""
    return {"locations": [{
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [11.5 + 1e-5 * n, 48.1]},
        "properties": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime(1_700_000_000 + n)),
            "horizontal_accuracy": 5, "speed": -1, "course": -1, "altitude": 500,
            "vertical_accuracy": 3, "motion": ["walking"], "device_id": "phone"},
    } for n in range(first, first + count)], "current": None}


def entries(name, first, count, vector):
    """Samples at 100 Hz under a name of Sensor Logger."""
    return [{
        "name": name, "time": 1_700_000_000_000_000_000 + 10_000_000 * n,
        "values": dict(zip("xyz", vector(n)))} for n in range(first, first + count)]


def message(number, payload, session="s1"):
    return {"messageId": number, "sessionId": session, "deviceId": "phone", "payload": payload}
