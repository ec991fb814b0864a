/** Virtual media: a CD and a stick, below the system or below the manager (VirtualMedia). An image on a web server has to be there. */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { lookAtImage, shownUrl } from '../machine/image-fetch.ts';
import type { Machine } from '../machine/twin-machine.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { BmcRejection, badRequest } from './bmc-rejection.ts';
import { collectionOf, noContent, ROOT_PATH, resourceOf } from './documents.ts';
import { BodyFields } from './fields.ts';
import { checkLoopbackUrl, urlWithLogin } from './loopback-url.ts';

const drives: Readonly<Record<string, readonly string[]>> = {
  Cd: ['CD', 'DVD'],
  Usb: ['USBStick', 'Floppy'],
};
const schemes = ['http', 'https', 'nfs', 'cifs'] as const;

function mediumDocument(call: BmcCall): JsonObject {
  const { id = '' } = call.params;
  const image = call.bmc.media[id];
  return resourceOf(call, 'VirtualMedia', `Virtual ${id}`, {
    MediaTypes: drives[id],
    Image: image ?? null,
    ImageName: image === undefined ? null : (new URL(image).pathname.split('/').at(-1) ?? null),
    Inserted: image !== undefined,
    WriteProtected: true,
    ConnectedVia: image === undefined ? 'NotConnected' : 'URI',
    Actions: {
      '#VirtualMedia.InsertMedia': { target: `${call.path}/Actions/VirtualMedia.InsertMedia` },
      '#VirtualMedia.EjectMedia': { target: `${call.path}/Actions/VirtualMedia.EjectMedia` },
    },
  });
}

const parameters = [
  ...['Image', 'Inserted', 'WriteProtected', 'TransferMethod', 'TransferProtocolType', 'MediaTypes'],
  ...['UserName', 'Password'],
];

async function insertMedia(call: BmcCall): Promise<BmcReply> {
  const { bmc, body, machine, params } = call;
  const fields = new BodyFields(body, parameters, { isAction: true });
  const image = fields.text('Image');
  checkLoopbackUrl(call, 'Image', image, schemes);
  if (/^https?:/i.test(image)) {
    await needImage(machine, urlWithLogin(image, fields.textOr('UserName', ''), fields.textOr('Password', '')));
  }
  const { id = '' } = params;
  if (bmc.media[id] !== undefined && bmc.media[id] !== image) throw new BmcRejection(409, 'ResourceInUse');
  bmc.media[id] = image;
  await machine.save();
  return noContent;
}

/** @throws BmcRejection 400 */
async function needImage(machine: Machine, url: string): Promise<void> {
  const isCut = machine.around.faults.takes(machine.name, 'download breaks');
  const problem = (await lookAtImage(machine, url)) ?? (isCut ? { words: [shownUrl(url)] } : undefined);
  if (problem !== undefined) throw badRequest(problem.id ?? 'CouldNotEstablishConnection', ...problem.words);
}

async function ejectMedia({ bmc, machine, params }: BmcCall): Promise<BmcReply> {
  delete bmc.media[params.id ?? ''];
  await machine.save();
  return noContent;
}

function routesBelow(owner: 'system' | 'manager', parent: string): BmcRoute[] {
  const has = ({ model, params }: BmcCall): boolean =>
    model.tree.mediaOf === owner && (params.id === undefined || Object.hasOwn(drives, params.id));
  const medium = `${parent}/VirtualMedia/:id`;
  return [
    {
      path: `${parent}/VirtualMedia`,
      has,
      get: (call) => collectionOf(call, 'VirtualMedia', Object.keys(drives)),
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
