/**
 * Models of servers: facts that do not change, from which the Redfish tree and the output of commands are made. The models that
 * ship are in `models/`; their facts are from public specifications.
 */
import { type Static, Type } from 'typebox';

const name = Type.String({ minLength: 1, maxLength: 128 });
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const attribute = Type.Union([Type.String({ maxLength: 256 }), Type.Integer(), Type.Boolean()]);

const drive = Type.Object(
  {
    name: Type.String({ pattern: '^(sd[a-z]|nvme\\d+n1)$', description: 'As the kernel names it.' }),
    kind: Type.Unsafe<'nvme' | 'sas' | 'sata'>({ type: 'string', enum: ['nvme', 'sas', 'sata'] }),
    isRotational: Type.Boolean(),
    model: name,
    vendor: name,
    firmware: name,
    bytes: Type.Integer({ minimum: 1 }),
    eraseMinutes: Type.Number({ minimum: 0, description: 'Of an erase in firmware, or of one pass of scrub.' }),
  },
  { additionalProperties: false },
);

const nic = Type.Object(
  {
    name,
    model: name,
    driver: name,
    speedMbps: count,
    firmware: name,
    boots: Type.Boolean({ description: 'By PXE. The first one that boots is the machine by which the daemon knows it.' }),
  },
  { additionalProperties: false },
);

const sensor = Type.Object(
  {
    name,
    kind: Type.Unsafe<'temperature' | 'fan' | 'power'>({ type: 'string', enum: ['temperature', 'fan', 'power'] }),
    reading: Type.Number({ description: '°C, rpm, or watts, of a machine that is on.' }),
    critical: Type.Number(),
  },
  { additionalProperties: false },
);

const biosAttribute = Type.Object(
  {
    name,
    value: attribute,
    values: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { minItems: 1, maxItems: 64 })),
    lowest: Type.Optional(Type.Integer()),
    highest: Type.Optional(Type.Integer()),
    isReadOnly: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const component = Type.Object(
  { id: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }), name, version: name, isUpdateable: Type.Boolean() },
  { additionalProperties: false },
);

export const modelSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
    manufacturer: name,
    product: name,
    sku: name,
    /** Absent in a tree: no vendor extensions. */
    vendor: Type.Unsafe<'dell' | 'hpe' | 'lenovo' | 'supermicro' | 'open'>({
      type: 'string',
      enum: ['dell', 'hpe', 'lenovo', 'supermicro', 'open'],
    }),
    /** Ids of the resources of the tree. */
    ids: Type.Object(
      { system: name, chassis: name, manager: name },
      { additionalProperties: false, description: 'As that vendor names them.' },
    ),
    bmc: Type.Object({ model: name, firmware: name, https: Type.Boolean(), sessionLimit: count, maxConnections: count }),
    bios: Type.Object({ vendor: name, version: name, released: name, attributes: Type.Array(biosAttribute) }),
    processor: Type.Object({ model: name, sockets: count, cores: count, threads: count, maxMhz: count }),
    memory: Type.Object({ modules: count, moduleMib: count, manufacturer: name, part: name, speedMhz: count }),
    nics: Type.Array(nic, { minItems: 1, maxItems: 16 }),
    drives: Type.Array(drive, { maxItems: 64 }),
    firmware: Type.Array(component, { description: 'Beside the BIOS and the BMC.' }),
    sensors: Type.Array(sensor),
    powerSupplies: Type.Object({ count, watts: count, model: name }),
    resetTypes: Type.Array(name, { minItems: 1 }),
  },
  { additionalProperties: false },
);

export type Model = Static<typeof modelSchema>;
export type ModelDrive = Model['drives'][number];
