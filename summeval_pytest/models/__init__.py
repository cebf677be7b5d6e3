"""Talking to an OpenAI-compatible endpoint: requests, replies, retries, limits and prices."""

from __future__ import annotations

from summeval_pytest.models.body import read_body
from summeval_pytest.models.client import Again, Client
from summeval_pytest.models.dialect import Dialect, body, read_dialect
from summeval_pytest.models.endpoint import Endpoint
from summeval_pytest.models.limits import URGENCY, Slots, Urgency
from summeval_pytest.models.pinning import is_exact, is_other_model
from summeval_pytest.models.prices import Price, cost_at_most, tokens_about, tokens_at_most
from summeval_pytest.models.reply import ChatReply, Finish, Usage, read_reply
from summeval_pytest.models.request import ChatRequest, Message, Schema
from summeval_pytest.models.retrying import Backoff
from summeval_pytest.models.sender import Sender

__all__ = [
    "URGENCY",
    "Again",
    "Backoff",
    "ChatReply",
    "ChatRequest",
    "Client",
    "Dialect",
    "Endpoint",
    "Finish",
    "Message",
    "Price",
    "Schema",
    "Sender",
    "Slots",
    "Urgency",
    "Usage",
    "body",
    "cost_at_most",
    "is_exact",
    "is_other_model",
    "read_body",
    "read_dialect",
    "read_reply",
    "tokens_about",
    "tokens_at_most",
]
