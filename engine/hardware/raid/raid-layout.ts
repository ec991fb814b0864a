/** The wanted RAID volumes of a node: the same description for each way to make them. */
import { Type } from '../../define/index.ts';
import type { ChosenDrive } from '../../define/task.ts';
import type { Violation } from '../../vocabulary/errors.ts';
import { type RaidLevel, raidLevels, raidLevelViolation } from '../../vocabulary/raid-levels.ts';

export interface VolumeDrives {
  count: number;
  media?: 'HDD' | 'SSD';
  protocol?: 'SAS' | 'SATA' | 'NVMe';
  /** The least size of each drive. */
  bytes?: number;
}

export interface WantedVolume {
  name: string;
  raid: RaidLevel;
  /** Either these serial numbers, or `drives`. */
  serials?: string[];
  drives?: VolumeDrives;
  /** Absent: all that the drives hold. */
  bytes?: number;
}

export interface RaidLayoutOptions {
  volumes: WantedVolume[];
  deleteOthers?: boolean;
  /** Id of the controller; absent: all of the system. */
  controller?: string;
}

export type RaidLayout = RaidLayoutOptions & { deleteOthers: boolean };

/** Without other options, such as the account of a BMC. */
export const layoutIn = ({
  volumes = [],
  deleteOthers = false,
  controller,
}: Partial<RaidLayoutOptions>): RaidLayout => ({
  volumes,
  deleteOthers,
  ...(controller !== undefined && { controller }),
});

const serial = Type.String({ minLength: 1, maxLength: 64 });

/** A petabyte: more than any volume. */
const MOST_BYTES = 10 ** 15;

const wantedVolume = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,14}$',
      description: 'Controllers of some vendors keep 15 characters.',
    }),
    raid: Type.Unsafe<RaidLevel>({ enum: [...raidLevels] }),
    serials: Type.Optional(
      Type.Array(serial, {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        description: 'Serial numbers of its drives.',
      }),
    ),
    drives: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ minimum: 1, maximum: 64 }),
          media: Type.Optional(Type.Unsafe<'HDD' | 'SSD'>({ enum: ['HDD', 'SSD'] })),
          protocol: Type.Optional(Type.Unsafe<'SAS' | 'SATA' | 'NVMe'>({ enum: ['SAS', 'SATA', 'NVMe'] })),
          bytes: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MOST_BYTES, description: 'The least size of each drive.' }),
          ),
        },
        {
          additionalProperties: false,
          description: 'Instead of serials: free drives of one size, the smallest that fit.',
        },
      ),
    ),
    bytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_BYTES, description: 'Absent: all that its drives hold.' }),
    ),
  },
  { additionalProperties: false },
);

export const layoutOptions = {
  volumes: Type.Array(wantedVolume, { maxItems: 32, description: 'The wanted volumes.' }),
  deleteOthers: Type.Optional(
    Type.Boolean({ description: 'true: volumes that are not among the wanted ones are deleted, with their data.' }),
  ),
  controller: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Id of the only controller that is looked at.' }),
  ),
};

/** A change, as people read it. */
export interface ListedChange {
  change: 'create' | 'delete';
  name: string;
  /** Serial numbers of the drives whose content is lost. */
  serials: string[];
}

export const changeSchema = Type.Object(
  {
    change: Type.Unsafe<'create' | 'delete'>({ enum: ['create', 'delete'] }),
    name: Type.String(),
    serials: Type.Array(Type.String()),
  },
  { additionalProperties: false },
);

/** Violations that no machine is needed for. */
export function layoutViolations(volumes: readonly WantedVolume[]): Violation[] {
  return volumes.flatMap(({ name, raid, serials, drives }, at) => {
    const path = `volumes.${at}`;
    if (volumes.findIndex((other) => other.name === name) !== at)
      return [{ path, message: `repeats the name ${name}` }];
    if ((serials === undefined) === (drives === undefined))
      return [{ path, message: 'expected either serials or drives' }];
    const problem = raidLevelViolation(raid, serials?.length ?? drives?.count ?? 0);
    if (problem !== undefined) return [{ path, message: problem }];
    const repeated = serials?.find((serial) => volumes.slice(0, at).some((other) => other.serials?.includes(serial)));
    return repeated === undefined ? [] : [{ path, message: `names the drive ${repeated}, which another volume has` }];
  });
}

/** The drives of a layout that names all of them; undefined: only its run knows them. */
export function namedSerials({
  volumes = [],
  deleteOthers = false,
}: Partial<RaidLayoutOptions>): ChosenDrive[] | undefined {
  if (deleteOthers || volumes.some(({ serials }) => serials === undefined)) return undefined;
  return volumes.flatMap(({ serials = [] }) => serials.map((serial) => ({ devName: '', wwid: '', serial })));
}
