"""A running program that prints where it listens, for the checks of `locomotion-server`."""

import re
import signal
import subprocess


class Service:
    longest_stop = 120

    def launch(self, command, errors, **options):
        """Starts it; the scheme, the address and the port that it printed, None without these."""
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, **options)
        line = self.process.stdout.readline().decode()
        return re.fullmatch(r"listening on (https?)://([\d.]+):(\d+)/\n", line)

    def talk(self):
        """What it has said, to the temporary file `errors`."""
        self.errors.seek(0)
        return self.errors.read().decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(self.longest_stop)
        self.process.stdout.close()
        assert status == 0, "ended with %d: %s" % (status, self.talk()[-2000:])

    def kill(self):
        """Kills it; false when it was not running."""
        ran = self.process.poll() is None
        self.process.kill()
        self.process.wait(60)
        self.process.stdout.close()
        return ran

    def status(self, name):
        """A number of /proc/PID/status, such as VmHWM in KiB."""
        with open("/proc/%d/status" % self.process.pid) as file:
            return int(re.search(r"(?m)^%s:\s+(\d+)" % name, file.read()).group(1))
