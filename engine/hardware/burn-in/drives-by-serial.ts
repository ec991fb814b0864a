/** Finds drives of a driveId catalog by their serial numbers, for the plan of a launch. Pure. */
import type { ChosenDrive } from '../../define/task.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { objectIn } from '../../vocabulary/json.ts';

export function drivesBySerial(
  serials: readonly string[],
  catalog: unknown,
): { drives: ChosenDrive[]; violations: Violation[] } {
  const entries = typeof catalog === 'object' && catalog !== null ? Object.values(catalog).map(objectIn) : [];
  const violations: Violation[] = [];
  const drives = serials.map((serial, at) => {
    const meant = entries.filter((entry) => entry.serial === serial);
    if (meant.length !== 1) {
      const message = `found ${meant.length} drives with the serial number ${serial} in the latest driveId catalog; expected one`;
      violations.push({ path: `serials.${at}`, message: `${message}; discover the node, or correct the number` });
    }
    const { devName = '', linuxWwid, esxiWwid } = meant[0] ?? {};
    return { devName: String(devName), wwid: String(linuxWwid || esxiWwid || ''), serial };
  });
  return { drives, violations };
}
