/** Options of firmware updates in band: which devices get which file, and how. */
import { type Static, Type, type Violation } from '../../define/index.ts';
import { type DeviceKind, deviceKinds } from '../../vocabulary/device-kinds.ts';

const exitCodes = (description: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { maxItems: 20, description }));

const vendorPackage = Type.Object(
  {
    program: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._+-]+$',
        maxLength: 100,
        description: 'Program of the microkernel that gets the arguments; absent: the file itself is run.',
      }),
    ),
    args: Type.Optional(
      Type.Array(Type.String({ maxLength: 500 }), {
        maxItems: 50,
        description: 'Its arguments; `{file}` in them is the path of the file.',
      }),
    ),
    versionCommand: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        'Command of a shell that prints the version of the node in one line; nothing: it has no such device.',
    }),
    doneCodes: exitCodes('Exit codes: done, and the version is there. Absent: 0.'),
    restartCodes: exitCodes('Exit codes: done, and a restart brings the version.'),
    nothingCodes: exitCodes('Exit codes: there is nothing to do.'),
  },
  { additionalProperties: false },
);

export const deviceUpdate = Type.Object(
  {
    kind: Type.Unsafe<DeviceKind>({
      type: 'string',
      enum: [...deviceKinds],
      description: 'Drives of this kind, or a package of a vendor.',
    }),
    model: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9 ._/()+-]{2,80}[*]?$',
      maxLength: 82,
      description:
        'Model of the drives; of a package, the product name of the machine. `*` at its end: what begins so.',
    }),
    version: Type.String({ minLength: 1, maxLength: 64, description: 'The firmware that the devices are to have.' }),
    file: Type.String({ minLength: 1, maxLength: 512, description: 'Name of a stored file (`PUT /files/:name`).' }),
    sha256: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'Of the file; the node writes no other one.',
    }),
    slot: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 7, description: 'Of NVMe. Absent: 0, the controller chooses it.' }),
    ),
    action: Type.Optional(
      Type.Integer({
        enum: [1, 3],
        minimum: 1,
        maximum: 3,
        description: 'Commit action of NVMe: 1 activates by a reset of the controller, 3 without. Absent: 1.',
      }),
    ),
    package: Type.Optional(vendorPackage),
  },
  { additionalProperties: false },
);

export type DeviceUpdate = Static<typeof deviceUpdate>;

export const updateOptions = {
  updates: Type.Array(deviceUpdate, {
    minItems: 1,
    maxItems: 20,
    description: 'A device that has its version already is left alone.',
  }),
  mayLack: Type.Optional(Type.Boolean({ description: 'The node may have none of the devices. Absent: that fails.' })),
};

export interface UpdateOptions {
  updates: DeviceUpdate[];
  mayLack?: boolean;
}

/** Whether a model is the wanted one, or begins so before a `*`. */
export const isModel = (model: string, wanted: string): boolean =>
  wanted.endsWith('*') ? model.startsWith(wanted.slice(0, -1)) : model === wanted;

/** Violations that no schema shows. @param place the path of the updates */
export const updateViolations = (updates: readonly DeviceUpdate[], place = 'updates'): Violation[] =>
  updates.flatMap((update, at) => {
    const same = updates.slice(0, at).findIndex((one) => meetsDevices(one, update));
    const parts = wrongParts(update);
    if (same >= 0)
      parts.push(['model', `has devices of ${place}.${same} too; found ${update.model}; expected one version of each`]);
    return parts.map(([key, message]) => ({ path: `${place}.${at}.${key}`, message }));
  });

/** Whether a device can be of both updates. */
function meetsDevices(one: DeviceUpdate, other: DeviceUpdate): boolean {
  const isMet = isModel(one.model, other.model) || isModel(other.model, one.model);
  return isMet && one.kind === other.kind && one.package?.versionCommand === other.package?.versionCommand;
}

function wrongParts({ kind, model, slot, action, package: vendors }: DeviceUpdate): [key: string, message: string][] {
  const wrong: [string, string][] = [];
  // Firmware is made for a model: the name of a vendor alone would take in its other models.
  if (model.endsWith('*') && !/\d/.test(model))
    wrong.push(['model', `found ${model}; expected a digit before the *, as in the name of a model`]);
  if (kind === 'package' && vendors === undefined) wrong.push(['package', 'is missing; it says how the file is run']);
  if (kind !== 'package' && vendors !== undefined) wrong.push(['package', 'is for the kind package only']);
  if (kind !== 'nvme' && slot !== undefined) wrong.push(['slot', 'is for the kind nvme only']);
  if (kind !== 'nvme' && action !== undefined) wrong.push(['action', 'is for the kind nvme only']);
  return wrong;
}
