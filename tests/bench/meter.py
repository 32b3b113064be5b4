"""Runs a command and writes the CPU seconds that it and its children used behind its standard output. Usage: meter.py CMD..."""
import resource, subprocess, sys

status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"\ncpu_seconds {used.ru_utime + used.ru_stime:.6f}")
sys.exit(status)
