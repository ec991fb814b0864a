"""Waits for what the daemon does."""

from __future__ import annotations

import time

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected

PERIOD_S = 1


def wait_until(look, what, limit_s):
    """Calls `look` until it returns something. Raises Rejected after `limit_s` seconds; the work continues."""
    until = time.monotonic() + limit_s
    while True:
        found = look()
        if found is not None:
            return found
        if time.monotonic() > until:
            raise Rejected(f"{what} has not ended after {limit_s} s (wait_timeout); it continues")
        time.sleep(PERIOD_S)
