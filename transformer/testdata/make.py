"""Makes tiny random models with transformers and writes them as GGUF files, with the logits that transformers computes.

    pip install torch transformers gguf
    python make.py            # writes <arch>.gguf beside itself

The numbers are those of the seed and of the versions of torch and transformers, so a new run gives other files that
serve as well. Weights are half precision; transformers computes in float32. A file's golden.ids are a text, its
golden.logits the rows of logits of all its tokens.
"""

import pathlib

import gguf
import numpy as np
import torch
import transformers as tf

VOCAB, LENGTH = 96, 40
COMMON = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, max_position_embeddings=128,
    bos_token_id=None, eos_token_id=None, pad_token_id=None, rms_norm_eps=1e-5, attn_implementation="eager",
)
LLAMA3 = dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=32)

MODELS = {
    "llama": tf.LlamaConfig(num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, attention_bias=True,
                            rope_parameters=LLAMA3, tie_word_embeddings=False, **COMMON),
    "qwen2": tf.Qwen2Config(num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                            rope_parameters=dict(rope_type="linear", rope_theta=1e5, factor=4.0),
                            tie_word_embeddings=True, **COMMON),
    "qwen3": tf.Qwen3Config(num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
                            rope_parameters=dict(rope_type="default", rope_theta=1e6),
                            tie_word_embeddings=False, **COMMON),
    "gemma3": tf.Gemma3TextConfig(num_hidden_layers=6, num_attention_heads=2, num_key_value_heads=1, head_dim=16,
                                  sliding_window=16, query_pre_attn_scalar=16, **COMMON),
}

NAMES = {
    "embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}
GEMMA = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
         "post_feedforward_layernorm": "post_ffw_norm"}


def gguf_name(arch, name):
    """The GGUF name of a parameter of transformers."""
    names = NAMES | GEMMA if arch == "gemma3" else NAMES
    base, kind = name.removeprefix("model.").rsplit(".", 1)
    if not base.startswith("layers."):
        return f"{names[base]}.{kind}"
    _, layer, inner = base.split(".", 2)
    return f"blk.{layer}.{names[inner]}.{kind}"


def interleave(x, heads):
    """Permutes the rows of a head so that the halves that RoPE turns together become neighbours."""
    return x.reshape(heads, 2, x.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(x.shape)


def randomize(model):
    """Weights that make attention and norms matter, rounded to what the file holds."""
    for name, p in model.named_parameters():
        if p.dim() == 1:
            centre = 0.0 if "bias" in name or model.config.model_type.startswith("gemma3") else 1.0
            p.data = centre + 0.3 * torch.randn_like(p)
        else:
            gain = 2.0 if "q_proj" in name else 1.0
            p.data = (gain * torch.randn_like(p) / p.shape[1] ** 0.5).half().float()


def metadata(w, arch, c):
    heads = c.num_attention_heads
    w.add_vocab_size(c.vocab_size)
    w.add_context_length(c.max_position_embeddings)
    w.add_embedding_length(c.hidden_size)
    w.add_block_count(c.num_hidden_layers)
    w.add_feed_forward_length(c.intermediate_size)
    w.add_head_count(heads)
    w.add_head_count_kv(c.num_key_value_heads)
    w.add_layer_norm_rms_eps(c.rms_norm_eps)
    head = getattr(c, "head_dim", None) or c.hidden_size // heads
    w.add_key_length(head)
    w.add_value_length(head)
    rope = c.rope_parameters
    rope = rope.get("full_attention", rope)
    w.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] == "linear":
        w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        w.add_rope_scaling_factor(rope["factor"])
    if arch == "gemma3":
        w.add_sliding_window(c.sliding_window)
    return head


def write(path, arch, model, ids, logits):
    c = model.config
    w = gguf.GGUFWriter(path, arch)
    head = metadata(w, arch, c)
    w.add_array("golden.ids", ids.tolist())
    w.add_array("golden.logits", logits.flatten().tolist())
    for name, p in model.state_dict().items():
        x = p.numpy()
        if name == "lm_head.weight" and c.tie_word_embeddings:
            continue
        if arch == "llama" and "q_proj" in name:
            x = interleave(x, c.num_attention_heads)
        if arch == "llama" and "k_proj" in name:
            x = interleave(x, c.num_key_value_heads)
        if arch == "gemma3" and name.endswith("norm.weight"):
            x = x + 1
        w.add_tensor(gguf_name(arch, name), x.astype(np.float16 if x.ndim == 2 else np.float32))
    if c.rope_parameters.get("rope_type") == "llama3":
        plain = c.rope_parameters["rope_theta"] ** -(np.arange(0, head, 2) / head)
        w.add_tensor("rope_freqs.weight", (plain / model.model.rotary_emb.inv_freq.numpy()).astype(np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main():
    torch.manual_seed(1)
    for arch, config in MODELS.items():
        model = tf.AutoModelForCausalLM.from_config(config).eval().float()
        randomize(model)
        ids = torch.randint(VOCAB, (1, LENGTH))
        with torch.no_grad():
            logits = model(ids).logits[0]
        write(pathlib.Path(__file__).parent / f"{arch}.gguf", arch, model, ids[0], logits)
        print(arch, "logits deviate by", float(logits.std()))


if __name__ == "__main__":
    main()
