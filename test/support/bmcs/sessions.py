"""Opens a Redfish session with sushy, reads its resources, ends it, and prints the results as JSON."""
import json
import sys

import requests
import sushy
from sushy import auth

url, username, password = sys.argv[1:4]
session = auth.SessionAuth(username=username, password=password)
root = sushy.Sushy(url, auth=session)
service = root.get_session_service()
members = service.sessions.get_members()
seen = {
    "version": root.redfish_version,
    "timeout": service.session_timeout,
    "users": [member.username for member in members],
    "members": len(members),
}
key = session.get_session_key()
session.close()
after = requests.get(url + "/redfish/v1/SessionService/Sessions", headers={"X-Auth-Token": key}, timeout=10)
print(json.dumps({**seen, "after": after.status_code, "body": after.json()}))
