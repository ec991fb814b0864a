/** Virtual media: images that a machine sees as a CD or a stick (DSP0266; VirtualMedia). */
import { PermanentError, Type } from '../../define/index.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { type Ask, type Json, linkIn, linksIn, membersOf, type Service, unsupportedBy } from './service.ts';

const mediaTypes = ['CD', 'DVD', 'USBStick', 'Floppy'] as const;
type MediaType = (typeof mediaTypes)[number];

export const mediaOption = Type.Optional(
  Type.Unsafe<MediaType>({ enum: [...mediaTypes], description: 'The kind of drive; by default `CD`.' }),
);
/** Returns the virtual media of the system, or of its managers: older services have them there. */
export async function mediaOf({ ask, system }: Service): Promise<Json[]> {
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
export function driveFor(media: readonly Json[], type: MediaType, image?: string): Json {
  const fitting = media.filter(({ MediaTypes: types }) => takes(listIn(types), type));
  const drive = fitting.find(({ Image: held }) => image !== undefined && held === image) ?? fitting[0];
  if (drive !== undefined) return drive;
  const drives = media.map(({ Id: id, MediaTypes: types }) => `${id} (${listIn(types).join(', ')})`).join('; ');
  throw new PermanentError(`found the drives ${drives || 'none'}; expected one for ${type}`, 'MEDIA_REJECTED');
}

const takes = (types: readonly unknown[], type: MediaType): boolean =>
  types.includes(type) || ((type === 'CD' || type === 'DVD') && (types.includes('CD') || types.includes('DVD')));

export const holds = ({ Inserted: inserted, Image: held }: Json, image: string): boolean =>
  inserted !== false && held === image;

export const isEmpty = ({ Inserted: inserted, Image: held }: Json): boolean =>
  inserted !== true && (held === null || held === undefined || held === '');

export async function insert({ ask, finish }: Pick<Service, 'ask' | 'finish'>, drive: Json, body: Json): Promise<void> {
  const path = actionOf(drive, 'InsertMedia');
  // Services before 1.1 of VirtualMedia have no actions.
  if (path === undefined) await ask({ method: 'PATCH', path: linkIn(drive) as string, body });
  else await finish({ method: 'POST', path, body });
}

export async function eject({ ask, finish }: Pick<Service, 'ask' | 'finish'>, drive: Json): Promise<void> {
  const path = actionOf(drive, 'EjectMedia');
  if (path === undefined) await ask({ method: 'PATCH', path: linkIn(drive) as string, body: { Image: null } });
  else await finish({ method: 'POST', path, body: {} });
}

function actionOf({ Actions: actions }: Json, name: string): string | undefined {
  const path = property(property(actions, `#VirtualMedia.${name}`), 'target');
  return typeof path === 'string' ? path : undefined;
}

/** Reads the drive again: a service may answer before, or without, doing what it was asked. */
export const readAgain = (ask: Ask, drive: Json): Promise<Json> =>
  ask({ method: 'GET', path: linkIn(drive) as string });
