/**
 * Volumes of the RAID controllers of a system. The operating system of the twin still sees the drives: what it shows are the
 * volumes of the BMC, when they change, and what they cost.
 */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { listIn, property } from '../../../vocabulary/json.ts';
import { raidLevels, raidLevelViolation } from '../../../vocabulary/raid-levels.ts';
import type { VolumeChange, VolumeState } from '../machine/machine-state.ts';
import { capacityOf, changeVolume } from '../machine/raid-volumes.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { badRequest } from './bmc-rejection.ts';
import { collectionOf, enabledStatus, linksTo, noContent, ROOT_PATH, resourceOf, senderOf } from './documents.ts';
import { BodyFields, wrongType } from './fields.ts';
import { type Bay, baysOf, hasRaid } from './storage.ts';
import { beginTask, startedTask } from './tasks.ts';

const VOLUMES = `${ROOT_PATH}/Systems/:system/Storage/:storage/Volumes`;
/** Field time of a change. */
const CHANGE_MS = 40_000;
/** Changes that wait for a reset. */
const STAGED_CHANGES = 20;

const storageOf = ({ params }: BmcCall): string => params.storage ?? '';
const volumesIn = (call: BmcCall): VolumeState[] =>
  (call.bmc.volumes ?? []).filter(({ storage }) => storage === storageOf(call));
const volumeAt = (call: BmcCall): VolumeState | undefined => volumesIn(call).find(({ id }) => id === call.params.id);

const collectionDocument = (call: BmcCall): JsonObject => ({
  ...collectionOf(
    call,
    'Volume',
    volumesIn(call).map(({ id }) => id),
  ),
  '@Redfish.OperationApplyTimeSupport': {
    '@odata.type': '#Settings.v1_3_5.OperationApplyTimeSupport',
    SupportedValues: [call.model.tree.volumes === 'reset' ? 'OnReset' : 'Immediate'],
  },
});

function volumeDocument(call: BmcCall): JsonObject {
  const volume = volumeAt(call);
  if (volume === undefined) return {};
  const bays = baysOf(call, volume.storage).filter(({ state }) => volume.drives.includes(state.serial));
  const drives = call.path.replace(/Volumes\/.*$/, 'Drives');
  return resourceOf(call, 'Volume', volume.name, {
    RAIDType: volume.raid,
    CapacityBytes: volume.bytes,
    Status: enabledStatus,
    Links: {
      Drives: linksTo(
        drives,
        bays.map(({ id }) => id),
      ),
    },
  });
}

/** @throws BmcRejection 400 */
function chosenBays(call: BmcCall, fields: BodyFields): Bay[] {
  const links = fields.object('Links').Drives;
  const bays = listIn(links).map((link) => {
    const path = property(link, '@odata.id');
    const bay = baysOf(call, storageOf(call)).find(({ id }) => path === call.path.replace(/Volumes$/, `Drives/${id}`));
    if (bay === undefined) throw badRequest('PropertyValueNotInList', String(path).slice(0, 200), 'Links/Drives');
    if (volumesIn(call).some(({ drives }) => drives.includes(bay.state.serial)))
      throw badRequest('ResourceAlreadyExists', 'Volume', 'Links/Drives', bay.id);
    return bay;
  });
  if (new Set(bays).size !== bays.length) throw wrongType('Links/Drives', links);
  return bays;
}

async function createVolume(call: BmcCall): Promise<BmcReply> {
  const fields = new BodyFields(call.body, ['Name', 'RAIDType', 'CapacityBytes', 'Links']);
  const raid = fields.oneOf('RAIDType', raidLevels);
  const bays = chosenBays(call, fields);
  const problem = raidLevelViolation(raid, bays.length);
  if (problem !== undefined) throw badRequest('PropertyValueOutOfRange', problem, 'Links/Drives');
  const most = capacityOf(
    raid,
    bays.map(({ model: { bytes } }) => bytes),
  );
  const bytes = fields.has('CapacityBytes') ? Number(call.body.CapacityBytes) : most;
  if (!(bytes > 0 && bytes <= most)) throw badRequest('PropertyValueOutOfRange', String(bytes), 'CapacityBytes');
  call.bmc.lastId += 1;
  const id = `Volume.${call.bmc.lastId}`;
  const name = fields.textOr('Name', id).slice(0, 15);
  const serials = bays.map(({ state }) => state.serial);
  const create = { id, storage: storageOf(call), name, raid, drives: serials, bytes };
  const path = `${call.path}/${id}`;
  return change(call, { create }, `create ${name} ${raid} ${serials.join(' ')}`, () => ({
    status: 201,
    headers: { Location: path },
    body: volumeDocument({ ...call, path, params: { ...call.params, id } }),
  }));
}

async function deleteVolume(call: BmcCall): Promise<BmcReply> {
  const volume = volumeAt(call);
  if (volume === undefined) return noContent;
  return change(call, { remove: volume.id }, `delete ${volume.name} ${volume.drives.join(' ')}`, () => noContent);
}

/** Makes the change when the model does. */
async function change(call: BmcCall, volume: VolumeChange, what: string, done: () => BmcReply): Promise<BmcReply> {
  const { bmc, machine, model } = call;
  const note = (outcome: string) => machine.save({ kind: 'volume', what, outcome, by: senderOf(call) });
  if (model.tree.volumes === 'immediate') {
    changeVolume(machine.state, volume);
    await note('done');
    return done();
  }
  if (model.tree.volumes === 'reset') {
    bmc.pendingVolumes = [...(bmc.pendingVolumes ?? []), volume].slice(-STAGED_CHANGES);
    await note('begun');
    return { status: 202, body: {} };
  }
  const task = beginTask(call, CHANGE_MS, { volume, components: [], image: '' });
  await note('begun');
  return startedTask(call, task);
}

export const volumeRoutes: readonly BmcRoute[] = [
  { path: VOLUMES, has: hasRaid, get: collectionDocument, post: createVolume, ledger: 'volume' },
  {
    path: `${VOLUMES}/:id`,
    has: (call) => hasRaid(call) && volumeAt(call) !== undefined,
    get: volumeDocument,
    remove: deleteVolume,
    ledger: 'volume',
  },
];
