"""Makes a checkpoint of a GGUF file with transformers, for the test of real models, or the other files in this folder.

    pip install torch transformers gguf
    python make.py FILE.gguf FOLDER [DTYPE [SHARD SIZE]]   # such as float16 100MB
    python make.py                                         # the configurations and pre-tokenizers that others' golden data are of

transformers forgets that SmolLM2 cuts numbers into digits; the tokenizer.json that it writes gets that back.
"""

import json
import pathlib
import sys

import tokenizers
import torch
import transformers as tf


def script(package):
    """What the script of another package's golden data defines."""
    path = pathlib.Path(__file__).resolve().parents[3] / package / "testdata" / "make.py"
    defined = {"__name__": "make"}
    exec(path.read_text(encoding="utf-8"), defined)
    return defined


def configurations():
    here = pathlib.Path(__file__).parent
    for arch, config in script("transformer")["MODELS"].items():
        config.architectures = [type(tf.AutoModelForCausalLM.from_config(config)).__name__]
        (here / f"{arch}.json").write_text(config.to_json_string())


def pretokenizers():
    here = pathlib.Path(__file__).parent
    own = script("tokenizer")
    written = {}
    for name in set(own["PRE"]) - {"falcon", "deepseek-llm"}:  # of architectures that are not known here
        t = tokenizers.Tokenizer(tokenizers.models.BPE())
        t.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(own["PRE"][name] + [own["byte_level"](False)])
        written[name] = json.loads(t.to_str())["pre_tokenizer"]
    (here / "pretokenizers.json").write_text(json.dumps(written, sort_keys=True, indent=1) + "\n")


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
    pretokenizers()
