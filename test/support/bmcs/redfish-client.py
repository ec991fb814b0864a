"""Uses a machine's BMC with sushy as a conductor does, and prints what it saw as JSON."""
import json
import sys
import time

import sushy
from sushy import auth

url, username, password, images = sys.argv[1:5]
session = auth.SessionAuth(username=username, password=password)
root = sushy.Sushy(url, auth=session)
system = root.get_system_collection().get_members()[0]


def power_is(wanted):
    for _ in range(600):
        system.refresh()
        if system.power_state == wanted:
            return True
        time.sleep(0.1)
    return False


seen = {"before": system.power_state.value}
system.set_system_boot_options(sushy.BOOT_SOURCE_TARGET_PXE, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE)
system.refresh()
seen["boot"] = [system.boot.target.value, system.boot.enabled.value]
system.reset_system(sushy.RESET_ON)
seen["on"] = power_is(sushy.SYSTEM_POWER_STATE_ON)
system.reset_system(sushy.RESET_FORCE_OFF)
seen["off"] = power_is(sushy.SYSTEM_POWER_STATE_OFF)
seen["processors"] = len(system.processors.get_members())
seen["macs"] = sorted(system.ethernet_interfaces.summary)
seen["drives"] = sum(len(each.drives) for each in system.storage.get_members())
name, value = next(iter(system.bios.attributes.items()))
system.bios.set_attribute(name, value)
system.bios.refresh()
seen["pending"] = system.bios.pending_attributes == {name: value}
manager = root.get_manager_collection().get_members()[0]
medium = manager.virtual_media.get_members()[0]
medium.insert_media(images + "/installer.iso")
medium.refresh()
seen["inserted"] = medium.inserted
medium.eject_media()
medium.refresh()
seen["ejected"] = not medium.inserted
update = root.get_update_service()
seen["firmware"] = len(update.firmware_inventory.get_members())
monitor = update.simple_update(images + "/bmc-9.1.bin", targets=[manager.path])
seen["task"] = monitor.get_task().task_state.value
service = root.get_session_service()
seen["sessions"] = [member.username for member in service.sessions.get_members()]
session.close()
print(json.dumps(seen))
