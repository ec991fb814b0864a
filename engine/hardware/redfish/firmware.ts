/** The update service of a BMC and its inventory of firmware (DSP0266, 12.6; UpdateService, SoftwareInventory). */
import { PermanentError, type RedfishProgress } from '../../define/index.ts';
import { objectIn, property } from '../../vocabulary/json.ts';
import { type Ask, type Json, linkIn, membersOf, SERVICE_ROOT, unsupportedBy } from './service.ts';

/** The version of each component, by the path of its resource. */
export type Versions = Record<string, string>;

export interface UpdateService {
  /** Target of the action SimpleUpdate, and the protocols that it accepts. */
  simple: { path: string; protocols: readonly unknown[] | undefined } | undefined;
  /** Where a multipart update is posted. */
  push: { path: string; maxBytes: number | undefined } | undefined;
  /** Path of the inventory. */
  inventory: string | undefined;
}

/** @throws ObmError OBM_UNSUPPORTED if the BMC has no update service */
export async function updateServiceOf(ask: Ask): Promise<UpdateService> {
  const path = linkIn((await ask({ method: 'GET', path: SERVICE_ROOT })).UpdateService);
  if (path === undefined) throw unsupportedBy('the BMC has no UpdateService');
  const service = await ask({ method: 'GET', path });
  if (service.ServiceEnabled === false) throw unsupportedBy('the UpdateService of the BMC is disabled; enable it');
  const simple = objectIn(property(service.Actions, '#UpdateService.SimpleUpdate'));
  const { MultipartHttpPushUri: push, MaxImageSizeBytes: most } = service;
  const protocols = simple['TransferProtocol@Redfish.AllowableValues'];
  return {
    simple:
      typeof simple.target === 'string'
        ? { path: simple.target, protocols: Array.isArray(protocols) ? protocols : undefined }
        : undefined,
    push: typeof push === 'string' ? { path: push, maxBytes: typeof most === 'number' ? most : undefined } : undefined,
    inventory: linkIn(service.FirmwareInventory),
  };
}

/**
 * @param targets ids of components in the inventory, or paths: of components, or of other resources that have firmware,
 * such as a manager; empty: all components that can be updated
 * @throws PermanentError FIRMWARE_REJECTED if a target is not there
 */
export async function versionsOf(
  ask: Ask,
  inventory: string | undefined,
  targets: readonly string[],
): Promise<Versions> {
  const isBeside = (target: string) => target.startsWith(SERVICE_ROOT) && !target.startsWith(`${inventory}/`);
  const components = targets.filter((target) => !isBeside(target));
  const versions: Versions = {};
  if (targets.length === 0 || components.length > 0) {
    const all = await componentsIn(ask, inventory);
    const chosen =
      targets.length === 0
        ? all.filter(({ Updateable: can }) => can !== false)
        : components.map((one) => componentAt(all, one));
    for (const each of chosen) versions[linkIn(each) as string] = String(each.Version ?? '');
  }
  for (const path of targets.filter(isBeside)) versions[path] = await versionAt(ask, path);
  return versions;
}

/** @param inventory its path @throws ObmError OBM_UNSUPPORTED if the BMC has none */
export async function componentsIn(ask: Ask, inventory: string | undefined): Promise<Json[]> {
  if (inventory === undefined) throw unsupportedBy('the BMC has no FirmwareInventory');
  return membersOf(ask, inventory);
}

/** @returns the version of a Manager or of a ComputerSystem */
async function versionAt(ask: Ask, path: string): Promise<string> {
  const { FirmwareVersion: firmware, BiosVersion: bios } = await ask({ method: 'GET', path });
  const version = firmware ?? bios;
  if (typeof version === 'string') return version;
  throw firmwareRejection(
    `${path} has neither a FirmwareVersion nor a BiosVersion; name a component of the firmware inventory`,
  );
}

function componentAt(all: readonly Json[], target: string): Json {
  const component = all.find((each) => linkIn(each) === target || each.Id === target);
  if (component === undefined) {
    const ids = all.map(({ Id: id }) => String(id)).slice(0, 50);
    throw firmwareRejection(`found the target ${JSON.stringify(target)}; expected one of ${ids.join(', ')}`);
  }
  if (component.Updateable === false) throw firmwareRejection(`the component ${target} cannot be updated`);
  return component;
}

/** Whether every component has the version. */
export const areAt = (versions: Versions, version: string): boolean =>
  Object.values(versions).every((each) => each === version);

const RUNNING: readonly unknown[] = ['New', 'Starting', 'Running', 'Pending'];

/** The task of the BMC that is running; undefined: none, or several. */
export async function runningTask(ask: Ask): Promise<string | undefined> {
  const running = (await tasksOf(ask)).filter(({ TaskState: state }) => RUNNING.includes(state));
  const [only] = running;
  return running.length === 1 ? linkIn(only) : undefined;
}

/**
 * Whether an update waits for a restart of the machine: its task is pending, or, if its monitor is unknown, any task is.
 * @param progress as its monitor says, which may say nothing of the state
 */
export async function isPendingTask(
  ask: Ask,
  monitor: string | null,
  progress: Pick<RedfishProgress, 'state'> | undefined,
): Promise<boolean> {
  if (progress?.state === PENDING) return true;
  const tasks = await tasksOf(ask);
  const isAsked = (task: Json) => progress === undefined || task.TaskMonitor === monitor || linkIn(task) === monitor;
  return tasks.some((task) => task.TaskState === PENDING && isAsked(task));
}

const PENDING = 'Pending';

async function tasksOf(ask: Ask): Promise<Json[]> {
  const service = linkIn((await ask({ method: 'GET', path: SERVICE_ROOT })).Tasks);
  const collection = service === undefined ? undefined : linkIn((await ask({ method: 'GET', path: service })).Tasks);
  return collection === undefined ? [] : membersOf(ask, collection);
}

export const firmwareRejection = (problem: string) =>
  new PermanentError(`nothing was sent: ${problem}`, 'FIRMWARE_REJECTED');
