"""Check values of GGUF's types: random blocks and what the package `gguf` (0.19.0) makes of them.

Prints the JSON of src/test/resources/gguf-blocks.json: for each type two blocks' bytes and the bits of
their numbers as float32, both in hexadecimal.
"""

import json

import gguf
import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as Type

TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]

random = np.random.default_rng(7)
cases = {}
for name in TYPES:
    kind = Type[name]
    size = GGML_QUANT_SIZES[kind][1]
    while True:
        data = random.integers(0, 256, (1, 2 * size), dtype=np.uint8)
        values = gguf.quants.dequantize(data, kind)
        # A random half or float can be infinite or no number, which no model has.
        if np.isfinite(values).all():
            break
    cases[name] = {
        "bytes": data.tobytes().hex(),
        "bits": values.astype(">f4").tobytes().hex(),
    }
print(json.dumps(cases, indent=1))
