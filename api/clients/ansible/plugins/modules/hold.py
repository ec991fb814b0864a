#!/usr/bin/python
"""Holds of nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: hold
short_description: Add or remove a hold of a node
description:
  - A hold says that a node is to be left alone, such as during a repair. By default no workflow starts on the node.
  - A hold is known by its kind and its reason. If the node has it, only O(until) may change.
author: nodewright
extends_documentation_fragment: nodewright.nodewright.connection
attributes:
  check_mode:
    support: full
    description: It says what would change.
options:
  node:
    description: Name, id or identifier of the node.
    type: str
    required: true
  state:
    description: Whether the node has the hold. V(absent) removes all holds with this kind, and with O(reason), if given.
    type: str
    choices: [present, absent]
    default: present
  kind:
    description: What the hold is for.
    type: str
    choices: [maintenance, repair, legal, fault, other]
    required: true
  reason:
    description: In words, for those who find the node held.
    type: str
  until:
    description: When it ends by itself, such as V(2026-12-01T06:00:00Z); absent, it does not.
    type: str
  blocks:
    description: What it stops.
    type: list
    elements: str
    choices: [launch, power, poll, alert]
    default: [launch]
"""

EXAMPLES = r"""
- name: Leave the node to the technician
  nodewright.nodewright.hold:
    node: r01s07
    kind: repair
    reason: fan 3, ticket 4711
"""

RETURN = r"""
holds:
  description: The holds that were found or added, or were removed.
  type: list
  elements: dict
  returned: success
"""

from datetime import datetime

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected, given, run_module

ARGUMENTS = {
    "node": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "kind": {"type": "str", "choices": ["maintenance", "repair", "legal", "fault", "other"], "required": True},
    "reason": {"type": "str"},
    "until": {"type": "str"},
    "blocks": {
        "type": "list",
        "elements": "str",
        "choices": ["launch", "power", "poll", "alert"],
        "default": ["launch"],
    },
}


def act(module, daemon):
    wanted = module.params
    until = _moment(wanted["until"])
    [node] = daemon.nodes([wanted["node"]])
    query = {"kind": wanted["kind"]}
    holds = [hold for hold in daemon.every("nodes", node["id"], "holds", query=query)[0] if wanted["reason"] in (None, hold["reason"])]
    if wanted["state"] == "absent":
        return _remove(module, daemon, node, holds)
    if not holds:
        return _add(module, daemon, node)
    return _change(module, daemon, holds[0], until)


def _remove(module, daemon, node, holds):
    if not module.check_mode:
        for hold in holds:
            daemon.delete("nodes", node["id"], "holds", hold["id"])
    return {"changed": bool(holds), "holds": holds}


def _add(module, daemon, node):
    wanted = module.params
    body = given(**{name: wanted[name] for name in ("kind", "reason", "until", "blocks")})
    hold = body if module.check_mode else daemon.post("nodes", node["id"], "holds", body=body)
    return {"changed": True, "holds": [hold]}


def _change(module, daemon, hold, until):
    wanted = module.params
    if sorted(hold["blocks"]) != sorted(set(wanted["blocks"])):
        raise Rejected(
            f"the node has this hold, and it stops {', '.join(hold['blocks'])}, not {', '.join(wanted['blocks'])}; "
            "this cannot be changed: remove the hold first, or give another reason"
        )
    if until is None or until == _moment(hold["until"]):
        return {"changed": False, "holds": [hold]}
    if not module.check_mode:
        hold = daemon.patch("nodes", hold["node"], "holds", hold["id"], body={"until": wanted["until"]})
    return {"changed": True, "holds": [hold]}


def _moment(text):
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Rejected(f"until is {text}; expected a time with its zone, such as 2026-12-01T06:00:00Z")
    return moment


def main():
    run_module(ARGUMENTS, act, required_if=[("state", "present", ["reason"])])


if __name__ == "__main__":
    main()
