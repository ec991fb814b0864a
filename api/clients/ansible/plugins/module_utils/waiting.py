"""Waits for what the daemon does."""

from __future__ import annotations

import time

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected

PERIOD_S = 1
# The daemon is away, starts, or is busy; what it does continues.
PASSING = (None, 429, 502, 503, 504)


def wait_until(look, what, limit_s, **known):
    """Calls `look` until it returns something.

    Raises Rejected after `limit_s` seconds, while the work continues, and for an answer that will not change. `known` becomes a part of
    the result of the module: it says what has been done.
    """
    until = time.monotonic() + limit_s
    while True:
        reason = ""
        try:
            found = look()
        except Rejected as error:
            if error.details.get("status") not in PASSING:
                raise Rejected(str(error), **{**known, **error.details}) from None
            found, reason = None, f" ({error})"
        if found is not None:
            return found
        if time.monotonic() > until:
            raise Rejected(f"{what} has not ended after {limit_s} s (wait_timeout); it continues{reason}", **known)
        time.sleep(PERIOD_S)
