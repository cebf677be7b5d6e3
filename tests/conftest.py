"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("desk", deadline=None)  # a slow machine makes no law false
if settings.get_current_profile_name() == "default":  # else CI, or whoever chose one
    settings.load_profile("desk")
