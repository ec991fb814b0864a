"""The nodes of a daemon as hosts."""

from __future__ import annotations

DOCUMENTATION = r"""
name: nodewright
short_description: Nodes of a nodewright daemon
description:
  - Each node is a host, with its record in the variable C(nodewright).
  - C(ansible_host) is the newest address that the daemon has seen the node use.
author: nodewright
extends_documentation_fragment:
  - nodewright.nodewright.connection
  - constructed
  - inventory_cache
options:
  plugin:
    description: V(nodewright.nodewright.nodewright).
    type: str
    required: true
    choices: [nodewright.nodewright.nodewright]
  url:
    description: URL of the daemon, such as V(https://nodewright.example:8443).
    type: str
    required: true
    env: [{name: NW_URL}]
  token:
    description: An API token, or one of a login.
    type: str
    required: true
    env: [{name: NW_TOKEN}]
  filter:
    description: Filters of the list of nodes.
    type: dict
    default: {type: compute}
  hostname:
    description: Which field of the record is the name of the host. Nodes with the same name as an earlier one have the id.
    type: str
    choices: [name, id]
    default: name
  group_by:
    description:
      - Groups such as C(sku_poweredge_r650), C(tag_gpu), C(type_compute), C(health_ok), C(power_on), C(owner_web).
      - V(held) and V(busy) are the groups C(held) and C(busy).
      - V(relations) are groups such as C(enclosed_by_r01), for the parents of a node.
    type: list
    elements: str
    choices: [sku, tag, type, health, power, owner, held, busy, relations]
    default: [sku, tag, health, power, owner, held, busy, relations]
"""

EXAMPLES = r"""
plugin: nodewright.nodewright.nodewright
url: https://nodewright.example:8443
filter:
  type: compute
  tags: gpu
keyed_groups:
  - key: nodewright.vendor
    prefix: vendor
compose:
  serial: nodewright.serial
"""

import re

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible_collections.nodewright.nodewright.plugins.module_utils.daemon import Daemon, Rejected

FIELDS = [
    *["name", "type", "sku", "tags", "identifiers", "relations", "active", "held", "health"],
    *["power", "owner", "vendor", "model", "serial", "bmcAddress"],
]
# Relations to parents; those to children would be a group of each machine.
PARENTS = ["enclosedBy", "poweredBy", "containedBy", "managedBy"]


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    NAME = "nodewright.nodewright.nodewright"

    def verify_file(self, path):
        return super().verify_file(path) and path.endswith(("nodewright.yml", "nodewright.yaml"))

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        # By name, and of equal names the oldest first: Ansible lists groups in the order of their first hosts.
        for node in sorted(self._nodes(self.get_cache_key(path), cache), key=lambda one: one["name"]):
            self._add(node)

    def _nodes(self, key, cache):
        """The nodes of the cache, or of the daemon."""
        enabled = self.get_option("cache")
        if enabled and cache and key in self._cache:
            return self._cache[key]
        nodes = self._read()
        if enabled:
            self._cache[key] = nodes
        return nodes

    def _read(self):
        names = ["url", "token", "validate_certs", "ca_path", "timeout"]
        daemon = Daemon({name: self.get_option(name) for name in names})
        try:
            nodes = daemon.every("nodes", query={**self.get_option("filter"), "fields": FIELDS, "sort": "createdAt"})[0]
            skus = {one["id"]: one["name"] for one in daemon.every("skus", query={"fields": ["name"]})[0]}
            parents = [id for node in nodes for one in _parents(node) for id in one["targets"]]
            names = {one["id"]: one["name"] for one in daemon.by_ids("nodes", ids=parents, fields=["name"])}
            lookups = daemon.every("lookups", query={"fields": ["node", "ipAddress"], "sort": "updatedAt"})[0]
        except Rejected as error:
            raise AnsibleParserError(str(error)) from None
        # The newest one is the last one.
        addresses = {one["node"]: one["ipAddress"] for one in lookups if one.get("ipAddress")}
        return [
            {
                **node,
                "sku": skus.get(node["sku"]),
                "parents": {one["relationType"]: [names.get(id, id) for id in one["targets"]] for one in _parents(node)},
                "address": addresses.get(node["id"]),
            }
            for node in nodes
        ]

    def _add(self, node):
        host = node[self.get_option("hostname")]
        if host in self.inventory.hosts:
            host = node["id"]
        self.inventory.add_host(host)
        self.inventory.set_variable(host, "nodewright", node)
        if node["address"]:
            self.inventory.set_variable(host, "ansible_host", node["address"])
        for name in self._groups(node):
            self.inventory.add_child(self.inventory.add_group(name), host)
        variables = self.inventory.get_host(host).get_vars()
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)

    def _groups(self, node):
        values = {
            "sku": [node["sku"]],
            "tag": node["tags"],
            "type": [node["type"]],
            "health": [node["health"]],
            "power": [(node.get("power") or {}).get("state")],
            "owner": [node.get("owner")],
        }
        wanted = self.get_option("group_by")
        groups = [f"{kind}_{value}" for kind, all in values.items() if kind in wanted for value in all if value]
        groups += ["held"] if "held" in wanted and node["held"] else []
        groups += ["busy"] if "busy" in wanted and node["active"] else []
        if "relations" in wanted:
            groups += [f"{_words(kind)}_{name}" for kind, names in node["parents"].items() for name in names]
        return [re.sub(r"\W+", "_", name).lower() for name in groups]


def _parents(node):
    return [one for one in node["relations"] if one["relationType"] in PARENTS]


def _words(camel):
    return re.sub(r"([A-Z])", r"_\1", camel).lower()
