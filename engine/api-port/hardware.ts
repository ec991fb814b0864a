/** The port of the API to the hardware of a node, as its latest catalogs describe it. */
import { type Static, Type } from 'typebox';
import { orNull, time, words } from './schemas.ts';

const text = orNull(Type.String());
const whole = orNull(Type.Integer({ minimum: 0 }));

const driveKinds = ['hdd', 'ssd', 'nvme'] as const;

const drive = Type.Object({
  name: Type.String({ description: 'Of the device, or of the bay if only the BMC names it' }),
  model: text,
  serial: text,
  bytes: whole,
  kind: orNull(words(driveKinds)),
  wearPercent: orNull(Type.Number({ description: 'Used part of the expected life of an SSD' })),
  failing: orNull(Type.Boolean({ description: 'By its own health check' })),
});

const networkInterface = Type.Object({
  name: Type.String(),
  mac: text,
  firmware: text,
  switch: orNull(Type.String({ description: 'Its neighbor by LLDP' })),
  port: orNull(Type.String({ description: 'Of the switch' })),
});

/** Everything that catalogs may say; null: none of them says it. */
const hardwareFields = {
  vendor: text,
  model: text,
  serial: text,
  bios: orNull(Type.Object({ version: text, date: text })),
  processors: orNull(Type.Object({ model: text, count: whole, cores: whole })),
  memoryBytes: whole,
  bmc: orNull(Type.Object({ address: text, mac: text, firmware: text })),
  drives: Type.Array(drive),
  interfaces: Type.Array(networkInterface),
};

export const hardwareRecord = Type.Object(
  {
    ...hardwareFields,
    /** By source. */
    catalogs: Type.Array(Type.Object({ id: Type.String(), source: Type.String(), createdAt: time })),
  },
  { title: 'Hardware' },
);

const fields = Type.Object(hardwareFields);

export type HardwareFacts = Static<typeof fields>;
export type HardwareRecord = Static<typeof hardwareRecord>;
export type DriveRow = HardwareFacts['drives'][number];
export type InterfaceRow = HardwareFacts['interfaces'][number];

export interface Hardware {
  /** @param node an id */
  of(node: string): Promise<HardwareRecord>;
}
