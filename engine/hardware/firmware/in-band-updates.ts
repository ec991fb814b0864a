/**
 * The activities of firmware updates in band, besides the commands for the agent. None of them touches the machine.
 *
 * 1. The devices are looked at again before each update: one that has its version gets none.
 * 2. A device whose job has ended gets no second one in the same task run.
 */
import { type ActivityScope, activity, PermanentError, type Services } from '../../define/index.ts';
import { deviceCatalogs } from '../../vocabulary/device-kinds.ts';
import { factsOf } from '../erase/facts.ts';
import type { EndedJob, NextJob, PlanAfterLook } from '../jobs/job-machine.ts';
import { lookedPackages } from './device-drift.ts';
import { deviceLookIn, rejectedUpdate, type TargetDevice, targetsIn } from './device-look.ts';
import { type DeviceUpdate, type UpdateOptions, updateViolations } from './device-updates.ts';
import { type UpdateJob, wantedUpdate } from './update-commands.ts';

export interface UpdatedDevice {
  /** Position of its update. */
  at: number;
  device: string;
  model: string;
  serial: string;
  before: string;
  after: string;
  /** A restart of the machine is to bring the version. */
  restart: boolean;
}

export interface PlannedUpdate extends UpdateJob {
  target: TargetDevice;
  update: DeviceUpdate;
}

const noTarget: TargetDevice = { at: 0, device: '', model: '', serial: '', version: '', used: '' };

export const noUpdate: PlannedUpdate = {
  run: '',
  wanted: {},
  target: noTarget,
  update: { kind: 'nvme', model: '', version: '', file: '', sha256: '' },
};

/** @throws PermanentError FIRMWARE_REJECTED unless each file is stored, and is that of its checksum */
export async function checkFiles(services: Pick<Services, 'file'>, updates: readonly DeviceUpdate[]): Promise<void> {
  const [wrong] = updateViolations(updates);
  if (wrong !== undefined) throw rejectedUpdate(`${wrong.path}: ${wrong.message}`);
  for (const { file, sha256 } of updates) {
    const stored = await services.file(file);
    if (stored === undefined) throw rejectedUpdate(`the file ${JSON.stringify(file)} is not stored; put it to /files`);
    if (stored.sha256 !== sha256.toLowerCase())
      throw rejectedUpdate(`the file ${JSON.stringify(file)} has the SHA-256 ${stored.sha256}; expected ${sha256}`);
  }
}

const nameOf = ({ device, model, serial }: Pick<TargetDevice, 'device' | 'model' | 'serial'>): string =>
  `${device} (${model}${serial && `, ${serial}`})`;

/** Its name may be another one after a restart. */
const isSame = (one: UpdatedDevice, target: TargetDevice): boolean =>
  one.at === target.at && one.serial === target.serial;

/** Plans the update of the next device; without one no device needs any. */
export const planUpdate = activity(
  async (scope: ActivityScope<PlanAfterLook<UpdateOptions, UpdatedDevice>>): Promise<NextJob<PlannedUpdate>> => {
    const { input, nodeId, operationId, services } = scope;
    if (nodeId === null) throw new PermanentError('a workflow without a node has no devices', 'NO_NODE');
    const { updates } = input.options;
    if (input.outputs.length === 0) await checkFiles(services, updates);
    const look = deviceLookIn(input.stdout, updates);
    const waiting = targetsIn(look, input.options).filter(
      (target) => target.version !== updates[target.at]?.version && !input.outputs.some((one) => isSame(one, target)),
    );
    const busy = waiting.find(({ used }) => used !== '');
    if (busy !== undefined) throw rejectedUpdate(`${nameOf(busy)} is in use at ${busy.used}`);
    const [target] = waiting;
    const update = updates[target?.at ?? 0];
    if (target === undefined || update === undefined) return { job: null };
    const run = `${operationId.split('/')[0]}-firmware-${target.at}-${target.serial.replace(/\W+/g, '-')}`;
    return { job: { run, wanted: wantedUpdate(update, target, look.boot), target, update } };
  },
);

