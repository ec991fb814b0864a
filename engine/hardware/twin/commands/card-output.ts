/** The output of the collectors of a machine's cards: its neighbors, the firmware of its interfaces, its PCI devices. */
import type { Machine } from '../machine/twin-machine.ts';
import { nicName } from './system-output.ts';

const linesOf = (values: readonly (readonly [path: string, value: string])[]): string =>
  values.map(([path, value]) => `${path}=${value}\n`).join('');

/** Each rack has a switch, and each of its machines has as many ports of it as interfaces. */
export const lldpLines = ({ facts }: Machine): string =>
  linesOf(
    facts.macs.flatMap((_, n) => [
      [`${nicName(n)}.via`, 'LLDP'],
      [`${nicName(n)}.chassis.name`, `${facts.rack}-switch`],
      [`${nicName(n)}.port.ifname`, `Ethernet${facts.name.slice(facts.rack.length + 1)}/${n + 1}`],
    ]),
  );

const slotOf = (n: number): string => `0000:${(16 + n).toString(16)}:00.0`;

export const ethtoolLines = ({ facts }: Machine): string =>
  linesOf(
    facts.model.nics.flatMap(({ driver, firmware }, n) => [
      [`${nicName(n)}.driver`, driver],
      [`${nicName(n)}.firmware-version`, firmware],
      [`${nicName(n)}.bus-info`, slotOf(n)],
      [`${nicName(n)}.mac`, facts.macs[n] ?? ''],
    ]),
  );

export const pciLines = ({ facts }: Machine): string =>
  linesOf(
    facts.model.nics.flatMap(({ model }, n) => [
      [`${n}.Slot`, slotOf(n).slice(5)],
      [`${n}.Class`, 'Ethernet controller [0200]'],
      [`${n}.Device`, model],
    ]),
  );

export const gpuLines = 'devices:=[]\n';

/** As ipmitool lists entries; an empty log is an empty list. */
export const logLines = ({ state }: Machine): string =>
  state.bmc.log.length === 0
    ? '=\n'
    : linesOf(
        state.bmc.log.flatMap(({ id, at, message }) => {
          const [date = '', time = ''] = new Date(at).toISOString().split(/[T.]/);
          const number = Number(id).toString(16);
          return [date, time, 'System Event', message, 'Asserted'].map((text, n) => [`${number}.${n}`, text] as const);
        }),
      );
