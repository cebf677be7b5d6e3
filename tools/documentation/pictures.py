"""Makes the documentation's pictures: a run's page, and its annotations as a pull request has them.

`python -m tools.documentation.pictures`; needs Chromium and the extra `test`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from html import escape
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote

from PIL import Image

from tests.chromium import prefer, resize, window
from tests.processes import run_command

ROOT: Final = Path(__file__).parents[2]
PICTURES: Final = ROOT / "docs/pages/pictures"
_COLOURS: Final = 128
_ANNOTATION: Final = re.compile(r"^::error file=(.*?),line=(\d+),title=(.*?)::(.*)$", re.MULTILINE)
_SHOWN: Final = ("soil-02", "glacier-01")
"""The papers whose lines the pull request shows."""
_PULL_REQUEST: Final = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 24px; font: 14px/1.5 "DejaVu Sans", sans-serif; color: #1f2328; }
.note { color: #59636e; margin: 0 0 12px; }
.check, .file { border: 1px solid #d1d9e0; border-radius: 6px; margin-bottom: 16px; }
.check { padding: 12px 16px; } .check b { color: #d1242f; }
.name { background: #f6f8fa; padding: 8px 16px; font: 12px "DejaVu Sans Mono", monospace;
  border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; }
.line { display: flex; font: 12px/20px "DejaVu Sans Mono", monospace; background: #dafbe1; }
.line span { flex: 0 0 48px; text-align: right; padding-right: 12px; background: #aceebb; }
.line code { padding: 0 12px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.box { margin: 8px 16px 16px 60px; border: 1px solid #ff818266; border-left: 4px solid #d1242f;
  border-radius: 6px; padding: 8px 12px; }
.box small { color: #59636e; } .box p { margin: 4px 0; white-space: pre-wrap; font-size: 13px; }
</style>"""


def run(folder: Path, *arguments: str) -> str:
    """What pytest prints of two systems of `golden/`, gated as GitHub Actions would."""
    message = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(folder / "step.md")}
    gate = (sys.executable, "-m", "pytest", "golden", "-o", f"cache_dir={folder}")
    return run_command(*gate, *arguments, cwd=ROOT, env=os.environ | message, code=1).stdout


def _pull_request(printed: str) -> Iterator[str]:
    """A page with a file's added lines, and below them the annotations as they were printed."""
    notes = [
        (file, int(line), title, message)
        for file, line, title, message in _ANNOTATION.findall(printed)
        if title.endswith(_SHOWN)
    ]
    yield _PULL_REQUEST
    yield "<p class=note>A rendering of the annotations that a run writes for GitHub</p>"
    yield "<div class=check><b>&#10007; summ-gate / replay</b> failing</div>"
    file = notes[0][0]
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    yield f"<div class=file><div class=name>{escape(file)}</div>"
    for _, line, title, message in sorted(notes):
        text = escape(lines[line - 1])
        yield f"<div class=line><span>{line}</span><code>+ {text}</code></div>"
        yield f"<div class=box><small>Check failure on line {line}</small>"
        yield f"<p><b>{escape(unquote(title))}</b><p>{escape(unquote(message))}</div>"
    yield "</div>"


def keep(driver: Any, name: str) -> None:
    """Writes what the window shows, in few colours."""
    image = Image.open(BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    image.quantize(_COLOURS).save(PICTURES / f"{name}.png", optimize=True)


def main() -> None:
    """Writes all pictures anew."""
    with TemporaryDirectory() as kept:
        folder = Path(kept)
        page = folder / "page.html"
        printed = run(folder, "--summ-model=careful,careless", f"--summ-html={page}")
        request = folder / "request.html"
        request.write_text("\n".join(_pull_request(printed)), encoding="utf-8")
        with window(folder / "profile", "--hide-scrollbars") as driver:
            for scheme, name in (("light", "page"), ("dark", "page-dark")):
                prefer(driver, scheme)
                resize(driver, 1180, 2050)
                driver.get("about:blank")
                driver.get(page.as_uri())
                keep(driver, name)
            prefer(driver, "light")
            driver.get(request.as_uri())
            resize(driver, 1000, driver.execute_script("return document.body.scrollHeight"))
            keep(driver, "pull-request")


if __name__ == "__main__":
    main()
