#!/bin/sh
# CUMULUS-AUTOPROVISIONING
<%# For a switch at zero-touch provisioning: EOS, ONIE, FTOS, Cumulus Linux, SONiC. The line above is a condition of Cumulus Linux. -%>
# Runs the agent of nodewright, which asks for commands until the switch restarts.
url='<%- api.base %>/tasks/bootstrap.sh?nodeId=<%- nodeId %>'
key='<%- nodeKey %>'
agent=$(mktemp)
while :; do
  if command -v curl >/dev/null 2>&1; then
    curl -fsS ${key:+-H "x-nodewright-key: $key"} -o "$agent" "$url"
  else
    wget -q ${key:+--header "x-nodewright-key: $key"} -O "$agent" "$url"
  fi && sh "$agent"
  sleep 5
done
