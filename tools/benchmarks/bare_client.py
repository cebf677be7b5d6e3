"""The openai package and nothing else: what any run through it takes at least on a machine.

python tools/benchmarks/bare_client.py URL N_REQUESTS IN_FLIGHT
"""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

_TEXT: Final = "The wound of the cohort was closed within the week. " * 80
_FORMAT: Final = {
    "type": "json_schema",
    "json_schema": {
        "name": "facet_ratings",
        "strict": True,
        "schema": {"type": "object", "properties": {"result": {"type": "object"}}},
    },
}


async def ask(url: str, n_requests: int, in_flight: int) -> None:
    """Sends so many requests, each of about as many bytes as one of a made suite."""
    slots = asyncio.Semaphore(in_flight)
    transport = DefaultAsyncHttpxClient(trust_env=False)
    async with AsyncOpenAI(
        api_key="none", base_url=url, max_retries=0, http_client=transport
    ) as client:

        async def one(number: int) -> None:
            async with slots:
                raw = await client.chat.completions.with_raw_response.create(
                    model="scripted",
                    messages=[{"role": "user", "content": f"{number} {_TEXT}"}],
                    extra_body={"response_format": _FORMAT},
                )
                assert raw.http_response.text

        await asyncio.gather(*(one(number) for number in range(n_requests)))


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
