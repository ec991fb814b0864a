#!/usr/bin/python
"""Nodes of the daemon."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node
short_description: Create, change or remove a node
description: A node is known by its name. What is not given stays as it is.
author: nodewright
extends_documentation_fragment: nodewright.nodewright.connection
attributes:
  check_mode:
    support: full
    description: It says what would change.
  diff_mode:
    support: full
    description: It shows the fields that change, without secrets.
options:
  name:
    description: Name of the node. One that exists may also be named by its id or an identifier.
    type: str
    required: true
  state:
    description: Whether the node exists. V(absent) also removes its catalogs, obms and relations; its workflows are kept.
    type: str
    choices: [present, absent]
    default: present
  type:
    description: Such as V(compute) or V(rack). A new node needs it.
    type: str
  identifiers:
    description: MAC addresses or serial numbers, all of them.
    type: list
    elements: str
  tags:
    description: Tags, all of them.
    type: list
    elements: str
  owner:
    description: The team that the node belongs to.
    type: str
  auto_discover:
    description: Whether the node is discovered when it is registered.
    type: bool
  obm:
    description: How its power is controlled.
    type: dict
    suboptions:
      service:
        description: The driver, such as V(redfish-obm-service).
        type: str
        required: true
      config:
        description: Address, user, password, and what else the driver needs.
        type: dict
        required: true
  update_obm:
    description:
      - The daemon does not show passwords. With V(visible), O(obm) is written if something else differs.
      - V(always) writes it each time.
    type: str
    choices: [visible, always]
    default: visible
"""

EXAMPLES = r"""
- name: Add a machine, with its BMC
  nodewright.nodewright.node:
    name: r03s01
    type: compute
    identifiers: ['52:54:00:12:34:56']
    tags: [gpu]
    obm:
      service: redfish-obm-service
      config: {host: 10.0.3.1, user: admin, password: '{{ bmc_password }}'}
"""

RETURN = r"""
node:
  description: Its record; in check mode as it is before the change.
  type: dict
  returned: if it exists
"""

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected, given, run_module

OBM = {
    "service": {"type": "str", "required": True},
    "config": {"type": "dict", "required": True, "no_log": True},
}
ARGUMENTS = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "type": {"type": "str"},
    "identifiers": {"type": "list", "elements": "str"},
    "tags": {"type": "list", "elements": "str"},
    "owner": {"type": "str"},
    "auto_discover": {"type": "bool"},
    "obm": {"type": "dict", "options": OBM},
    "update_obm": {"type": "str", "choices": ["visible", "always"], "default": "visible"},
}
CONCEALED = "REDACTED"


def act(module, daemon):
    wanted = module.params
    node = daemon.node(wanted["name"])
    if wanted["state"] == "absent":
        return _remove(module, daemon, node)
    fields = given(
        type=wanted["type"],
        identifiers=wanted["identifiers"],
        tags=wanted["tags"],
        owner=wanted["owner"],
        autoDiscover=wanted["auto_discover"],
    )
    return _create(module, daemon, fields) if node is None else _change(module, daemon, node, fields)


def _remove(module, daemon, node):
    if node is None:
        return {"changed": False}
    if not module.check_mode:
        daemon.delete("nodes", node["id"])
    return {"changed": True, "node": node}


def _create(module, daemon, fields):
    wanted = module.params
    if "type" not in fields:
        raise Rejected(f"found no node {wanted['name']}; a new node needs a type, such as compute")
    result = {"changed": True, "diff": {"before": {}, "after": {"name": wanted["name"], **fields}}}
    if module.check_mode:
        return result
    obms = [wanted["obm"]] if wanted["obm"] else None
    return {**result, "node": daemon.post("nodes", body={"name": wanted["name"], **fields, **given(obms=obms)})}


def _change(module, daemon, node, fields):
    changes = {name: value for name, value in fields.items() if _plain(node.get(name)) != _plain(value)}
    has_obm = module.params["obm"] is None or _has_obm(module, daemon, node)
    before = {name: node.get(name) for name in changes}
    after = dict(changes)
    if not has_obm:
        # Without its config, which has secrets.
        before["obms"], after["obms"] = [one["service"] for one in node["obms"]], [f"{module.params['obm']['service']}, written"]
    if not module.check_mode:
        if changes:
            daemon.patch("nodes", node["id"], body=changes)
        if not has_obm:
            daemon.put("nodes", node["id"], "obm", body=module.params["obm"])
        if after:
            node = daemon.get("nodes", node["id"])
    return {"changed": bool(after), "node": node, "diff": {"before": before, "after": after}}


def _plain(value):
    """Lists have no order here, and MAC addresses may be written in other ways."""
    if not isinstance(value, list):
        return value
    return sorted({one.lower().replace("-", ":") for one in value})


def _has_obm(module, daemon, node):
    wanted = module.params["obm"]
    found = [one for one in daemon.get("nodes", node["id"], "obm") if one["service"] == wanted["service"]]
    if not found or module.params["update_obm"] == "always":
        return False
    shown = found[0]["config"]
    # A key that is another name of one, such as `username`, is not shown under the given name.
    return all(shown.get(name, CONCEALED) in (CONCEALED, value) for name, value in wanted["config"].items())


def main():
    run_module(ARGUMENTS, act)


if __name__ == "__main__":
    main()
