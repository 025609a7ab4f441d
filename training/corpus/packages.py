"""Finds downloaded packages in the cache and reads their files."""
import bz2
import glob
import gzip
import io
import os
import re
import subprocess
import tarfile
import urllib.parse


class Problem(Exception):
    """What is wrong and what to do, in one line."""


def find(cache, kind, name, version):
    """The path and version of a package; the list may say `any` version."""
    folder = os.path.join(cache, kind)
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        base = os.path.basename(path)
        if kind == "deb":
            m = re.fullmatch(r"([^_]+)_([^_]+)_[^_]+\.deb", base)
            if m and m[1] == name:
                found.append((path, urllib.parse.unquote(m[2])))
        else:
            stem = name.lstrip("@").replace("/", "-")
            m = re.fullmatch(re.escape(stem) + r"-(\d[^/]*)\.tgz", base)
            if m:
                found.append((path, m[1]))
    if version != "any":
        found = [f for f in found if f[1] == version]
    if len(found) != 1:
        raise Problem(f"{folder}: {len(found)} files of package {name} "
                      f"{version}, expected one; run fetch.sh")
    return found[0]


def tar_of(kind, path):
    if kind == "npm":
        return tarfile.open(path, "r|gz"), None
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path],
                               stdout=subprocess.PIPE)
    return tarfile.open(fileobj=process.stdout, mode="r|"), process


def unpacked(name, data):
    if name.endswith((".gz", ".dz")):
        return gzip.decompress(data)
    if name.endswith(".bz2"):
        return bz2.decompress(data)
    return data


def files(kind, path, pattern):
    """Yields (name, bytes), decompressed and by name, of the regular files
    whose whole name matches the pattern."""
    wanted = re.compile(pattern)
    tar, process = tar_of(kind, path)
    held = []
    for member in tar:
        name = member.name[2:] if member.name.startswith("./") else member.name
        if member.isfile() and wanted.fullmatch(name):
            held.append((name, tar.extractfile(member).read()))
    tar.close()
    if process:
        process.stdout.close()
        process.wait()
    for name, data in sorted(held):
        yield name, unpacked(name, data)
