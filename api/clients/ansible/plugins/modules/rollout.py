#!/usr/bin/python
"""Rollouts of a graph."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rollout
short_description: Run a graph on many nodes, in phases and within limits
description:
  - A rollout is known by its name. One with this name that runs, is paused or has succeeded is not made again; one that was cancelled,
    or has failed targets, is.
  - The targets are frozen when it is made. To run it on nodes that match later, use another name.
  - The states other than V(started) are commands to the newest rollout with this name. One that has had its effect is not sent again.
author: nodewright
extends_documentation_fragment: nodewright.nodewright.connection
attributes:
  check_mode:
    support: full
    description: It returns the plan of the daemon, and warns of each launch that would be rejected now.
options:
  name:
    description: Name of the rollout.
    type: str
    required: true
  state:
    description:
      - V(started) makes it.
      - V(paused) lets no target begin; those that run go on. V(resumed) ends a pause by a user or a gate.
      - V(advanced) begins the phase with the index O(phase), before which it waits.
      - V(cancelled) skips the targets that have not begun.
    type: str
    choices: [started, paused, resumed, advanced, cancelled]
    default: started
  phase:
    description: Index of the phase that V(advanced) begins; the first one is 0.
    type: int
  cancel_running:
    description: V(cancelled) cancels the workflows that run, too.
    type: bool
    default: false
  graph:
    description: Name of the graph; needed to make it.
    type: str
  options:
    description: Options by the label of the task.
    type: dict
    default: {}
  nodes:
    description: Names, ids or identifiers of the targets.
    type: list
    elements: str
  filter:
    description: 'Filters of the list of nodes, such as C({tags: gpu}), which select the targets.'
    type: dict
  sample_percent:
    description: Of the targets, only this percentage.
    type: float
  exclude_rollouts:
    description: Ids of rollouts whose targets are left out.
    type: list
    elements: str
  phases:
    description: They follow each other. Absent, all targets are one phase.
    type: list
    elements: dict
    suboptions:
      size:
        description: A number, a percentage of all targets such as V(10%), or V(rest).
        type: str
        required: true
      advance:
        description: With V(manual), the rollout pauses after the phase.
        type: str
        choices: [auto, manual]
        default: auto
  order_by:
    description: A relation; nodes with the same parent follow each other.
    type: str
  limits:
    description: How many targets run at a time, C(running), and of each parent in a relation, C(per).
    type: dict
    default: {}
  gates:
    description: 'What pauses it, such as C({failures: 2, scope: phase}).'
    type: list
    elements: dict
    default: []
  on_busy:
    description: What happens to a target that is busy.
    type: str
    choices: [wait, skip]
    default: wait
  on_held:
    description: What happens to a target that is held.
    type: str
    choices: [wait, skip]
    default: skip
  window:
    description: Id of the window in which targets begin.
    type: str
  ticket:
    description: Id of the ticket for its targets.
    type: str
  definition:
    description: Whether each target runs the version of the graph at the creation, or the newest one.
    type: str
    choices: [pinned, newest]
    default: pinned
  seed:
    description: The same nodes with the same seed have the same order.
    type: int
  wait:
    description:
      - Whether to wait for its end, or until it pauses after a phase with C(advance=manual).
      - The task fails if targets failed, if it was cancelled, or if a gate or a user paused it.
      - After V(paused) and V(cancelled) there is no wait.
    type: bool
    default: true
  wait_timeout:
    description: Seconds after which the task fails; the rollout continues.
    type: int
    default: 3600
"""

EXAMPLES = r"""
- name: Configure the second rack, one machine first, then three at a time
  nodewright.nodewright.rollout:
    name: BIOS 2.19 on rack 2
    graph: Graph.Bios.Configure
    options: "{{ bios }}"
    filter: {name.prefix: r02s}
    phases: [{size: 1, advance: manual}, {size: rest}]
    limits: {running: 3}
    gates: [{failures: 2}]

- name: Go on with the rest
  nodewright.nodewright.rollout:
    name: BIOS 2.19 on rack 2
    state: advanced
    phase: 1
"""

RETURN = r"""
rollout:
  description: Its record, with C(status), C(reason) of a pause, and C(counts) of targets.
  type: dict
  returned: if there is one
plan:
  description: The targets, the phases, and C(rejections), the launches that would be rejected now.
  type: dict
  returned: in check mode, if it would be made
"""

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected, given, run_module
from ansible_collections.nodewright.nodewright.plugins.module_utils.waiting import wait_until

PHASE = {
    "size": {"type": "str", "required": True},
    "advance": {"type": "str", "choices": ["auto", "manual"], "default": "auto"},
}
ARGUMENTS = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["started", "paused", "resumed", "advanced", "cancelled"], "default": "started"},
    "phase": {"type": "int"},
    "cancel_running": {"type": "bool", "default": False},
    "graph": {"type": "str"},
    "options": {"type": "dict", "default": {}},
    "nodes": {"type": "list", "elements": "str"},
    "filter": {"type": "dict"},
    "sample_percent": {"type": "float"},
    "exclude_rollouts": {"type": "list", "elements": "str"},
    "phases": {"type": "list", "elements": "dict", "options": PHASE},
    "order_by": {"type": "str"},
    "limits": {"type": "dict", "default": {}},
    "gates": {"type": "list", "elements": "dict", "default": []},
    "on_busy": {"type": "str", "choices": ["wait", "skip"], "default": "wait"},
    "on_held": {"type": "str", "choices": ["wait", "skip"], "default": "skip"},
    "window": {"type": "str"},
    "ticket": {"type": "str"},
    "definition": {"type": "str", "choices": ["pinned", "newest"], "default": "pinned"},
    "seed": {"type": "int"},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 3600},
}


