/**
 * Models of servers: facts that do not change, from which the Redfish tree and the output of commands are made. The models that
 * ship are in `models/`; their facts are from public specifications.
 */
import { type Static, Type } from 'typebox';
import { switchVendors } from '../../../vocabulary/switch-vendors.ts';
import type { RecordedTree } from './recorded-tree.ts';

const name = Type.String({ minLength: 1, maxLength: 128 });
/** A segment of a path. */
const id = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' });
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const attribute = Type.Union([Type.String({ maxLength: 256 }), Type.Integer(), Type.Boolean()]);

const closed = { additionalProperties: false } as const;
const oneOf = <const T extends readonly string[]>(...names: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...names] });

const drive = Type.Object(
  {
    name: Type.String({ pattern: '^(sd[a-z]|nvme\\d+n1)$', description: 'As the kernel names it.' }),
    kind: oneOf('nvme', 'sas', 'sata'),
    isRotational: Type.Boolean(),
    model: name,
    vendor: name,
    firmware: name,
    bytes: Type.Integer({ minimum: 1 }),
    eraseMinutes: Type.Number({ minimum: 0, description: 'Of an erase in firmware, or of one pass of scrub.' }),
  },
  closed,
);

const nic = Type.Object(
  {
    name: id,
    model: name,
    driver: name,
    speedMbps: count,
    firmware: name,
    boots: Type.Boolean({
      description: 'By PXE. The first one that boots is the machine by which the daemon knows it.',
    }),
  },
  closed,
);

const sensor = Type.Object(
  {
    name,
    kind: oneOf('temperature', 'fan', 'power'),
    reading: Type.Number({ description: '°C, rpm, or watts, of a machine that is on.' }),
    critical: Type.Number(),
  },
  closed,
);

const biosAttribute = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$' }),
    value: attribute,
    values: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: 64 })),
    lowest: Type.Optional(Type.Integer()),
    highest: Type.Optional(Type.Integer()),
    isReadOnly: Type.Optional(Type.Boolean()),
  },
  closed,
);

const component = Type.Object({ id, name, version: name, isUpdateable: Type.Boolean() }, closed);

/** Where services of vendors differ. */
const tree = Type.Object(
  {
    light: oneOf('LocationIndicatorActive', 'IndicatorLED'),
    logOf: oneOf('system', 'manager'),
    log: id,
    mediaOf: oneOf('system', 'manager'),
    cooling: Type.Unsafe<'older' | 'newer' | 'both'>({
      type: 'string',
      enum: ['older', 'newer', 'both'],
      description: 'Thermal and Power, or ThermalSubsystem, PowerSubsystem and Sensors.',
    }),
    biosSettings: Type.String({
      pattern: '^[A-Za-z]{1,32}$',
      description: 'The last segment of the path of what is set.',
    }),
    hasActionInfo: Type.Boolean({ description: 'Reset types are in an ActionInfo, not beside the action.' }),
    bootMode: oneOf('UEFI', 'Legacy'),
    volumes: Type.Optional(
      Type.Unsafe<'immediate' | 'task' | 'reset'>({
        type: 'string',
        enum: ['immediate', 'task', 'reset'],
        description: 'Its SAS and SATA controllers have RAID, and when they change volumes; absent: they have none.',
      }),
    ),
  },
  closed,
);

export const modelSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
    manufacturer: name,
    product: name,
    sku: name,
    board: Type.Optional(
      Type.Object(
        { manufacturer: name, part: Type.Optional(name) },
        { ...closed, description: 'As the FRU of the BMC has them; absent: the manufacturer of the machine.' },
      ),
    ),
    vendor: oneOf('dell', 'hpe', 'lenovo', 'supermicro', 'open'),
    ids: Type.Object(
      { system: id, chassis: id, manager: id },
      { ...closed, description: 'As that vendor names them.' },
    ),
    tree,
    bmc: Type.Object(
      {
        model: name,
        firmware: name,
        https: Type.Boolean(),
        user: Type.String({ minLength: 1, maxLength: 16, description: 'The first account.' }),
        sessionLimit: Type.Integer({ minimum: 1, maximum: 64 }),
        maxConnections: count,
      },
      closed,
    ),
    bios: Type.Object(
      {
        vendor: name,
        version: name,
        released: name,
        attributes: Type.Array(biosAttribute, { minItems: 1, maxItems: 500 }),
      },
      closed,
    ),
    processor: Type.Object({ model: name, sockets: count, cores: count, threads: count, maxMhz: count }, closed),
    memory: Type.Object({ modules: count, moduleMib: count, manufacturer: name, part: name, speedMhz: count }, closed),
    nics: Type.Array(nic, { minItems: 1, maxItems: 15 }),
    drives: Type.Array(drive, { maxItems: 64 }),
    firmware: Type.Array(component, { maxItems: 64, description: 'Beside the BIOS and the BMC.' }),
    sensors: Type.Array(sensor, { maxItems: 64 }),
    switch: Type.Optional(
      Type.Object(
        { vendor: oneOf(...switchVendors), version: name },
        { ...closed, description: 'It boots by zero-touch provisioning, and runs this version of its software.' },
      ),
    ),
    powerSupplies: Type.Object({ count, watts: count, model: name }, closed),
    resetTypes: Type.Array(
      oneOf(
        ...(['On', 'ForceOn', 'ForceOff', 'GracefulShutdown', 'GracefulRestart'] as const),
        ...(['ForceRestart', 'PowerCycle', 'PushPowerButton', 'Nmi'] as const),
      ),
      { minItems: 1 },
    ),
  },
  closed,
);

/** `recorded`: the resources of the server that the model was recorded of. */
export type Model = Static<typeof modelSchema> & { recorded?: RecordedTree };
export type ModelDrive = Model['drives'][number];
