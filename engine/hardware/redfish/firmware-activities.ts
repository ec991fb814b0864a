/** The activities of a firmware update: what is there, the command, and looks at its task on the BMC. */
import { type ActivityScope, activity, Type } from '../../define/index.ts';
import { maybeDone, ObmError, type RedfishCommand } from '../../define/obm.ts';
import { type ApplyTime, applyTimes } from '../../vocabulary/apply-times.ts';
import { fieldOf } from '../../vocabulary/thrown-values.ts';
import {
  areAt,
  firmwareRejection,
  isPendingTask,
  runningTask,
  type UpdateService,
  updateServiceOf,
  type Versions,
  versionsOf,
} from './firmware.ts';
import { type LookOptions, looking, type Since } from './look.ts';
import { type Service, type ServiceInput, serviceOf, taskProgress, unsupportedBy } from './service.ts';

export const firmwareOptions = {
  image: Type.Optional(
    Type.String({
      pattern: '^[a-z]+://',
      maxLength: 2_048,
      description: 'URL from which the BMC fetches the image (SimpleUpdate). Either this or `file`.',
    }),
  ),
  file: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Name of a stored file (`PUT /files/:name`) that is sent to the BMC (multipart push).',
    }),
  ),
  sha256: Type.Optional(
    Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Of `file`; another file is not sent.' }),
  ),
  targets: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1_024 }), {
      maxItems: 50,
      description:
        'Ids or paths of components in the firmware inventory, or paths of managers and systems; absent: the BMC decides.',
    }),
  ),
  version: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Of the targets after the update; they are required.' }),
  ),
  applyTime: Type.Optional(Type.Unsafe<ApplyTime>({ enum: [...applyTimes], description: 'Absent: the BMC decides.' })),
};

export interface FirmwareOptions extends LookOptions, ServiceInput {
  image?: string;
  file?: string;
  sha256?: string;
  targets?: string[];
  version?: string;
  applyTime?: ApplyTime;
}

/** Violations that no schema shows. */
export function firmwareViolations({ image, file, sha256, targets = [], version }: FirmwareOptions) {
  const wrong: { path: string; message: string }[] = [];
  if ((image === undefined) === (file === undefined))
    wrong.push({ path: 'image', message: 'expected either image or file' });
  if (sha256 !== undefined && file === undefined)
    wrong.push({ path: 'sha256', message: 'is checked for a file only; the BMC fetches an image itself' });
  if (version !== undefined && targets.length === 0)
    wrong.push({ path: 'targets', message: 'are missing; the version is that of the targets' });
  return wrong;
}

export interface FirmwareInspection {
  before: Versions;
  /** The targets have the wanted version already. */
  isThere: boolean;
}

export const inspect = activity(async (scope: ActivityScope<FirmwareOptions>): Promise<FirmwareInspection> => {
  const { targets = [], version } = scope.input;
  const [wrong] = firmwareViolations(scope.input);
  if (wrong !== undefined) throw firmwareRejection(`${wrong.path}: ${wrong.message}`);
  const { ask } = await serviceOf(scope);
  const { inventory } = await updateServiceOf(ask);
  const before = await versionsOf(ask, inventory, targets);
  return { before, isThere: version !== undefined && areAt(before, version) };
});

export interface SentUpdate {
  /** Path of the task's monitor; null: unknown. */
  monitor: string | null;
}

/** Longer than any BMC writes its firmware. */
const INTERLOCK_MS = 2 * 60 * 60_000;
/** A BMC may take minutes to receive an image, and to check it. */
const PUSH_MS = 15 * 60_000;

const interlockId = (operationId: string): string => `firmware-${operationId.split('/')[0]}`;

export const sendUpdate = activity(
  async (scope: ActivityScope<FirmwareOptions & { before: Versions }>): Promise<SentUpdate> => {
    const { nodeId, operationId, services } = scope;
    const service = await serviceOf(scope);
    const update = await updateServiceOf(service.ask);
    const request = await requestOf(scope, update);
    const id = interlockId(operationId);
    if (nodeId !== null) {
      const until = new Date(Date.now() + INTERLOCK_MS).toISOString();
      await services.interlock.engage(nodeId, {
        id,
        reason: 'The BMC is writing firmware; a power cycle can ruin the machine now.',
        until,
      });
    }
    try {
      return { monitor: await service.command('update firmware', request) };
    } catch (error) {
      // The command was sent before: by a daemon that died, or it got no answer. The looks find what became of it.
      if (maybeDone(error)) return { monitor: null };
      await services.interlock.release(id);
      throw error;
    }
  },
);

