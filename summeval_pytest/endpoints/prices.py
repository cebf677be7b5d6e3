"""What calls cost: of a reply what it did cost, of a request what it can cost at most."""

from __future__ import annotations

import math
import string
from typing import TYPE_CHECKING, Final

from summeval_pytest.endpoints.endpoint import _MILLION, Price

if TYPE_CHECKING:
    from summeval_pytest.endpoints.chat import ChatRequest


_PLAIN: Final = (string.ascii_letters + string.whitespace).encode()
_PER_MESSAGE: Final = 8
_PER_SCHEMA: Final = 64


def cost_at_most(request: ChatRequest, price: Price) -> float:
    """What one call can cost at most, in dollars: a long prompt and a reply of full length."""
    dearest = max(price.input, price.cached_input or 0.0)
    return (tokens_at_most(request) * dearest + request.max_tokens * price.output) / _MILLION


def tokens_at_most(request: ChatRequest) -> int:
    """How many tokens a request's prompt has at most, whatever the model's tokenizer.

    Tokenizers put several letters into one token, and spell the unusual byte by byte: two ASCII
    letters or blanks count as one token, every other byte as one; to each message 8 are added, and
    64 to a schema, which may be sent as text.
    """
    n_tokens = sum(_at_most(text) for text in _texts(request))
    return n_tokens + _PER_MESSAGE * len(request.messages) + _PER_SCHEMA * _n_schemas(request)


def tokens_about(request: ChatRequest) -> int:
    """How many tokens a request's prompt has more or less: one for four characters."""
    n_characters = sum(len(text) for text in _texts(request))
    return math.ceil(n_characters / 4) + _PER_MESSAGE * len(request.messages)


def _texts(request: ChatRequest) -> list[str]:
    schema = request.schema
    texts = [message.content for message in request.messages]
    return texts if schema is None else [*texts, schema.name, schema.text]


def _n_schemas(request: ChatRequest) -> int:
    return 0 if request.schema is None else 1


def _at_most(text: str) -> int:
    data = text.encode("utf-8", "replace")
    n_other = len(data.translate(None, _PLAIN))
    return n_other + math.ceil((len(data) - n_other) / 2)