/** @throws PermanentError FIRMWARE_REJECTED if nothing was written, FIRMWARE_UNCHANGED if the device does not have the version */
export const concludeUpdate = activity(
  async ({ input: { plan, result } }: ActivityScope<EndedJob<PlannedUpdate>>): Promise<UpdatedDevice> => {
    const { target, update } = plan;
    const { state = '', code = '', after = '', said = '' } = factsOf(result.stdout).get('') ?? {};
    const unwritten = unwrittenReasons[state]?.(update, said);
    if (unwritten !== undefined)
      throw new PermanentError(`nothing was written to ${nameOf(target)}: ${unwritten}`, 'FIRMWARE_REJECTED');
    if (state !== 'ended')
      throw unchangedDevice(target, update, `${state === 'lost' ? restarted : brokenOff}; ${advice}`);
    const meaning = meaningOf(update, Number(code));
    if (meaning === 'failed') throw unchangedDevice(target, update, `its tool ended with ${code}: ${said}`);
    const isThere = after === update.version;
    if (!isThere && meaning === 'done')
      throw unchangedDevice(
        target,
        update,
        `its package ended with ${code}, and the version is ${after || '(none)'}: ${said}`,
      );
    const { at, device, model, serial, version: before } = target;
    return { at, device, model, serial, before, after, restart: !isThere };
  },
);

const unwrittenReasons: Readonly<Record<string, (update: DeviceUpdate, said: string) => string>> = {
  changed: () => 'it is another device than before, or does not answer',
  unavailable: ({ file }, said) => `the node cannot fetch the file ${JSON.stringify(file)}${said && `: ${said}`}`,
  mismatch: ({ file, sha256 }, said) =>
    `the file ${JSON.stringify(file)} has the SHA-256 ${said} on the node; expected ${sha256}`,
};

const restarted = 'the machine restarted before the update had ended';
const brokenOff = 'its job was broken off';
const advice = 'a new launch looks at the version first';

/** `restart`: the version may be there only after one. No tool of drives says whether it is. */
function meaningOf({ package: vendors }: DeviceUpdate, code: number): 'done' | 'restart' | 'failed' {
  if (vendors === undefined) return code === 0 ? 'restart' : 'failed';
  const { doneCodes = [0], restartCodes = [], nothingCodes = [] } = vendors;
  if (restartCodes.includes(code)) return 'restart';
  return [...doneCodes, ...nothingCodes].includes(code) ? 'done' : 'failed';
}

const unchangedDevice = (
  target: TargetDevice,
  { version }: Pick<DeviceUpdate, 'version'>,
  reason: string,
): PermanentError =>
  new PermanentError(
    `${nameOf(target)} was to get the version ${version} after ${target.version}: ${reason}`,
    'FIRMWARE_UNCHANGED',
  );

export interface VerifyOptions extends UpdateOptions {
  /** Set by the graph: those that got an update. */
  updated?: UpdatedDevice[];
}

export interface VerifiedFirmware {
  /** Each device that the updates mean; the others with `updated: false` had their version before. */
  devices: (Omit<UpdatedDevice, 'at' | 'restart'> & { updated: boolean })[];
  /** Models of updates that mean no device of the node. */
  unmatched: string[];
}

/** @throws PermanentError FIRMWARE_UNCHANGED that names each device with another version */
export const verifyUpdates = activity(
  async (scope: ActivityScope<{ options: VerifyOptions; stdout: string }>): Promise<VerifiedFirmware> => {
    const { input, nodeId, services } = scope;
    const { updates, updated = [] } = input.options;
    const look = deviceLookIn(input.stdout, updates);
    const targets = targetsIn(look, input.options);
    const packages = lookedPackages(look, updates);
    if (nodeId !== null && packages.length > 0) await services.addCatalog(nodeId, deviceCatalogs.packages, packages);
    const missing = updated.filter((one) => !targets.some((target) => isSame(one, target)));
    const wrong = targets.filter(({ at, version }) => version !== updates[at]?.version);
    if (missing.length + wrong.length > 0) {
      const sentences = [
        ...missing.map((one) => `${nameOf(one)} does not answer after its update`),
        ...wrong.map((one) => `${nameOf(one)} has the version ${one.version}; expected ${updates[one.at]?.version}`),
      ];
      throw new PermanentError(sentences.join('; '), 'FIRMWARE_UNCHANGED');
    }
    return {
      devices: targets.map((target) => {
        const { device, model, serial, version: after } = target;
        const before = updated.find((one) => isSame(one, target))?.before;
        return { device, model, serial, before: before ?? after, after, updated: before !== undefined };
      }),
      unmatched: updates.filter((_, at) => !targets.some((target) => target.at === at)).map(({ model }) => model),
    };
  },
);
