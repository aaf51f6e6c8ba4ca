"""Writes golden.bin: what the gguf package's own quantisers and decoders make of some numbers.

    pip install gguf==0.19.0 numpy==2.4.6
    python golden.py golden.bin

The file, little endian: magic "QGLD", version 1, count of records; then for each record the format's number, the
number of values, the number of bytes, 1 where the bytes are the quantised values or 0 where they are random;
the values given (only with 1), the bytes, the values decoded.
"""

import struct
import sys

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf.quants import dequantize, quantize
from gguf.constants import GGML_QUANT_SIZES

rng = np.random.default_rng(7)

# Blocks that quantisers stumble over: zeros, one value, one sign, ties of magnitude, outliers, tiny and huge ones.
x = rng.standard_normal((16, 32)).astype(np.float32)
x[0] = 0
x[1] = 0.75
x[2] = np.abs(x[2])
x[3] = -np.abs(x[3])
x[4, ::2], x[4, 1::2] = 1, -1
x[5, ::2], x[5, 1::2] = -1, 1
x[6, 5] = 50
x[7] *= 1e-6
x[8] *= 1e3
x[9] = np.arange(32) / 8
x[10] = np.round(x[10] * 4) / 4
x[11] *= 1e-9

# Random bytes as blocks of the formats that the package only decodes. Scales are finite halves.
def blocks(kind, n):
    size = GGML_QUANT_SIZES[kind][1]
    b = rng.integers(0, 256, (n, size), dtype=np.uint8)
    scales = {Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208]}[kind]
    for at in scales:
        b[:, at : at + 2] = rng.normal(0, 0.1, (n, 1)).astype(np.float16).view(np.uint8)
    return b


def record(out, kind, given, raw):
    decoded = dequantize(raw, kind).astype("<f4")
    out.write(struct.pack("<4I", kind, decoded.size, raw.size, int(given is not None)))
    if given is not None:
        out.write(given.astype("<f4").tobytes())
    out.write(raw.tobytes() + decoded.tobytes())


simple = [Type.F16, Type.BF16, Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0]
ks = [Type.Q4_K, Type.Q5_K, Type.Q6_K]
with open(sys.argv[1], "wb") as out, np.errstate(all="ignore"):
    out.write(b"QGLD" + struct.pack("<2I", 1, len(simple) + len(ks)))
    for kind in simple:
        record(out, kind, x, quantize(x, kind).view(np.uint8))
    for kind in ks:
        record(out, kind, None, blocks(kind, 2))
