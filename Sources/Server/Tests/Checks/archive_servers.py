"""The archive's side for the checks: a private PostgreSQL, and a running `locomotion-server collect`."""

import hashlib
import os
import secrets
import shlex
import shutil
import subprocess
import tempfile
import time

from archive_phones import write_secret
from service import Service

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Cluster:
    """A private PostgreSQL of `Sources/Server/Tests/Setup/server.sh`, until the end of the `with`."""

    # What the script calls the connections.
    ROLES = {"owner": "_OWNER", "collector": "", "analyst": "_ANALYST", "admin": "_ADMIN"}

    def __init__(self, folder):
        self.folder = os.path.join(folder, "postgresql")
        # Root's PostgreSQL runs as another user, who can enter few of root's folders.
        self.own_folder = os.geteuid() == 0

    def __enter__(self):
        if self.own_folder:
            self.folder = tempfile.mkdtemp(prefix="postgresql-")
        self._script(self.folder)
        with open(os.path.join(self.folder, "connections.env")) as file:
            rows = [line.partition("=") for line in file if not line.startswith("#")]
        self.connections = {name: shlex.split(value)[0] for name, _, value in rows if value}
        return self

    def __exit__(self, *_):
        self._script("--stop", self.folder)
        if self.own_folder:
            shutil.rmtree(self.folder)

    @staticmethod
    def _script(*arguments):
        # A session of its own: an interrupt from the terminal must not stop PostgreSQL first.
        subprocess.run(
            ["bash", os.path.join(ROOT, "Tests", "Setup", "server.sh"), *arguments],
            stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True, check=True)

    def connection(self, role):
        return self.connections["LOCOMOTION_DATABASE" + self.ROLES[role]]

    def query(self, text, role="admin"):
        """The rows of a query, as the superuser unless told otherwise."""
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1",
             self.connection(role)], input=text, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise OSError(done.stderr.strip())
        return [line.split("\t") for line in done.stdout.splitlines()]


class Collector(Service):
    """A running `locomotion-server collect`, on the same port after each start."""

    def __init__(self, program, cluster, folder, tokens, *options):
        self.program, self.cluster, self.options = program, cluster, options
        self.objects = os.path.join(folder, "objects")
        self.cache = os.path.join(folder, "cache")
        self.log = os.path.join(folder, "collect.log")
        self.tokens = os.path.join(folder, "tokens")
        write_secret(self.tokens, "".join("%s %s\n" % row for row in tokens.items()))
        for path in (self.objects, self.cache):
            os.makedirs(path, exist_ok=True)
        self.port, self.process, self.starts = 0, None, 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def start(self):
        """Starts it and waits until it listens; false when it ended before that."""
        with open(self.log, "ab") as log:
            database = self.cluster.connection("collector")
            found = self.launch(
                [self.program + "-server", "collect", "--database", database,
                 "--objects", self.objects, "--cache", self.cache, "--token-file", self.tokens,
                 "--port", str(self.port), *self.options], log, start_new_session=True)
        if not found:
            self.process.wait(60)
            self.process.stdout.close()
            return False
        self.port, self.starts = int(found.group(3)), self.starts + 1
        return True

    def talk(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def processor_seconds(self):
        with open("/proc/%d/stat" % self.process.pid) as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_idle(self):
        """Waits until it has computed what it will: it takes no more processor time."""
        before, still = -1.0, 0
        while still < 5:
            now = self.processor_seconds()
            still = still + 1 if now - before < 0.02 else 0
            before = now
            time.sleep(0.5)
        return before

    def archive(self, *arguments, role="collector", status=0):
        """What `locomotion-server archive` prints."""
        done = subprocess.run(
            [self.program + "-server", "archive", *arguments, "--database", self.cluster.connection(role)],
            capture_output=True, timeout=600)
        assert done.returncode == status, (arguments, done.returncode, done.stderr.decode())
        return done.stdout.decode()

    def stored_objects(self):
        """The paths of all objects below the folder; and of all other files there."""
        objects, others = [], []
        for folder, _, names in os.walk(self.objects):
            for name in names:
                path = os.path.join(folder, name)
                (objects if name.endswith(".loco") else others).append(path)
        return objects, others

    def object_defects(self):
        """Objects whose name is not the SHA-256 of their content."""
        result = []
        for path in self.stored_objects()[0]:
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if digest + ".loco" != os.path.basename(path):
                result.append(path)
        return result


def new_token():
    return secrets.token_hex(16)


def wait_until(condition, seconds, pause=0.2):
    """Whether `condition` came true; the time only bounds how long that is waited for."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