async function requestOf(
  { input, services }: ActivityScope<FirmwareOptions & { before: Versions }>,
  update: UpdateService,
): Promise<RedfishCommand> {
  const { image, file, targets = [], applyTime, before } = input;
  const chosen = targets.length === 0 ? {} : { Targets: Object.keys(before) };
  const apply = applyTime === undefined ? {} : { '@Redfish.OperationApplyTime': applyTime };
  if (image !== undefined)
    return { path: simplePath(update, image), body: simpleBody(update, image, { ...chosen, ...apply }) };
  const stored = await services.file(file ?? '');
  if (stored === undefined) throw firmwareRejection(`the file ${JSON.stringify(file)} is not stored; put it to /files`);
  if (input.sha256 !== undefined && input.sha256.toLowerCase() !== stored.sha256)
    throw firmwareRejection(`the file has the SHA-256 ${stored.sha256}; expected ${input.sha256}`);
  if (update.push === undefined)
    throw unsupportedBy('the BMC accepts no multipart push; store the file for it, and name its URL as image');
  const { path, maxBytes } = update.push;
  if (maxBytes !== undefined && stored.size > maxBytes)
    throw firmwareRejection(`the file has ${stored.size} bytes; the BMC accepts ${maxBytes}`);
  const upload = {
    parameters: { ...chosen, ...apply },
    file: { name: file ?? '', size: stored.size, open: () => stored.open() },
  };
  return { path, upload, timeoutMs: PUSH_MS };
}

function simplePath({ simple }: UpdateService, image: string): string {
  if (simple === undefined) throw unsupportedBy('the BMC has no action SimpleUpdate; send it a file');
  const { path, protocols } = simple;
  const protocol = protocolOf(image);
  if (protocols !== undefined && !protocols.includes(protocol))
    throw firmwareRejection(`the image has the protocol ${protocol}; the BMC accepts ${protocols.join(', ')}`);
  return path;
}

const simpleBody = ({ simple }: UpdateService, image: string, more: object) => ({
  ImageURI: image,
  ...(simple?.protocols !== undefined && { TransferProtocol: protocolOf(image) }),
  ...more,
});

const protocolOf = (url: string): string => url.slice(0, url.indexOf(':')).toUpperCase();

export interface UpdateEnd {
  /** The end of the BMC's task; `staged`: it waits for a restart of the machine; `unknown`: the BMC shows none. */
  task: 'completed' | 'staged' | 'unknown';
}

interface FollowInput extends FirmwareOptions, Since, SentUpdate {}

export const followUpdate = looking<FollowInput, UpdateEnd>(
  async (scope) => {
    const service = await serviceOf(scope);
    const ended = await endOf(service, scope.input).catch(async (error) => {
      // The task has failed: nothing is being written any more.
      if (isEnd(error)) await scope.services.interlock.release(interlockId(scope.operationId));
      throw error;
    });
    if (ended !== undefined) await scope.services.interlock.release(interlockId(scope.operationId));
    return ended;
  },
  ({ waitMs }, trouble) =>
    new ObmError('OBM_UNANSWERED', `the BMC did not end the update in ${waitMs} ms${trouble && `: ${trouble}`}`, {
      retry: false,
      sent: true,
    }),
);

/** Errors are recognized by their fields: tasks are bundled with classes of their own. */
const isEnd = (error: unknown): boolean => fieldOf(error, 'retry') === false;

async function endOf(service: Service, { monitor, applyTime }: FollowInput): Promise<UpdateEnd | undefined> {
  const progress = monitor === null ? undefined : await taskProgress(service, monitor);
  if (progress?.ended) return { task: 'completed' };
  if (applyTime?.endsWith('OnReset') && (await isPendingTask(service.ask, monitor, progress)))
    return { task: 'staged' };
  if (progress !== undefined) return undefined;
  const taskUri = await runningTask(service.ask);
  if (taskUri === undefined) return { task: 'unknown' };
  return (await service.progress(taskUri)).ended ? { task: 'completed' } : undefined;
}
