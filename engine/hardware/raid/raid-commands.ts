/**
 * The commands for the agent that look at RAID controllers and change them, by storcli64, perccli64 or mdadm.
 *
 * 1. The look only reads.
 * 2. Each change is a job of its own (`jobs/job-command.ts`), which starts once. In another boot than that of the look, or with other
 *    drives, it does nothing, and says so.
 */
import type { Command } from '../../define/index.ts';
import { dataDrives, type RaidLevel } from '../../vocabulary/raid-levels.ts';
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import common from '../erase/scripts/common.sh';
import { jobCommand } from '../jobs/job-command.ts';
import toolJob from '../jobs/scripts/tool-job.sh';
import { type RaidLook, SOFTWARE } from './raid-look.ts';
import type { RaidChange } from './raid-plan.ts';
import raidJob from './scripts/raid-job.sh';
import lookScript from './scripts/raid-look.sh';

export const raidTools = ['storcli', 'perccli', 'mdadm'] as const;
export type RaidTool = (typeof raidTools)[number];

const LOOK_SEC = 300;
const MIB = 2 ** 20;
const programs: Readonly<Record<RaidTool, string>> = { storcli: 'storcli64', perccli: 'perccli64', mdadm: 'mdadm' };

/** The programs that are asked. @param tool absent: those of hardware controllers */
export const programsOf = (tool?: RaidTool): string =>
  tool === undefined ? `${programs.perccli} ${programs.storcli}` : programs[tool];

/** Prints what `raidLookIn` understands. */
export const raidLook = (tool?: RaidTool): Command => ({
  command: `${common}tools=${shellQuoted(programsOf(tool))}\n${lookScript}`,
  timeoutSec: LOOK_SEC,
  repeatable: true,
});

export interface RaidJob {
  /** A unique name of the job. */
  run: string;
  wanted: Readonly<Record<string, string>>;
}

/** Exported for twins, which recognize it. */
export const raidJobScript = `${common}${toolJob}${raidJob}`;

export const raidCommand = ({ run, wanted }: RaidJob, pauseSec = 0): Command =>
  jobCommand(
    {
      run,
      job: raidJobScript,
      wanted,
      what: 'The change of RAID volumes',
      stopped: "echo 'state stopped'",
      died: "echo 'state died'",
    },
    pauseSec,
  );

/** Drives of each array of which the controller makes a volume; '': it is one array. */
const groupSizes: Partial<Record<RaidLevel, (count: number) => number>> = {
  RAID10: () => 2,
  RAID50: (count) => count / 2,
  RAID60: (count) => count / 2,
};

/** The variables of the job. */
export function wantedOf(change: RaidChange, { boot, program = '', controllers }: RaidLook): Record<string, string> {
  const isArray = controllers.some(({ id }) => id === SOFTWARE);
  const variables = isArray ? arrayVariables(change) : volumeVariables(change);
  return { boot_before: boot, program, kind: isArray ? `${change.kind}-array` : change.kind, ...variables };
}

function volumeVariables(change: RaidChange): Record<string, string> {
  if (change.kind === 'delete') return { target: change.path };
  const { collection, name, wanted, drives } = change;
  return {
    target: collection,
    name,
    level: wanted.raid.toLowerCase(),
    drives: drives.map(placeOf).join(','),
    group: `${groupSizes[wanted.raid]?.(drives.length) ?? ''}`,
    size: wanted.bytes === undefined ? '' : `${Math.ceil(wanted.bytes / MIB)}MB`,
  };
}

/** @param path `/c0/e252/s1`, or `/c0/s1` without an enclosure */
const placeOf = (path: string): string =>
  path.replace(/^\/c\d+\/(?:e(\d+)\/)?s(\d+)$/, (_, e, s) => (e ? `${e}:${s}` : s));

function arrayVariables(change: RaidChange): Record<string, string> {
  const { drives, serials } = change;
  const named = { drives: drives.join(' '), serials: drives.map((drive, at) => `[${drive}=${serials[at]}]`).join('') };
  if (change.kind === 'delete') return named;
  const { raid, bytes } = change.wanted;
  // mdadm mirrors one drive on all others.
  const parts = raid === 'RAID1' ? 1 : dataDrives(raid, drives.length);
  const kib = bytes === undefined ? '' : `${Math.ceil(bytes / parts / 1024)}`;
  return { ...named, name: change.name, level: raid.slice('RAID'.length), size: kib };
}
