"""Makes the golden data of this folder with Hugging Face's tokenizers.

    pip install tokenizers==0.23.3 gguf==0.19.0
    python make.py [folder with ggml-vocab-*.gguf]

splits.json  how each pre-tokenizer cuts texts: the lengths of the pieces in bytes
ids.json     FNV-1a hashes of the ids of the same texts and of story.txt, for the vocabularies of the folder
merges.txt   the merges that BpeTrainer learns from story.txt
"""

import json
import os
import random
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

FOLD = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
CASED = (r"[^\r\n\p{L}\p{N}]?U*L+C|[^\r\n\p{L}\p{N}]?U+L*C|\p{N}D| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
         .replace("U", UPPER).replace("L*", LOWER + "*").replace("L+", LOWER + "+"))
DS3 = (r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"""
       r"""|\s*[\r\n]+|\s+(?!\S)|\s+""")
CASED_LETTERS = (
    "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\u1f7dᾀ-ᾴᾶ-ᾼ"
    "\u1fbeῂ-ῄῆ-ῌῐ-\u1fd3ῖ-\u1fdbῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212a-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ"
    "𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃")
EAST_ASIAN = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def byte_level(pattern):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern)


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
WORDS = FOLD + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS_MARKS = (FOLD + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

# The pre-tokenizers as the makers' tokenizer.json have them, without the byte-level spelling.
PRE = {
    "gpt-2": [split(GPT2)],
    "smollm": [pre_tokenizers.Digits(True), split(GPT2)],
    "falcon": [pre_tokenizers.Punctuation("contiguous"), split(GPT2), split("[0-9][0-9][0-9]")],
    "llama-bpe": [split(WORDS % "{1,3}")],
    "qwen2": [split(WORDS % "")],
    "qwen35": [split(WORDS_MARKS)],
    "gpt-4o": [split(CASED.replace("C", FOLD + "?").replace("D", "{1,3}"))],
    "tekken": [split(CASED.replace("C", "").replace("D", ""))],
    "deepseek-coder": [split("[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), split(EAST_ASIAN), pre_tokenizers.Digits(True)],
    "deepseek-llm": [split("[\r\n]"), split(r"\s?[" + CASED_LETTERS + "]+"), split("\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+"),
                     split(r"\s+$"), split(EAST_ASIAN), pre_tokenizers.Digits(False)],
    "deepseek-v3": [split(r"\p{N}{1,3}"), split("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"), split(DS3)],
}
SAME = {"mpt": "gpt-2", "starcoder": "smollm", "refact": "smollm", "command-r": "smollm"}

FRAGMENTS = (
    ["the", "Hello", "WORLD", "camelCase", "HTTPServer", "naïve", "Äpfel", "déjà", "été", "ſtrange", "ﬁn", "ǅ", "ªB", "ʰa"],
    ["слово", "ПРИВЕТ", "Ελλάδα", "ﷺ", "שלום", "مرحبا", "हिन्दी", "কান", "ไทย", "កាន់", "日本語", "カナ", "한국어", "ქართული", "አማርኛ"],
    ["'s", "'S", "'ll", "'LL", "'Ve", "'d", "'x", "''", "'", "I'm", "they're", "can't"],
    ["0", "7", "42", "123", "1234", "1234567", "½", "Ⅷ", "٣", "९९", "3.14", "1,000"],
    [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n", "\n ", "\u00a0", "\u3000", "\u2009", "\u0085", "\v", "\f"],
    [".", ",", "!", "?!", "...", "(", ")]", "{}", "/", "//", "\\", "_", "__init__", "-", "—", "“", "”", "。", "、", "！", "～"],
    ["+", "=", "<=", "$5", "€", "™", "^", "~", "`", "|", "<|im_end|>", "<s>", "#include", "@x", "&amp;"],
    ["🙂", "👩\u200d👩\u200d👧", "✅", "🇩🇪", "e\u0301", "\u0301", "\u0301A", "\u0301A ", "\u200b", "\ufeff", "\ufffd", "\x00", "\x01\x02", "\x7f", "𝔘𝔫", "𐐀𐐨"],
)


def texts():
    rng = random.Random(1)
    out = ["", " ", "a", "'", "\n", "Hello, world! I'm here; they'll've 1234567 apples…\n\n  Indented\tline  \r\n end "]
    for _ in range(160):
        out.append("".join(rng.choice(rng.choice(FRAGMENTS)) for _ in range(rng.randint(1, 14))))
    return out


def story():
    rng = random.Random(2)
    who = ["Mia", "Tom", "the old miller", "a small fox", "grandmother", "the captain", "her brother", "an owl"]
    did = ["found", "painted", "carried", "forgot", "repaired", "borrowed", "whispered about", "laughed at"]
    what = ["a red kite", "the broken clock", "three yellow apples", "the longest letter", "an empty boat",
            "the lighthouse", "a song without words", "twenty-four candles"]
    when = ["In the morning", "When it rained", "After supper", "One winter's night", "Long ago", "At 7:30"]
    end = [".", ", and nobody was surprised.", "!", " again.", "; it wasn't easy.", " before the snow came."]
    lines = []
    for i in range(60):
        line = f"{rng.choice(when)} {rng.choice(who)} {rng.choice(did)} {rng.choice(what)}{rng.choice(end)}"
        lines.append(line + ("\n\n" if i % 5 == 4 else " "))
    syllables = ["ka", "ro", "min", "te", "lu", "sha", "ven", "or", "gi", "pel", "na", "th", "é", "ß", "ий", "本"]
    names = ["".join(rng.choice(syllables) for _ in range(rng.randint(1, 4))) for _ in range(400)]
    for i in range(700):
        name = names[min(rng.randrange(400), rng.randrange(400), rng.randrange(400))]
        lines.append(name + (".\n" if i % 9 == 8 else " "))
    return "".join(lines)


def hash_ids(ids):
    h = 0xCBF29CE484222325
    for i in ids:
        for b in i.to_bytes(4, "little"):
            h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def lengths(pre, text):
    return [len(piece.encode()) for piece, _ in pre.pre_tokenize_str(text) if piece]


def tokenizer(path):
    import gguf

    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    types = fields["tokenizer.ggml.token_type"].contents()
    merges = [(m[: m.index(" ", 1)], m[m.index(" ", 1) + 1:]) for m in fields["tokenizer.ggml.merges"].contents()]
    vocab = {}
    for i, t in enumerate(tokens):
        vocab.setdefault(t, i)
    if fields["tokenizer.ggml.model"].contents() == "gemma4":
        t = Tokenizer(models.BPE(vocab=vocab, merges=merges, byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
        t.normalizer = normalizers.Replace(" ", "▁")
    else:
        pre = fields["tokenizer.ggml.pre"].contents()
        t = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=pre == "llama-bpe"))
        t.pre_tokenizer = pre_tokenizers.Sequence(PRE[SAME.get(pre, pre)] + [byte_level(False)])
    t.add_tokens([AddedToken(s, normalized=False) for s, k in zip(tokens, types) if k == 4 and not s.startswith("[PAD")])
    return t


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    cases, prose = texts(), story()

    def write(name, text):
        with open(os.path.join(here, name), "w", encoding="utf-8", newline="") as f:
            f.write(text)

    pres = {name: pre_tokenizers.Sequence(p) for name, p in PRE.items()}
    rows = [{"text": t, "pieces": {name: lengths(p, t) for name, p in pres.items()}} for t in cases]
    write("splits.json", "[\n" + ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows) + "\n]\n")
    write("story.txt", prose)

    if len(sys.argv) > 1:
        hashes = {}
        for name in ["gpt-2", "falcon", "qwen2", "qwen35", "llama-bpe", "starcoder", "command-r", "mpt", "gemma-4"]:
            t = tokenizer(os.path.join(sys.argv[1], f"ggml-vocab-{name}.gguf"))
            hashes[name] = [hash_ids(t.encode(s, add_special_tokens=False).ids) for s in cases + [prose]]
        write("ids.json", "{\n" + ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in hashes.items()) + "\n}\n")

    t = Tokenizer(models.BPE())
    t.pre_tokenizer = byte_level(True)
    t.train_from_iterator([prose], trainers.BpeTrainer(
        vocab_size=1000, special_tokens=["<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(t.to_str())["model"]
    vocab = sorted(model["vocab"], key=model["vocab"].get)
    write("merges.txt", "\n".join(" ".join(m) for m in model["merges"]) + "\n")
    write("vocab.txt", "\n".join(vocab) + "\n")


if __name__ == "__main__":
    main()
