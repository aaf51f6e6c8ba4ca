"""Makes a checkpoint of a GGUF file with transformers, for the test of real models, or the configurations in this folder.

    pip install torch transformers gguf
    python make.py FILE.gguf FOLDER [DTYPE [SHARD SIZE]]   # such as float16 100MB
    python make.py                                         # the configurations of ../../../transformer/testdata/make.py

transformers forgets that SmolLM2 cuts numbers into digits; the tokenizer.json that it writes gets that back.
"""

import json
import pathlib
import runpy
import sys

import torch
import transformers as tf


def configurations():
    here = pathlib.Path(__file__).parent
    models = runpy.run_path(here.parents[2] / "transformer" / "testdata" / "make.py", run_name="make")["MODELS"]
    for arch, config in models.items():
        config.architectures = [type(tf.AutoModelForCausalLM.from_config(config)).__name__]
        (here / f"{arch}.json").write_text(config.to_json_string())


def checkpoint(file, folder, dtype="float16", shards="50GB"):
    file, folder = pathlib.Path(file), pathlib.Path(folder)
    tf.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
    model = tf.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=getattr(torch, dtype), quantization_config=tf.GgufConfig(dequantize=True))
    del model.hf_quantizer, model.config.quantization_config
    model.save_pretrained(folder, max_shard_size=shards)

    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    if "SmolLM2" in file.name:
        digits = {"type": "Digits", "individual_digits": True}
        tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [digits, tokenizer["pre_tokenizer"]]}
    path.write_text(json.dumps(tokenizer, ensure_ascii=False))


if len(sys.argv) > 1:
    checkpoint(*sys.argv[1:])
else:
    configurations()
