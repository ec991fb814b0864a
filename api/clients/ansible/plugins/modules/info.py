#!/usr/bin/python
"""Lists of the daemon."""

from __future__ import annotations

DOCUMENTATION = r"""
module: info
short_description: List nodes, workflows, rollouts or holds
description: Lists records of a daemon. It changes nothing.
author: nodewright
extends_documentation_fragment: nodewright.nodewright.connection
attributes:
  check_mode:
    support: full
    description: It reads.
options:
  kind:
    description: What to list.
    type: str
    choices: [nodes, workflows, rollouts, holds]
    required: true
  filter:
    description: 'Filters of the list, such as C({tags: gpu, busy: false}). A list of values means any of them.'
    type: dict
    default: {}
  sort:
    description: A field of the records; with V(-) in front, the other way round.
    type: str
  limit:
    description: How many records at most; absent, all.
    type: int
"""

EXAMPLES = r"""
- name: List what failed today
  nodewright.nodewright.info:
    kind: workflows
    filter: {status: failed, createdAt.gte: 2026-11-28}
    limit: 20
  register: failed
"""

RETURN = r"""
records:
  description: The records, as the HTTP interface has them.
  type: list
  elements: dict
  returned: success
total:
  description: How many match the filter.
  type: int
  returned: success
"""

from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Rejected, given, run_module

ARGUMENTS = {
    "kind": {"type": "str", "choices": ["nodes", "workflows", "rollouts", "holds"], "required": True},
    "filter": {"type": "dict", "default": {}},
    "sort": {"type": "str"},
    "limit": {"type": "int"},
}


def act(module, daemon):
    wanted = module.params
    if wanted["limit"] is not None and wanted["limit"] < 1:
        raise Rejected(f"limit is {wanted['limit']}; expected a number from 1, or no limit")
    query = {**wanted["filter"], **given(sort=wanted["sort"])}
    records, total = daemon.every(wanted["kind"], query=query, limit=wanted["limit"])
    return {"changed": False, "records": records, "total": total}


def main():
    run_module(ARGUMENTS, act)


if __name__ == "__main__":
    main()
