"""The analyzer reads a real trace without touching memory that is not its own."""
from lab import fio_command


def recording(lab):
    return lab.record(fio_command(lab.image("plain"), "randrw", jobs=2, ios=1500))


def test_valgrind(lab):
    folder = recording(lab).folder
    for form in ("text", "json"):
        ended = lab.run(["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite", lab.rbdprof, "report", "--format", form, folder],
                        check=False, timeout=300)
        lab.equal(f"valgrind's opinion of the {form} report", (ended.returncode, ended.stderr), (0, ""))


def test_sanitizers(lab):
    if not lab.holds("there is a build with sanitizers (--sanitized)", lab.sanitized):
        return
    folder = recording(lab).folder
    plain = lab.run([lab.rbdprof, "report", "--format", "json", folder]).stdout
    ended = lab.run([lab.sanitized, "report", "--format", "json", folder], check=False)
    lab.equal("the sanitizers' opinion", (ended.returncode, ended.stderr), (0, ""))
    lab.equal("the same report", ended.stdout, plain)
