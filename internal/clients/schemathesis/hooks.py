"""What a schema cannot say of a request, for schemathesis.

Requests that only these rules make wrong are left out, and answers are kept
short, so that many are tried in little time."""

import schemathesis


def number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


@schemathesis.hook
def filter_body(context, body):
    if not isinstance(body, dict):
        return True
    best, n = body.get("best_of"), body.get("n")
    if number(best) and (best < (n if number(n) else 1) or body.get("stream") and best != n):
        return False  # at least n; as many as n in a stream
    return True


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    for name, most in (("max_tokens", 8), ("max_completion_tokens", 8), ("max_new_tokens", 8), ("n", 3), ("best_of", 3)):
        if number(body.get(name)) and most < body[name] <= 128:
            body[name] = most
    if context.operation.path.startswith("/v1/") and body.get("max_completion_tokens") is None:
        body.setdefault("max_tokens", 8)
    return body
