"""Requests to the daemon, for the modules and the inventory."""

from __future__ import annotations

import json
import ssl
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode

from ansible.module_utils.basic import AnsibleModule, env_fallback
from ansible.module_utils.urls import open_url

CONNECTION = {
    "url": {"type": "str", "required": True, "fallback": (env_fallback, ["NW_URL"])},
    "token": {"type": "str", "required": True, "no_log": True, "fallback": (env_fallback, ["NW_TOKEN"])},
    "validate_certs": {"type": "bool", "default": True},
    "ca_path": {"type": "path"},
    "timeout": {"type": "int", "default": 60},
}
PAGE = 1000
# Ids in one URL, whose length is limited.
IDS = 100


class Rejected(Exception):
    """The daemon rejected a request, or did not answer. `details` has the status, the code and the errors of its answer."""

    def __init__(self, message, **details):
        super().__init__(message)
        self.details = details


class Daemon:
    """A daemon. Each method raises Rejected."""

    def __init__(self, options):
        self.url = options["url"].rstrip("/")
        self.options = {
            "headers": {"Authorization": f"Bearer {options['token']}", "Content-Type": "application/json"},
            "validate_certs": options["validate_certs"],
            "ca_path": options["ca_path"],
            "timeout": options["timeout"],
            # A redirect would send the token elsewhere.
            "follow_redirects": "none",
        }

    def get(self, *path):
        return self._send("GET", path)[0]

    def post(self, *path, body):
        return self._send("POST", path, body=body)[0]

    def put(self, *path, body):
        return self._send("PUT", path, body=body)[0]

    def patch(self, *path, body):
        return self._send("PATCH", path, body=body)[0]

    def delete(self, *path):
        self._send("DELETE", path)

    def every(self, *path, query=None, limit=None):
        """All records of a list, or the first `limit` of them; and how many there are. `query` has its filters."""
        records, total = [], 1
        while len(records) < (total if limit is None else min(total, limit)):
            top = PAGE if limit is None else min(PAGE, limit - len(records))
            page, headers = self._send("GET", path, query={**(query or {}), "$skip": len(records), "$top": top})
            records += page
            total = int(headers.get("X-Total-Count", len(records))) if page else len(records)
        return records, total

    def by_ids(self, *path, ids, fields):
        """The records of a list with these ids."""
        ids = sorted(set(ids))
        parts = [ids[at : at + IDS] for at in range(0, len(ids), IDS)]
        return [one for part in parts for one in self.every(*path, query={"id": part, "fields": fields})[0]]

    def node(self, name):
        """The node with this name, id or identifier; None: there is none."""
        found = self.every("nodes", query={"name": name})[0]
        if len(found) > 1:
            ids = ", ".join(one["id"] for one in found)
            raise Rejected(f"found {len(found)} nodes with the name {name}; name one of them by its id: {ids}")
        if found:
            return found[0]
        try:
            return self.get("nodes", name)
        except Rejected as error:
            if error.details.get("status") != 404:
                raise
            return None

    def nodes(self, names):
        """The nodes with these names. Raises Rejected for one that does not exist, before anything is changed."""
        found = {name: self.node(name) for name in dict.fromkeys(names)}
        missing = [name for name, node in found.items() if node is None]
        if missing:
            raise Rejected(f"found no node {', '.join(missing)}; expected the name, the id or an identifier of a node")
        return list(found.values())

    def _send(self, method, path, query=None, body=None):
        url = "/".join([self.url, "api/current", *(quote(str(part), safe="") for part in path)])
        search = urlencode({key: _text(value) for key, value in (query or {}).items()})
        data = None if body is None else json.dumps(body)
        try:
            answer = open_url(f"{url}?{search}" if search else url, method=method, data=data, **self.options)
            self._check_sender(answer)
            text = answer.read()
            return json.loads(text) if text else None, answer.headers
        except HTTPError as error:
            self._check_sender(error)
            raise _rejection(error) from None
        except (URLError, HTTPException, ssl.SSLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise Rejected(f"no answer from {self.url}: {reason}; check url, ca_path, and whether the daemon runs") from None
        except ValueError:
            raise Rejected(f"the answer of {self.url} is not JSON; expected a nodewright daemon") from None

    def _check_sender(self, answer):
        """Each answer of a daemon has the id of its request. A proxy may answer anything, also 200."""
        if "X-Request-Id" not in answer.headers:
            found = f"{self.url} answers {answer.code}, and not as a nodewright daemon does"
            raise Rejected(f"{found}; check url, the proxy, and whether the daemon runs", status=answer.code)


def _text(value):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return ",".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _rejection(error):
    """An answer such as { message, code, status, errors }."""
    try:
        body = json.loads(error.read())
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    message = str(body.get("message") or error.reason)
    # The message has the first ones.
    more = [one for one in body.get("errors", []) if one.get("message", "") not in message]
    parts = [message, *(f"{one.get('path', '')}: {one.get('message', '')}" for one in more)]
    if error.code == 401:
        parts.append("check the token")
    code = body.get("code", "")
    details = {"status": error.code, "code": code, "errors": body.get("errors", [])}
    return Rejected(f"{error.code} {code}".strip() + ": " + "; ".join(parts), **details)


def run_module(arguments, act, **more):
    """Runs a module. `act(module, daemon)` returns its result, and may raise Rejected."""
    module = AnsibleModule(argument_spec={**CONNECTION, **arguments}, supports_check_mode=True, **more)
    try:
        result = act(module, Daemon(module.params))
    except Rejected as error:
        module.fail_json(msg=str(error), **error.details)
    module.exit_json(**result)


def given(**values):
    """Without those that are None."""
    return {key: value for key, value in values.items() if value is not None}
