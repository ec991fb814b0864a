/**
 * The commands for the agent that look at the firmware of a node's devices, and update it.
 *
 * 1. The look only reads.
 * 2. Each update of a device is a job of its own (`jobs/job-command.ts`), which starts once. In another boot than that of the look, or on
 *    another drive, it does nothing, and says so.
 * 3. A file with another checksum is not written. A cancel stops no tool that writes: the job is brought to its end.
 */
import type { Command } from '../../define/index.ts';
import { fileNameOf } from '../../vocabulary/device-kinds.ts';
import { shellQuoted } from '../../vocabulary/shell-quoted.ts';
import common from '../erase/scripts/common.sh';
import { jobCommand } from '../jobs/job-command.ts';
import fetch from '../jobs/scripts/fetch.sh';
import toolJob from '../jobs/scripts/tool-job.sh';
import { packagesIn, type TargetDevice } from './device-look.ts';
import type { DeviceUpdate } from './device-updates.ts';
import device from './scripts/device.sh';
import lookScript from './scripts/device-look.sh';
import updateJob from './scripts/update-job.sh';

const LOOK_SEC = 900;
const programs = { nvme: 'nvme', sata: 'hdparm', sas: 'sg_inq sg_write_buffer', package: '' } as const;

/** Exported for twins, which recognize it. */
export const deviceLookScript = lookScript;

/** Prints what `deviceLookIn` understands. */
export function deviceLook(updates: readonly DeviceUpdate[]): Command {
  const kinds = [...new Set(updates.map(({ kind }) => kind))];
  const tools = updates.flatMap(({ package: vendors }) => vendors?.program ?? []);
  const commands = packagesIn(updates).map(({ versionCommand }, n) => `version_${n}=${shellQuoted(versionCommand)}\n`);
  const needs = [...kinds.map((kind) => programs[kind]), 'curl sha256sum timeout mktemp', ...tools].join(' ').trim();
  const variables = { kinds: kinds.join(' '), needs, packages: `${commands.length}` };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${shellQuoted(value)}\n`);
  return {
    command: `${common}${device}${lines.join('')}${commands.join('')}${lookScript}`,
    timeoutSec: LOOK_SEC,
    repeatable: true,
  };
}

/** Exported for twins, which recognize it. */
export const updateJobScript = `${common}${device}${fetch}${toolJob}${updateJob}`;

export interface UpdateJob {
  /** A unique name of the job. */
  run: string;
  wanted: Readonly<Record<string, string>>;
}

const stopped = `if [ -e "$1/exit" ]; then
  echo "The update had begun, and was brought to its end; the device has the version $(sed -n 's/^after //p' "$1/exit")."
else
  echo 'No firmware was written.'
fi`;

export const updateCommand = ({ run, wanted }: UpdateJob, pauseSec = 0): Command =>
  jobCommand(
    { run, job: updateJobScript, wanted, what: 'The update of firmware', stopped, died: "echo 'state died'" },
    pauseSec,
  );

/** The variables of the job. */
export function wantedUpdate(update: DeviceUpdate, target: TargetDevice, boot: string): Record<string, string> {
  const { kind, file, sha256, version, slot = 0, action = 1, package: vendors } = update;
  const url = file.split('/').map(encodeURIComponent).join('/');
  const name = fileNameOf(file);
  const common = { boot_before: boot, kind, url, sum: sha256.toLowerCase(), name, version };
  if (vendors === undefined)
    return { ...common, drive: target.device, serial: target.serial, slot: `${slot}`, action: `${action}` };
  const { program, args = [], versionCommand } = vendors;
  const words = [program ?? '{file}', ...args];
  // The shell of the job puts the path, which only it knows, between the quotes.
  const quoted = words.map((word) => shellQuoted(word).replaceAll('{file}', `'"$file"'`));
  return { ...common, arguments: quoted.join(' '), version_command: versionCommand };
}
