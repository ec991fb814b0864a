/** Firmware: its inventory, and updates from a URL or by a push (UpdateService). */
import type { JsonObject } from '../../vocabulary/json.ts';
import { settleUpdates } from '../bmc-firmware.ts';
import type { UpdateTask } from '../machine-state.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
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
import { checkUrl } from './loopback.ts';
import { pushedImage } from './multipart.ts';
import { BmcRefusal, badRequest } from './refusals.ts';
import { startedTask } from './tasks.ts';

const SERVICE = `${ROOT_PATH}/UpdateService`;
const INVENTORY = `${SERVICE}/FirmwareInventory`;
const PUSH = `${SERVICE}/update-multipart`;

/** Field time of an update. */
const UPDATE_MS = 120_000;
/** Tasks that a BMC remembers. */
const TASK_LIMIT = 20;
const TARGET_LIMIT = 32;
const schemes = ['http', 'https'] as const;
const applyTimes = ['Immediate', 'OnReset'] as const;

interface Component {
  id: string;
  name: string;
  isUpdateable: boolean;
}

const componentsOf = ({ model }: BmcAsked): Component[] => [
  { id: 'BIOS', name: 'BIOS', isUpdateable: true },
  { id: 'BMC', name: model.bmc.model, isUpdateable: true },
  ...model.firmware,
];

const componentAt = (asked: BmcAsked): Component | undefined =>
  componentsOf(asked).find(({ id }) => id === asked.params.id);

function componentDocument(asked: BmcAsked): JsonObject {
  const component = componentAt(asked);
  return resourceOf(asked, 'SoftwareInventory', component?.name ?? '', {
    SoftwareId: component?.id,
    Version: asked.bmc.versions[component?.id ?? ''],
    Updateable: component?.isUpdateable,
    Status: enabledStatus,
    RelatedItem: [linkTo(component?.id === 'BMC' ? managerPath(asked) : systemPath(asked))],
  });
}

const serviceDocument = (asked: BmcAsked): JsonObject =>
  resourceOf(asked, 'UpdateService', 'Update service', {
    ServiceEnabled: true,
    Status: enabledStatus,
    MaxImageSizeBytes: 1_073_741_824,
    MultipartHttpPushUri: PUSH,
    FirmwareInventory: linkTo(INVENTORY),
    Actions: {
      '#UpdateService.SimpleUpdate': {
        target: `${SERVICE}/Actions/UpdateService.SimpleUpdate`,
        'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'HTTPS'],
        '@Redfish.OperationApplyTimeSupport': {
          '@odata.type': '#Settings.v1_3_5.OperationApplyTimeSupport',
          SupportedValues: applyTimes,
        },
      },
    },
  });

/** @returns ids of components @throws BmcRefusal 400 */
function chosenComponents(asked: BmcAsked, targets: readonly string[], image: string): string[] {
  const all = componentsOf(asked);
  if (targets.length === 0) return [componentByName(all, image)];
  return targets.map((target) => {
    if (target === systemPath(asked)) return 'BIOS';
    if (target === managerPath(asked)) return 'BMC';
    const component = all.find(({ id }) => target === `${INVENTORY}/${id}`);
    if (component?.isUpdateable !== true) throw badRequest('PropertyValueNotInList', target.slice(0, 200), 'Targets');
    return component.id;
  });
}

/** The image itself would say what it is for; its name stands for it. */
function componentByName(all: readonly Component[], image: string): string {
  const name = image.toLowerCase();
  if (/bmc|idrac|ilo|xcc/.test(name)) return 'BMC';
  const named = all.find(({ id, isUpdateable }) => isUpdateable && name.includes(id.toLowerCase()));
  return named?.id ?? 'BIOS';
}

async function beginUpdate(asked: BmcAsked, fields: BodyFields, image: string): Promise<BmcSaid> {
  const { bmc, machine, now } = asked;
  const name = image.split(/[/\\]/).at(-1)?.slice(0, 128) ?? '';
  const components = chosenComponents(asked, fields.texts('Targets', TARGET_LIMIT), name);
  const what = `${components.join(', ')} from ${name}`;
  if (fields.has('@Redfish.OperationApplyTime')) fields.oneOf('@Redfish.OperationApplyTime', applyTimes);
  settleUpdates(bmc, now);
  if (bmc.tasks.some(({ outcome }) => outcome === 'running')) {
    await machine.changed({ kind: 'update', what, outcome: 'refused', by: senderOf(asked) });
    throw new BmcRefusal(503, 'ResourceInUse', [], { headers: { 'Retry-After': '60' } });
  }
  const task = newTask(asked, components, name);
  bmc.tasks = [...bmc.tasks, task].slice(-TASK_LIMIT);
  await machine.changed({ kind: 'update', what, outcome: 'begun', by: senderOf(asked) });
  return startedTask(asked, task);
}

function newTask({ bmc, machine, now }: BmcAsked, components: string[], image: string): UpdateTask {
  const { faults } = machine.around;
  const hangs = faults.takes(machine.name, 'update hangs');
  const fails = !hangs && faults.takes(machine.name, 'update fails');
  bmc.lastId += 1;
  return {
    id: String(bmc.lastId),
    components,
    image,
    started: now,
    until: now + UPDATE_MS,
    outcome: 'running',
    ...(hangs && { fault: 'hangs' }),
    ...(fails && { fault: 'fails' }),
  };
}

function simpleUpdate(asked: BmcAsked): Promise<BmcSaid> {
  const known = ['ImageURI', 'TransferProtocol', 'Targets', 'Username', 'Password', 'ForceUpdate', 'Stage'];
  const fields = new BodyFields(asked.body, known, { isAction: true });
  const image = fields.text('ImageURI');
  checkUrl(asked, 'ImageURI', image, schemes);
  if (fields.has('TransferProtocol')) fields.oneOf('TransferProtocol', ['HTTP', 'HTTPS']);
  return beginUpdate(asked, fields, new URL(image).pathname);
}

function pushUpdate(asked: BmcAsked): Promise<BmcSaid> {
  const { parameters, name } = pushedImage(asked.request);
  return beginUpdate(asked, new BodyFields(parameters, ['Targets', 'ForceUpdate', 'Stage', 'Oem']), name);
}

export const updateRoutes: readonly BmcRoute[] = [
  { path: SERVICE, get: serviceDocument },
  { path: `${SERVICE}/Actions/UpdateService.SimpleUpdate`, post: simpleUpdate },
  { path: PUSH, post: pushUpdate, takesImage: true },
  {
    path: INVENTORY,
    get: (asked) =>
      collectionOf(
        asked,
        'SoftwareInventory',
        componentsOf(asked).map(({ id }) => id),
      ),
  },
  { path: `${INVENTORY}/:id`, has: (asked) => componentAt(asked) !== undefined, get: componentDocument },
];
