#!/usr/bin/python
"""Launches of graphs on nodes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: launch
short_description: Run a graph on nodes, and wait for the ends
description:
  - Every launch is planned first. If the daemon would reject one of them, nothing is launched.
  - With O(id) a launch is made once. Without it, each run of the task launches.
  - For many nodes, with phases and limits, use M(nodewright.nodewright.rollout).
author: nodewright
extends_documentation_fragment: nodewright.nodewright.connection
attributes:
  check_mode:
    support: full
    description: It returns the plans of the daemon, and fails if a launch would be rejected.
options:
  graph:
    description: Name of the graph, such as V(Graph.PowerOff.Node).
    type: str
    required: true
  nodes:
    description: Names, ids or identifiers of the nodes.
    type: list
    elements: str
    required: true
  options:
    description: Options by the label of the task, as the page of the graph has them.
    type: dict
    default: {}
  id:
    description:
      - Names what is to be done, such as V(bios-2.19). The daemon keeps it as the domain of the workflows.
      - A node whose workflow of this graph with this id has succeeded, or is active, gets no other. One that has failed is launched again.
    type: str
  ticket:
    description: Id of the ticket under which the workflows start.
    type: str
  override:
    description: Launches over these holds, with the reason; needs ConfigureManager.
    type: dict
    suboptions:
      holds:
        description: Their ids.
        type: list
        elements: str
        required: true
      reason:
        description: Why, for the audit log.
        type: str
        required: true
  wait:
    description: Whether to wait for the ends. The task fails if one of the workflows does not succeed.
    type: bool
    default: true
  wait_timeout:
    description: Seconds after which the task fails; the workflows continue.
    type: int
    default: 3600
"""

EXAMPLES = r"""
- name: Turn the machine off
  nodewright.nodewright.launch:
    graph: Graph.PowerOff.Node
    nodes: [r01s10]

- name: Install each host of the play, once
  nodewright.nodewright.launch:
    graph: Graph.InstallUbuntu
    nodes: "{{ ansible_play_hosts }}"
    id: ubuntu-24.04
    options:
      install-ubuntu: {version: '24.04', rootPassword: '{{ password }}'}
    wait_timeout: 7200
  run_once: true
  no_log: true
"""

RETURN = r"""
workflows:
  description: Of each node, its workflow.
  type: list
  elements: dict
  returned: not in check mode
  contains:
    node: {description: Name of the node., type: str}
    id: {description: Id of the workflow., type: str}
    status: {description: Such as V(succeeded)., type: str}
    error: {description: Code and message of a failure., type: dict}
plans:
  description: What would be done, by the name of the node.
  type: dict
  returned: in check mode
"""

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected, given, run_module
from ansible_collections.nodewright.nodewright.plugins.module_utils.waiting import wait_until

OVERRIDE = {
    "holds": {"type": "list", "elements": "str", "required": True},
    "reason": {"type": "str", "required": True},
}
ARGUMENTS = {
    "graph": {"type": "str", "required": True},
    "nodes": {"type": "list", "elements": "str", "required": True},
    "options": {"type": "dict", "default": {}},
    "id": {"type": "str"},
    "ticket": {"type": "str"},
    "override": {"type": "dict", "options": OVERRIDE},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 3600},
}
FIELDS = ["node", "status", "error"]


def act(module, daemon):
    wanted = module.params
    names = {node["id"]: node["name"] for node in daemon.nodes(wanted["nodes"])}
    earlier = _earlier(daemon, wanted, names)
    due = [node for node in names if node not in earlier]
    plans = _plans(daemon, wanted, {node: names[node] for node in due})
    if module.check_mode:
        return {"changed": bool(due), "plans": plans}
    ids = list(earlier.values()) + _launch(daemon, wanted, names, due)
    found = _waited(daemon, wanted, ids, changed=bool(due)) if wanted["wait"] else _look(daemon, ids)
    workflows = [{**given(error=one["error"]), "node": names[one["node"]], "id": one["id"], "status": one["status"]} for one in found]
    wrong = [one for one in workflows if wanted["wait"] and one["status"] != "succeeded"]
    if wrong:
        module.fail_json(msg="; ".join(map(_sentence, wrong)), changed=bool(due), workflows=workflows)
    return {"changed": bool(due), "workflows": workflows}


def _body(wanted):
    return given(
        name=wanted["graph"],
        options=wanted["options"],
        domain=wanted["id"],
        ticket=wanted["ticket"],
        override=wanted["override"],
    )


def _earlier(daemon, wanted, names):
    """Ids of workflows that need no other, by node."""
    if wanted["id"] is None:
        return {}
    query = {
        "domain": wanted["id"],
        "injectableName": wanted["graph"],
        "status": ["pending", "running", "succeeded"],
        "fields": FIELDS,
    }
    return {one["node"]: one["id"] for one in daemon.every("workflows", query=query)[0] if one["node"] in names}


def _plans(daemon, wanted, names):
    """Plans by the names of the nodes. Raises Rejected if a launch would be rejected."""
    plans = {name: daemon.post("workflows", "plan", body={**_body(wanted), "nodeId": node}) for node, name in names.items()}
    reasons = [(name, one) for name, plan in plans.items() for one in plan["rejections"]]
    if reasons:
        first = reasons[0][1]
        text = "; ".join(f"{name}: {one['code']}: {one['path']}: {one['message']}" for name, one in reasons)
        raise Rejected(f"nothing was launched: {text}", code=first["code"], plans=plans)
    return plans


def _launch(daemon, wanted, names, due):
    launched = []
    for node in due:
        try:
            launched.append(daemon.post("nodes", node, "workflows", body=_body(wanted))["id"])
        except Rejected as error:
            error.details.update(changed=bool(launched), launched=launched)
            raise Rejected(f"{names[node]}: {error} (launched before: {len(launched)})", **error.details) from None
    return launched


def _look(daemon, ids):
    return daemon.by_ids("workflows", ids=ids, fields=FIELDS)


def _waited(daemon, wanted, ids, changed):
    def look():
        found = _look(daemon, ids)
        return None if any(one["status"] in ("pending", "running") for one in found) else found

    return wait_until(look, wanted["graph"], wanted["wait_timeout"], changed=changed, launched=ids)


def _sentence(workflow):
    error = workflow.get("error") or {}
    reason = f": {error['code']}: {error['message']}" if error else ""
    return f"{workflow['node']}: the workflow {workflow['id']} {workflow['status']}{reason}"


def main():
    run_module(ARGUMENTS, act)


if __name__ == "__main__":
    main()
