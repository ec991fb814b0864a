/** Creates the custom fields of devices that a push writes. Those that are there stay as they are. */
import { cleanText } from './device-records.ts';
import type { NetBox } from './netbox-client.ts';
import { NetBoxError } from './netbox-error.ts';
import { pushedFields } from './push-values.ts';

export interface FieldResult {
  name: string;
  result: 'created' | 'present';
}

/** @throws NetBoxError NETBOX_FIELDS if a field of the name has another type or other objects */
export async function setupFields(netBox: NetBox, prefix: string): Promise<FieldResult[]> {
  const results: FieldResult[] = [];
  for (const { name: end, type, label, description } of pushedFields) {
    const name = prefix + end;
    const [existing] = await netBox.list('extras/custom-fields/', [['name', name]]);
    if (existing === undefined) {
      await netBox.post('extras/custom-fields/', {
        object_types: ['dcim.device'],
        name,
        type,
        label,
        description,
        group_name: 'nodewright',
        // People read them; the next push would replace what a person writes.
        ui_editable: 'no',
        ui_visible: 'if-set',
        filter_logic: 'exact',
      });
      results.push({ name, result: 'created' });
    } else {
      const actual = cleanText((existing.type as { value?: unknown } | undefined)?.value);
      const isOfDevices = Array.isArray(existing.object_types) && existing.object_types.includes('dcim.device');
      if (actual !== type || !isOfDevices)
        throw new NetBoxError(
          'NETBOX_FIELDS',
          `the custom field ${name} has the type ${actual}${isOfDevices ? '' : ' and is not for devices'}, expected ${type} of dcim.device; name others by --prefix`,
        );
      results.push({ name, result: 'present' });
    }
  }
  return results;
}
