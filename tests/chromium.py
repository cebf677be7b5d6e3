"""Headless Chromium: for the page in tests, the documentation's pictures and its site."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

CHROMIUM: Final = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER: Final = shutil.which("chromedriver")
IS_THERE: Final = bool(CHROMIUM and DRIVER and find_spec("selenium"))
_QUIET: Final = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip


@contextmanager
def window(profile: Path, *arguments: str) -> Iterator[Any]:
    """A window that reaches this machine and no other, with more arguments of the program."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in (*_QUIET, *arguments, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def resize(driver: Any, width: int, height: int) -> None:
    """Gives the page so many pixels."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(driver: Any, scheme: str) -> None:
    """Prefers light or dark."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [feature]})
