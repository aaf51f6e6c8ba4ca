"""Writes golden.safetensors with the reference implementation.

    pip install safetensors==0.8.0 numpy==2.4.6
    python golden.py golden.safetensors
"""

import sys

import numpy as np
from safetensors.numpy import save_file

save_file(
    {
        "matrix": np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
        "half": np.array([0.5, -2, 65504], np.float16),
        "empty": np.zeros((0, 3), np.float32),
        "one": np.array(1.5, np.float32),
        "ids": np.array([1, -1], np.int64),
        "größe \"x\"": np.array([7], np.uint8),
    },
    sys.argv[1],
    {"format": "np", "version": "1"},
)
