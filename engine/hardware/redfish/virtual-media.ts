/** Virtual media: images that a machine sees as a CD or a stick (DSP0266; VirtualMedia). */
import { ObmError, PermanentError, Type } from '../../define/index.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { type Ask, type Json, linkIn, linksIn, membersOf, type Service, unsupportedBy } from './service.ts';

const mediaTypes = ['CD', 'DVD', 'USBStick', 'Floppy'] as const;
type MediaType = (typeof mediaTypes)[number];

export const mediaOption = Type.Optional(
  Type.Unsafe<MediaType>({ enum: [...mediaTypes], description: 'The kind of drive; by default `CD`.' }),
);
type MediaService = Pick<Service, 'ask' | 'finish' | 'system'>;

/** Returns the virtual media of the system, or of its managers: older services have them there. */
async function mediaOf({ ask, system }: MediaService): Promise<Json[]> {
  const resource = await ask({ method: 'GET', path: await system() });
  const mediaLink = linkIn(resource.VirtualMedia);
  if (mediaLink !== undefined) return membersOf(ask, mediaLink);
  for (const manager of linksIn(property(resource.Links, 'ManagedBy'))) {
    const collection = linkIn((await ask({ method: 'GET', path: manager })).VirtualMedia);
    if (collection !== undefined) return membersOf(ask, collection);
  }
  throw unsupportedBy('the BMC has no virtual media');
}

/** @returns the drive for the type: the one with the image, otherwise the first @throws PermanentError MEDIA_REJECTED */
function driveFor(media: readonly Json[], type: MediaType, image?: string): Json {
  const fitting = media.filter(({ MediaTypes: types }) => takes(listIn(types), type));
  const drive = fitting.find(({ Image: held }) => image !== undefined && held === image) ?? fitting[0];
  if (drive !== undefined) return drive;
  const drives = media.map(({ Id: id, MediaTypes: types }) => `${id} (${listIn(types).join(', ')})`).join('; ');
  throw new PermanentError(`found the drives ${drives || 'none'}; expected one for ${type}`, 'MEDIA_REJECTED');
}

const takes = (types: readonly unknown[], type: MediaType): boolean =>
  types.includes(type) || ((type === 'CD' || type === 'DVD') && (types.includes('CD') || types.includes('DVD')));

const holds = ({ Inserted: inserted, Image: held }: Json, image: string): boolean =>
  inserted !== false && held === image;

const isEmpty = ({ Inserted: inserted, Image: held }: Json): boolean =>
  inserted !== true && (held === null || held === undefined || held === '');

async function insert({ ask, finish }: MediaService, drive: Json, body: Json): Promise<void> {
  const path = actionOf(drive, 'InsertMedia');
  // Services before 1.1 of VirtualMedia have no actions.
  if (path === undefined) await ask({ method: 'PATCH', path: linkIn(drive) as string, body });
  else await finish({ method: 'POST', path, body });
}

async function eject({ ask, finish }: MediaService, drive: Json): Promise<void> {
  const path = actionOf(drive, 'EjectMedia');
  if (path === undefined) await ask({ method: 'PATCH', path: linkIn(drive) as string, body: { Image: null } });
  else await finish({ method: 'POST', path, body: {} });
}

function actionOf({ Actions: actions }: Json, name: string): string | undefined {
  const path = property(property(actions, `#VirtualMedia.${name}`), 'target');
  return typeof path === 'string' ? path : undefined;
}

/** Reads the drive again: a service may answer before, or without, doing what it was asked. */
const readAgain = (ask: Ask, drive: Json): Promise<Json> => ask({ method: 'GET', path: linkIn(drive) as string });

/**
 * Inserts an image, unless it is inserted; another one is ejected first.
 * @returns the path of the drive, and whether the image was inserted now
 */
export async function insertImage(service: MediaService, type: MediaType, image: string) {
  const drive = driveFor(await mediaOf(service), type, image);
  const path = String(drive['@odata.id']);
  if (holds(drive, image)) return { drive: path, inserted: false };
  if (!isEmpty(drive)) await eject(service, drive);
  await insert(service, drive, { Image: image, Inserted: true, WriteProtected: true });
  if (!isEmpty(await readAgain(service.ask, drive))) return { drive: path, inserted: true };
  const problem = `${path} of the BMC is empty after the image was inserted; can the BMC reach ${image}?`;
  throw new ObmError('OBM_FAILED', problem);
}

/** Ejects the image of the drive for the type; an empty drive stays as it is. @returns the path of the drive, and whether it had one */
export async function ejectImage(service: MediaService, type: MediaType) {
  const drive = driveFor(await mediaOf(service), type);
  const ejected = !isEmpty(drive);
  if (ejected) await eject(service, drive);
  return { drive: String(drive['@odata.id']), ejected };
}

/** Ejects images by their URLs, or by the names of their files, which some BMCs show instead. */
export async function ejectImages(service: MediaService, isEjected: (image: string) => boolean): Promise<void> {
  for (const drive of await mediaOf(service))
    if (typeof drive.Image === 'string' && isEjected(drive.Image)) await eject(service, drive);
}
