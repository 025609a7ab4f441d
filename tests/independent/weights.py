"""Reads a model's folder: config.json and one weights file.

Every tensor is widened to float64 (integers and booleans keep their kind), so
that no later step has to think about half precision.
"""

import collections
import json
import math
import pathlib
import pickle
import struct
import zipfile

import numpy as np

SAFETENSORS_KINDS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2",
    "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "u1",
}
TORCH_KINDS = {
    "DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16",
    "BFloat16Storage": "BF16", "LongStorage": "I64", "IntStorage": "I32",
    "ByteStorage": "U8", "BoolStorage": "BOOL",
}


def numbers(data, kind):
    """Little-endian bytes of one of the kinds above, as a flat array."""
    flat = np.frombuffer(data, SAFETENSORS_KINDS[kind])
    if kind == "BF16":  # the upper half of a float32
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    if kind == "BOOL":
        return flat.astype(bool)
    return flat.astype(np.float64) if kind[0] in "FB" else flat.astype(np.int64)


def read_safetensors(path):
    """Eight bytes of header length, a JSON header, then the numbers."""
    raw = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    body = memoryview(raw)[8 + length:]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        flat = numbers(body[first:last], entry["dtype"])
        if flat.size != math.prod(entry["shape"]) or last > len(body):
            raise SystemExit(f"{path}: {name}: shape and bytes disagree")
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


class TorchPickle(pickle.Unpickler):
    """Understands what torch.save writes for a dict of tensors, no more."""

    def __init__(self, file, storage):
        super().__init__(file)
        self.storage = storage

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return rebuild_tensor
        if module == "torch" and name in TORCH_KINDS:
            return TORCH_KINDS[name]
        raise SystemExit(f"a checkpoint may not call {module}.{name}")

    def persistent_load(self, pid):
        _, kind, key, _, _ = pid
        return numbers(self.storage(key), kind)


def rebuild_tensor(flat, offset, shape, strides, *_):
    """A strided window on a flat storage, copied out."""
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides))
    if math.prod(shape) and last >= flat.size:
        raise SystemExit("a tensor reaches past its storage")
    steps = [flat.itemsize * s for s in strides]
    view = np.lib.stride_tricks.as_strided(flat[offset:], shape, steps)
    return np.array(view)


def read_pth(path):
    """torch.save's zip: data.pkl beside one file for each storage."""
    with zipfile.ZipFile(path) as z:
        (main,) = [n for n in z.namelist() if n.endswith("data.pkl")]
        folder = main[:-len("data.pkl")]
        with z.open(main) as f:
            return dict(TorchPickle(f, lambda k: z.read(f"{folder}data/{k}")).load())


def read_weights(path):
    return read_pth(path) if str(path).endswith(".pth") else read_safetensors(path)


def read_folder(folder):
    """(config, raw tensors) of a folder with config.json and one weights file."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    found = sorted([*folder.glob("*.safetensors"), *folder.glob("*.pth")])
    if len(found) != 1:
        raise SystemExit(f"{folder}: expected one weights file, found {len(found)}")
    return config, read_weights(found[0])
