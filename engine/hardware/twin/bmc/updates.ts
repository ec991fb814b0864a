/** Firmware: its inventory, and updates from a URL or by a push (UpdateService). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { IMAGE_LIMIT } from '../machine/image-fetch.ts';
import type { UpdateTask } from '../machine/machine-state.ts';
import { beginDownload } from '../machine/update-downloads.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { BmcRejection, badRequest } from './bmc-rejection.ts';
import {
  collectionOf,
  enabledStatus,
  linkTo,
  managerPath,
  ROOT_PATH,
  resourceOf,
  senderOf,
  systemPath,
} from './documents.ts';
import { BodyFields } from './fields.ts';
import { checkLoopbackUrl, urlWithLogin } from './loopback-url.ts';
import { pushedImage } from './multipart.ts';
import { beginTask, startedTask } from './tasks.ts';

const UPDATE_SERVICE = `${ROOT_PATH}/UpdateService`;
const INVENTORY = `${UPDATE_SERVICE}/FirmwareInventory`;
const PUSH = `${UPDATE_SERVICE}/update-multipart`;

/** Field time of an update. */
const UPDATE_MS = 120_000;
const TARGET_LIMIT = 32;
const schemes = ['http', 'https'] as const;
const APPLY_TIME = '@Redfish.OperationApplyTime';
const applyTimes = ['Immediate', 'OnReset'] as const;

interface Component {
  id: string;
  name: string;
  isUpdateable: boolean;
}

const componentsOf = ({ model }: BmcCall): Component[] => [
  { id: 'BIOS', name: 'BIOS', isUpdateable: true },
  { id: 'BMC', name: model.bmc.model, isUpdateable: true },
  ...model.firmware,
];

const componentAt = (call: BmcCall): Component | undefined =>
  componentsOf(call).find(({ id }) => id === call.params.id);

function componentDocument(call: BmcCall): JsonObject {
  const component = componentAt(call);
  return resourceOf(call, 'SoftwareInventory', component?.name ?? '', {
    SoftwareId: component?.id,
    Version: call.bmc.versions[component?.id ?? ''],
    Updateable: component?.isUpdateable,
    Status: enabledStatus,
    RelatedItem: [linkTo(component?.id === 'BMC' ? managerPath(call) : systemPath(call))],
  });
}

const serviceDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'UpdateService', 'Update service', {
    ServiceEnabled: true,
    Status: enabledStatus,
    MaxImageSizeBytes: IMAGE_LIMIT,
    MultipartHttpPushUri: PUSH,
    FirmwareInventory: linkTo(INVENTORY),
    Actions: {
      '#UpdateService.SimpleUpdate': {
        target: `${UPDATE_SERVICE}/Actions/UpdateService.SimpleUpdate`,
        'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'HTTPS'],
        '@Redfish.OperationApplyTimeSupport': {
          '@odata.type': '#Settings.v1_3_5.OperationApplyTimeSupport',
          SupportedValues: applyTimes,
        },
      },
    },
  });

/** @returns ids of components @throws BmcRejection 400 */
function chosenComponents(call: BmcCall, targets: readonly string[], image: string): string[] {
  const all = componentsOf(call);
  if (targets.length === 0) return [componentByName(all, image)];
  return targets.map((target) => {
    if (target === systemPath(call)) return 'BIOS';
    if (target === managerPath(call)) return 'BMC';
    const component = all.find(({ id }) => target === `${INVENTORY}/${id}`);
    if (component?.isUpdateable !== true) throw badRequest('PropertyValueNotInList', target.slice(0, 200), 'Targets');
    return component.id;
  });
}

/** A real BMC reads it from the image; the twin has only the name of the image. */
function componentByName(all: readonly Component[], image: string): string {
  const name = image.toLowerCase();
  if (/bmc|idrac|ilo|xcc/.test(name)) return 'BMC';
  const named = all.find(({ id, isUpdateable }) => isUpdateable && name.includes(id.toLowerCase()));
  return named?.id ?? 'BIOS';
}

/** @param source where the image is fetched from; absent: it was sent */
async function beginUpdate(call: BmcCall, fields: BodyFields, image: string, source?: string): Promise<BmcReply> {
  const { bmc, machine } = call;
  const name = image.split(/[/\\]/).at(-1)?.slice(0, 128) ?? '';
  const components = chosenComponents(call, fields.texts('Targets', TARGET_LIMIT), name);
  const what = `${components.join(', ')} from ${name}`;
  const applyTime = fields.has(APPLY_TIME) ? fields.oneOf(APPLY_TIME, applyTimes) : 'Immediate';
  await machine.settleTasks();
  if (bmc.tasks.some(({ outcome }) => outcome === 'running' || outcome === 'fetching')) {
    await machine.save({ kind: 'update', what, outcome: 'refused', by: senderOf(call) });
    throw new BmcRejection(503, 'ResourceInUse', [], { headers: { 'Retry-After': '60' } });
  }
  const task = beginTask(call, UPDATE_MS, {
    components,
    image: name,
    ...drawnFault(call, source),
    ...(applyTime === 'OnReset' && { appliesAtReset: true, outcome: 'pending' }),
    ...(source !== undefined && { source, outcome: 'fetching' }),
  });
  await machine.save({ kind: 'update', what, outcome: 'begun', by: senderOf(call) });
  beginDownload(machine, task);
  return startedTask(call, task);
}

function drawnFault({ machine }: BmcCall, source: string | undefined): Pick<UpdateTask, 'fault'> {
  const { faults } = machine.around;
  if (source !== undefined && faults.takes(machine.name, 'download breaks')) return { fault: 'breaks' };
  const hangs = faults.takes(machine.name, 'update hangs');
  if (hangs) return { fault: 'hangs' };
  return faults.takes(machine.name, 'update fails') ? { fault: 'fails' } : {};
}

function simpleUpdate(call: BmcCall): Promise<BmcReply> {
  const parameterNames = ['ImageURI', 'TransferProtocol', 'Targets', 'Username', 'Password', 'ForceUpdate', 'Stage'];
  const fields = new BodyFields(call.body, parameterNames, { isAction: true });
  const image = fields.text('ImageURI');
  checkLoopbackUrl(call, 'ImageURI', image, schemes);
  if (fields.has('TransferProtocol')) fields.oneOf('TransferProtocol', ['HTTP', 'HTTPS']);
  const source = urlWithLogin(image, fields.textOr('Username', ''), fields.textOr('Password', ''));
  return beginUpdate(call, fields, new URL(image).pathname, source);
}

function pushUpdate(call: BmcCall): Promise<BmcReply> {
  const { parameters, name } = pushedImage(call.request);
  return beginUpdate(call, new BodyFields(parameters, ['Targets', 'ForceUpdate', 'Stage', 'Oem']), name);
}

export const updateRoutes: readonly BmcRoute[] = [
  { path: UPDATE_SERVICE, get: serviceDocument },
  { path: `${UPDATE_SERVICE}/Actions/UpdateService.SimpleUpdate`, post: simpleUpdate, ledger: 'update' },
  { path: PUSH, post: pushUpdate, takesImage: true, ledger: 'update' },
  {
    path: INVENTORY,
    get: (call) =>
      collectionOf(
        call,
        'SoftwareInventory',
        componentsOf(call).map(({ id }) => id),
      ),
  },
  { path: `${INVENTORY}/:id`, has: (call) => componentAt(call) !== undefined, get: componentDocument },
];
