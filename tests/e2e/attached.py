"""rbdprof attach as the end-to-end tests use it: in the background, and known to record. It knows no program that is attached to."""
import os, signal, subprocess, tempfile

from lab import CannotRun, Recording


class Attached:
    """Records when it is made; end() lets go and gives the recording. seconds: it ends by itself then."""

    def __init__(self, lab, *pids, seconds=None, before=()):
        self.lab, self.folder = lab, tempfile.mkdtemp(prefix="trace-", dir=lab.work)
        os.chmod(self.folder, 0o777)
        words = [*before, lab.rbdprof, "attach", "-o", os.path.join(self.folder, "t"), "-p", ",".join(map(str, pids)),
                 *(["--for", str(seconds)] if seconds else [])]
        lab.commands.append(" ".join(words))
        self.process = subprocess.Popen(words, env=lab.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = ""
        while "recording" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                raise CannotRun(f"it does not record: {self.said}")
            self.said += line

    def end(self):
        if "until Ctrl-C" in self.said:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=120)
        self.said += err
        if self.process.returncode:
            raise CannotRun(f"exit {self.process.returncode}: {self.said}")
        return Recording(self.lab, os.path.join(self.folder, "t"), subprocess.CompletedProcess(self.process.args, 0, out, self.said))


def attach(lab, *pids, seconds, before=()):
    return Attached(lab, *pids, seconds=seconds, before=before).end()
