"""Compares the model file with what transformers, and llama.cpp, make of it, and writes golden values for the tests.

    python check.py [--llama FOLDER]

Run it in the folder of the module; FOLDER has llama-server and llama-quantize, which makes a float32 file of the
weights, because llama-server rounds what it multiplies 8-bit weights with. transformers computes in float32 with the weights of the file, which it
decodes itself. Ids come from `minillm tokenize`; llama-server's own must be the same.
"""
import argparse
import json
import subprocess
import tempfile
import time
import urllib.request

import torch
from transformers import AutoModelForCausalLM

FILE, GOLDEN, END = "tinymodel/tiny.gguf", "tinymodel/testdata/golden.json", (0, 2)

RAW = ["Once upon a time", "There once was a little owl named Pip who lived", "One rainy day, Tom and Mia"]
CHATS = ["Hello!", "Who are you?", "What is the capital of France?", "What is 2+3?", "What does a cow say?",
         "What is gravity?", "Once upon a time", "Tell me a story about a fox.",
         "Tom has a red ball. Anna lives on a farm. Who has the ball?", "How does a compiler work?"]


def chat(text):
    return f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"


def encode(text):
    out = subprocess.run(["go", "run", "./cmd/minillm", "tokenize", "--model", FILE, "--special", text],
                         check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def golden(model, text, is_chat):
    ids = encode(chat(text) if is_chat else text)
    greedy, margins, first = [], [], None
    with torch.no_grad():
        while len(greedy) < 200 and not (greedy and greedy[-1] in END):
            logits = model(torch.tensor([ids + greedy])).logits[0, -1].float()
            first = logits if first is None else first
            top = logits.topk(2)
            greedy.append(int(top.indices[0]))
            margins.append(round(float(top.values[0] - top.values[1]), 4))
    best = first.topk(16)
    return {"text": text, "chat": is_chat, "ids": ids, "logsumexp": float(first.logsumexp(0)),
            "top": [[int(i), float(x)] for x, i in zip(best.values, best.indices)], "greedy": greedy, "margins": margins}


def post(port, path, body):
    r = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(r))


def against_llama(folder, all, file):
    port = 18099
    p = subprocess.Popen([f"{folder}/llama-server", "-m", file, "--port", str(port), "-t", "1", "-c", "2048", "-fa", "off", "-ctk", "f32", "-ctv", "f32"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health")
                break
            except OSError:
                time.sleep(0.2)
        worst, ids_equal, greedy_equal = 0.0, 0, 0
        for g in all:
            text = chat(g["text"]) if g["chat"] else g["text"]
            got = post(port, "/tokenize", {"content": text, "parse_special": True})["tokens"]
            ids_equal += got == g["ids"]
            r = post(port, "/completion", {"prompt": g["ids"], "n_predict": len(g["greedy"]), "temperature": 0, "n_probs": 8,
                                           "return_tokens": True, "cache_prompt": False})
            tokens = r["tokens"] + ([] if len(r["tokens"]) == len(g["greedy"]) else [g["greedy"][-1]])
            greedy_equal += tokens == g["greedy"]
            want = {i: x - g["logsumexp"] for i, x in g["top"]}
            for t in r["completion_probabilities"][0]["top_logprobs"]:
                if t["id"] in want and want[t["id"]] > -8:
                    worst = max(worst, abs(t["logprob"] - want[t["id"]]))
        print(f"llama.cpp with {file}: ids equal in {ids_equal} of {len(all)}, greedy ids in {greedy_equal}, log-probabilities within {worst:.4f}")
    finally:
        p.kill()
        p.wait()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--llama", metavar="FOLDER")
    a = a.parse_args()
    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained("tinymodel", gguf_file="tiny.gguf", dtype=torch.float32).eval()
    all = [golden(model, t, False) for t in RAW] + [golden(model, t, True) for t in CHATS]
    with open(GOLDEN, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(g) for g in all) + "\n]\n")
    if a.llama:
        with tempfile.TemporaryDirectory() as d:
            exact = f"{d}/f32.gguf"
            subprocess.run([f"{a.llama}/llama-quantize", "--allow-requantize", FILE, exact, "F32"], check=True, capture_output=True)
            against_llama(a.llama, all, exact)
        against_llama(a.llama, all, FILE)


if __name__ == "__main__":
    main()
