"""The options of every module and of the inventory."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  url:
    description: URL of the daemon, such as V(https://nodewright.example:8443). By default the variable E(NW_URL).
    type: str
    required: true
  token:
    description: An API token, or one of a login. By default the variable E(NW_TOKEN).
    type: str
    required: true
  validate_certs:
    description: Whether the certificate of the daemon must be valid.
    type: bool
    default: true
  ca_path:
    description: A PEM file with the authority of the certificate, if the system does not trust it.
    type: path
  timeout:
    description: Seconds that the daemon has for an answer.
    type: int
    default: 60
"""
