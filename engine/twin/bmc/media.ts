/** Virtual media: a CD and a stick, below the system or below the manager (VirtualMedia). Images are not fetched. */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { collectionOf, noContent, ROOT_PATH, resourceOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { checkUrl } from './loopback.ts';
import { BmcRefusal } from './refusals.ts';

const drives: Readonly<Record<string, readonly string[]>> = {
  Cd: ['CD', 'DVD'],
  Usb: ['USBStick', 'Floppy'],
};
const schemes = ['http', 'https', 'nfs', 'cifs'] as const;

function mediumDocument(asked: BmcAsked): JsonObject {
  const { id = '' } = asked.params;
  const image = asked.bmc.media[id];
  return resourceOf(asked, 'VirtualMedia', `Virtual ${id}`, {
    MediaTypes: drives[id],
    Image: image ?? null,
    ImageName: image === undefined ? null : (new URL(image).pathname.split('/').at(-1) ?? null),
    Inserted: image !== undefined,
    WriteProtected: true,
    ConnectedVia: image === undefined ? 'NotConnected' : 'URI',
    Actions: {
      '#VirtualMedia.InsertMedia': { target: `${asked.path}/Actions/VirtualMedia.InsertMedia` },
      '#VirtualMedia.EjectMedia': { target: `${asked.path}/Actions/VirtualMedia.EjectMedia` },
    },
  });
}

const parameters = [
  ...['Image', 'Inserted', 'WriteProtected', 'TransferMethod', 'TransferProtocolType', 'MediaTypes'],
  ...['UserName', 'Password'],
];

async function insertMedia(asked: BmcAsked): Promise<BmcSaid> {
  const { bmc, body, machine, params } = asked;
  const image = new BodyFields(body, parameters, { isAction: true }).text('Image');
  checkUrl(asked, 'Image', image, schemes);
  const { id = '' } = params;
  if (bmc.media[id] !== undefined && bmc.media[id] !== image) throw new BmcRefusal(409, 'ResourceInUse');
  bmc.media[id] = image;
  await machine.changed();
  return noContent;
}

async function ejectMedia({ bmc, machine, params }: BmcAsked): Promise<BmcSaid> {
  delete bmc.media[params.id ?? ''];
  await machine.changed();
  return noContent;
}

function routesBelow(owner: 'system' | 'manager', parent: string): BmcRoute[] {
  const has = ({ model, params }: BmcAsked): boolean =>
    model.tree.mediaOf === owner && (params.id === undefined || Object.hasOwn(drives, params.id));
  const medium = `${parent}/VirtualMedia/:id`;
  return [
    {
      path: `${parent}/VirtualMedia`,
      has,
      get: (asked) => collectionOf(asked, 'VirtualMedia', Object.keys(drives)),
    },
    { path: medium, has, get: mediumDocument },
    { path: `${medium}/Actions/VirtualMedia.InsertMedia`, has, post: insertMedia },
    { path: `${medium}/Actions/VirtualMedia.EjectMedia`, has, post: ejectMedia },
  ];
}

export const mediaRoutes: readonly BmcRoute[] = [
  ...routesBelow('system', `${ROOT_PATH}/Systems/:system`),
  ...routesBelow('manager', `${ROOT_PATH}/Managers/:manager`),
];
