"""Tests a running server with the official openai package.

usage: openai_client.py URL KEY MODEL"""

import math
import sys

import openai

url, key, model = sys.argv[1:]
client = openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0)
messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hello"}]}]
passed = 0


def check(what, ok, got=None):
    global passed
    if not ok:
        sys.exit(f"{what}: got {got!r}")
    passed += 1


def refused(what, kind, ask, code=None):
    try:
        ask()
    except kind as e:
        check(what, code in (None, e.code), e)
        return e
    sys.exit(f"{what}: was not refused")


# Chats, whole and streamed.
whole = client.chat.completions.create(model=model, messages=messages, temperature=0, max_completion_tokens=12, logprobs=True, top_logprobs=3)
choice = whole.choices[0]
check("usage", whole.usage.completion_tokens == 12 == len(choice.logprobs.content), whole.usage)
check("top_logprobs", all(len(c.top_logprobs) == 3 for c in choice.logprobs.content))
check("cached tokens", whole.usage.prompt_tokens_details.cached_tokens == 0, whole.usage)
text, finish, usages = "", None, []
for chunk in client.chat.completions.create(model=model, messages=messages, temperature=0, max_completion_tokens=12, stream=True,
                                            stream_options={"include_usage": True}):
    if chunk.usage:
        usages.append(chunk.usage)
    for c in chunk.choices:
        text += c.delta.content or ""
        finish = c.finish_reason or finish
check("stream", (text, finish) == (choice.message.content, choice.finish_reason), (text, finish))
check("usage of a stream", len(usages) == 1 and usages[0].total_tokens == whole.usage.total_tokens, usages)
check("no usage unasked", all(c.usage is None for c in client.chat.completions.create(model=model, messages=messages, max_tokens=3, stream=True)))
with client.chat.completions.stream(model=model, messages=messages, temperature=0, max_completion_tokens=12) as events:
    joined = "".join(e.delta for e in events if e.type == "content.delta")
    check("the package's own events", joined == choice.message.content, joined)

# Fields that OpenAI does not have go by extra_body; unknown ones are named.
drawn = client.chat.completions.create(model=model, messages=messages, n=3, seed=7, temperature=1.5, max_tokens=8, stop=["zzz"],
                                       logit_bias={"65": -100}, extra_body={"min_p": 0.01, "top_k": 50, "ignore_eos": True})
check("n", len({c.message.content for c in drawn.choices}) == 3 and drawn.usage.completion_tokens == 24, drawn)
raw = client.chat.completions.with_raw_response.create(model=model, messages=messages, max_tokens=1, extra_body={"tempreature": 1})
check("unknown field", raw.headers.get("minillm-ignored-fields") == "tempreature", dict(raw.headers))
check("request id", bool(raw.parse()._request_id), raw.headers)

# Completions: lists, ids, scoring, streams.
two = client.completions.create(model=model, prompt=["one", "two"], max_tokens=4, echo=True, temperature=0)
check("prompts", [c.text[:3] for c in two.choices] == ["one", "two"], two)
ids = client.completions.create(model=model, prompt=list(b"two"), max_tokens=4, echo=True, temperature=0)
check("ids", ids.choices[0].text == two.choices[1].text, ids)
score = client.completions.create(model=model, prompt="one", max_tokens=0, echo=True, logprobs=1)
check("scoring", score.choices[0].logprobs.token_logprobs[0] is None and score.usage.completion_tokens == 0, score)
joined = "".join(c.choices[0].text for c in client.completions.create(model=model, prompt="one", max_tokens=4, echo=True, temperature=0, stream=True))
check("streamed completion", joined == two.choices[0].text, joined)

# Models and embeddings, which the package asks for in base64.
check("models", [m.id for m in client.models.list()] == [model])
check("model", client.models.retrieve(model).id == model)
vectors = client.embeddings.create(model=model, input=["one", "two"]).data
plain = client.embeddings.create(model=model, input="two", encoding_format="float").data[0].embedding
check("embeddings", all(math.isclose(a, b, rel_tol=1e-5) for a, b in zip(vectors[1].embedding, plain)) and len(plain) == len(vectors[0].embedding))
check("length 1", math.isclose(sum(x * x for x in plain), 1, rel_tol=1e-3))

# Errors are the package's own.
wrong = openai.OpenAI(base_url=url + "/v1", api_key="wrong", max_retries=0)
refused("wrong key", openai.AuthenticationError, lambda: wrong.models.list(), "invalid_api_key")
refused("no such model", openai.NotFoundError, lambda: client.chat.completions.create(model="other", messages=messages), "model_not_found")
refused("too long", openai.BadRequestError, lambda: client.completions.create(model=model, prompt="x" * 50000), "context_length_exceeded")
refused("no messages", openai.BadRequestError, lambda: client.chat.completions.create(model=model, messages=[]))
e = refused("tools", openai.BadRequestError, lambda: client.chat.completions.create(
    model=model, messages=messages, tools=[{"type": "function", "function": {"name": "f"}}]))
check("named", e.param == "tools", e)

# Hanging up in the middle leaves the server free for others.
for i, chunk in enumerate(client.chat.completions.create(model=model, messages=messages, stream=True, extra_body={"ignore_eos": True})):
    if i == 3:
        break
check("after hanging up", client.chat.completions.create(model=model, messages=messages, max_tokens=1).usage.completion_tokens == 1)

print(f"openai {openai.__version__}: {passed} passed, 0 failed")
