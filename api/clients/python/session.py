"""What each program needs beside the generated operations: a connection, whole lists, and the end of a workflow."""

import os
import ssl
import time
from collections.abc import Generator, Iterator
from types import ModuleType
from typing import Any, cast

import httpx

from .api.workflows import get_workflow
from .client import AuthenticatedClient
from .errors import ApiError
from .models import Workflow

PAGE = 1000
# The daemon is away, starts, or is busy; its workflows continue.
PASSING = (429, 502, 503, 504)


def connect(url: str | None = None, token: str | None = None, *, ca: str | None = None, timeout_s: float = 60) -> AuthenticatedClient:
    """A client whose operations raise ApiError for each answer that is no success.

    Args:
        url: of the daemon; by default the variable NW_URL
        token: of a user or a program; by default the variable NW_TOKEN
        ca: a PEM file with the authority of the daemon's certificate, if the system does not trust it
        timeout_s: the longest wait for a connection and for each part of an answer

    Raises:
        ValueError: there is no URL or no token
    """
    return AuthenticatedClient(
        base_url=_given(url, "url", "NW_URL").rstrip("/"),
        token=_given(token, "token", "NW_TOKEN"),
        verify_ssl=ssl.create_default_context(cafile=ca),
        timeout=httpx.Timeout(timeout_s),
        raise_on_unexpected_status=True,
        httpx_args={"event_hooks": {"response": [_check_sender]}},
    )


class _Checked:
    """The asynchronous client awaits what a hook returns, and the other one ignores it."""

    def __await__(self) -> Generator[None, None, None]:
        yield from ()


def _check_sender(response: httpx.Response) -> _Checked:
    """Each answer of a daemon has the id of its request. A proxy may answer anything, also 200."""
    if "x-request-id" not in response.headers:
        url = f"{response.url.scheme}://{response.url.netloc.decode()}"
        found = f"{url} answers {response.status_code}, and not as a nodewright daemon does"
        raise ApiError(response.status_code, f"{found}; check the url, the proxy, and whether the daemon runs".encode())
    return _Checked()


def _given(value: str | None, name: str, variable: str) -> str:
    found = value or os.environ.get(variable)
    if not found:
        raise ValueError(f"found no {name}; give connect() one, or set {variable}")
    return found


def every(operation: ModuleType, *parts: str, client: AuthenticatedClient, **filters: Any) -> Iterator[Any]:
    """All records of a list, page by page.

    Args:
        operation: a module such as nodewright.api.nodes.list_nodes
        parts: of its path, such as the id of a node
        filters: of the list, such as tags="gpu"
    """
    skip, total = 0, 1
    while skip < total:
        page = operation.sync_detailed(*parts, client=client, skip=skip, top=PAGE, **filters)
        yield from page.parsed
        skip += len(page.parsed)
        total = int(page.headers["x-total-count"]) if page.parsed else 0


def ended(workflow: str, *, client: AuthenticatedClient, limit_s: float = 3600) -> Workflow:
    """Waits for the end of a workflow, also while the daemon restarts.

    Returns:
        its record, whose status is succeeded, failed or cancelled

    Raises:
        TimeoutError: it has not ended; it continues
    """
    until = time.monotonic() + limit_s
    while True:
        try:
            # An answer without a record raises ApiError.
            record = cast(Workflow, get_workflow.sync(workflow, client=client))
            if record.status in ("succeeded", "failed", "cancelled"):
                return record
            state = record.status
        except (httpx.TransportError, ApiError) as error:
            if isinstance(error, ApiError) and error.status not in PASSING:
                raise
            state = f"unknown ({error})"
        if time.monotonic() > until:
            raise TimeoutError(f"the workflow {workflow} is {state} after {limit_s:g} s; it continues")
        time.sleep(1)
