"""Times circuits_part2 as a whole process at the size of the published models, against
the same sections computed by whole matrices (--dense), in the same run.

    bench.py PROGRAM SET [RUNS]
"""

import ctypes
import os
import pathlib
import subprocess
import sys


def run(*command):
    """Wall seconds, CPU seconds, peak bytes, and what the process said on stderr."""
    read, write = os.pipe()
    start = os.times().elapsed
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=write)
    os.close(write)
    with open(read) as said:
        text = said.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"bench: {' '.join(command)}: exit {process.returncode}\n{text}")
    return (os.times().elapsed - start, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024, text)


def core():
    """The processor that OpenBLAS takes this one for; its products are as fast as that."""
    name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
    name.restype = ctypes.c_char_p
    return name().decode()


def main(program, folder, runs=3):
    weights = sum(f.stat().st_size for f in pathlib.Path(folder).glob("*/*.safetensors"))
    command = program, "--model", folder, "--times"
    run(*command)  # into the page cache
    thin = sorted(run(*command) for _ in range(runs))[runs // 2]
    dense = run(*command, "--dense")
    print(f"every section on both models, {weights / 1e6:.0f} MB of weights; OpenBLAS runs its "
          f"kernels for {core()}\n(OPENBLAS_CORETYPE chooses others)")
    for a, b in zip(thin[3].splitlines(), dense[3].splitlines()):
        print(f"  {a:30}   dense {b.split(': ')[-1]}")
    print(f"  whole process {thin[0]:.2f} s, dense {dense[0]:.2f} s")
    print(f"  dense : factored = {dense[0] / thin[0]:.1f} on the clock, "
          f"{dense[1] / thin[1]:.1f} in CPU time")
    print(f"  peak memory {thin[2] / 1e6:.0f} MB, {thin[2] / weights:.2f} times the weights")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