def act(module, daemon):
    return _start(module, daemon) if module.params["state"] == "started" else _command(module, daemon)


def _command(module, daemon):
    wanted = module.params
    found = daemon.every("rollouts", query={"name": wanted["name"], "sort": "-createdAt"}, limit=1)[0]
    if not found:
        # Another task of the play may make it.
        if module.check_mode:
            return {"changed": True}
        raise Rejected(f"found no rollout with the name {wanted['name']}; expected one that was made")
    rollout, state = found[0], wanted["state"]
    changed = not _has_effect(rollout, state, wanted["phase"])
    if changed and not module.check_mode:
        command = {"paused": "pause", "resumed": "resume", "advanced": "advance", "cancelled": "cancel"}[state]
        more = {"phase": wanted["phase"]} if state == "advanced" else {}
        if state == "cancelled":
            more = {"cancelRunning": wanted["cancel_running"]}
        daemon.put("rollouts", rollout["id"], "action", body={"command": command, **more})
        rollout = daemon.get("rollouts", rollout["id"])
    if state in ("paused", "cancelled"):
        return {"changed": changed, "rollout": rollout}
    return _ended(module, daemon, rollout, changed)


def _has_effect(rollout, state, phase):
    """Whether the command was sent before, or is too late."""
    if state == "paused":
        return rollout["status"] == "paused"
    if state == "advanced":
        return rollout["phase"] >= phase
    return rollout["status"] not in ("running", "paused") or (state == "resumed" and rollout["status"] == "running")


def _start(module, daemon):
    wanted = module.params
    query = {"name": wanted["name"], "status": ["running", "paused", "succeeded"], "sort": "-createdAt"}
    found = daemon.every("rollouts", query=query, limit=1)[0]
    if found and found[0]["graph"] != wanted["graph"]:
        raise Rejected(f"a rollout with the name {wanted['name']} runs {found[0]['graph']}; give this one another name")
    if not found and module.check_mode:
        return {"changed": True, "plan": _plan(module, daemon)}
    rollout = found[0] if found else daemon.post("rollouts", body=_body(daemon, wanted))
    return _ended(module, daemon, rollout, changed=not found)


def _ended(module, daemon, rollout, changed):
    """The result, after the wait if there is one."""
    wanted = module.params
    if wanted["wait"] and not module.check_mode:
        rollout = _waited(daemon, wanted, rollout["id"], changed)
        reason = _failure(rollout)
        if reason:
            module.fail_json(msg=reason, changed=changed, rollout=rollout)
    return {"changed": changed, "rollout": rollout}


def _plan(module, daemon):
    """The plan, with a warning for each launch that would be rejected now: such a target does not stop the others."""
    plan = daemon.post("rollouts", "plan", body=_body(daemon, module.params))
    for one in plan["rejections"]:
        module.warn(f"would be rejected now: node {one['node']}: {one['code']}: {one['message']}")
    return plan


def _body(daemon, wanted):
    nodes = wanted["nodes"] and [node["id"] for node in daemon.nodes(wanted["nodes"])]
    percent = wanted["sample_percent"]
    targets = given(
        nodes=nodes,
        filter=wanted["filter"],
        sample=None if percent is None else {"percent": percent},
        excludeRollouts=wanted["exclude_rollouts"],
    )
    phases = wanted["phases"] and [{**one, "size": _size(one["size"])} for one in wanted["phases"]]
    same = ["name", "graph", "options", "limits", "gates", "window", "ticket", "definition", "seed"]
    return given(
        targets=targets,
        phases=phases,
        order=None if wanted["order_by"] is None else {"by": wanted["order_by"]},
        onBusy=wanted["on_busy"],
        onHeld=wanted["on_held"],
        **{name: wanted[name] for name in same},
    )


def _size(text):
    return int(text) if text.isdigit() else text


def _pause(rollout):
    return rollout["reason"]["kind"] if rollout["status"] == "paused" else None


def _waited(daemon, wanted, rollout, changed):
    def look():
        found = daemon.get("rollouts", rollout)
        # Closed windows and such reasons end by themselves.
        return None if found["status"] == "running" or _pause(found) == "window" else found

    return wait_until(look, f"the rollout {wanted['name']}", wanted["wait_timeout"], changed=changed, id=rollout)


def _failure(rollout):
    """Why it is no success; None: it is one."""
    if rollout["status"] == "succeeded" or _pause(rollout) in ("phase", "window"):
        return None
    counts = ", ".join(f"{count} {status}" for status, count in rollout["counts"].items() if count)
    pause = _pause(rollout)
    return f"the rollout {rollout['name']} ({rollout['id']}) is {rollout['status']}{f' by {pause}' if pause else ''}: {counts}"


def main():
    run_module(
        ARGUMENTS,
        act,
        mutually_exclusive=[("nodes", "filter")],
        required_if=[
            ("state", "started", ("nodes", "filter"), True),
            ("state", "started", ("graph",)),
            ("state", "advanced", ("phase",)),
        ],
    )


if __name__ == "__main__":
    main()
