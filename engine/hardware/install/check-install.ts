/** The launch check that the tasks of installers share. */
import type { ChosenDrive, LaunchScope, Violation } from '../../define/index.ts';
import { type DiskNames, installDisk, installDrive } from './install-disk.ts';
import { contradictions, type InstallOptions } from './install-values.ts';

/** The drive that an installer overwrites, for the plan of a launch. */
export async function installedDrives({ options, catalog }: LaunchScope<unknown>): Promise<ChosenDrive[] | undefined> {
  const { installDisk: given } = options as Partial<InstallOptions>;
  const drive = installDrive(given, await catalog('driveId'));
  return drive && [drive];
}

/** Rejects options that contradict each other, and a disk that the node does not have. */
export async function checkInstall(scope: LaunchScope<unknown>, names: DiskNames = 'linux'): Promise<Violation[]> {
  const { options, nodeId, catalog } = scope;
  const given = options as Partial<InstallOptions>;
  if (nodeId === null) return [{ path: 'installDisk', message: 'needs a node; launch the graph on one' }];
  return [...contradictions(given), ...diskViolations(given.installDisk, await catalog('driveId'), names)];
}

function diskViolations(given: string | number | undefined, catalog: unknown, names: DiskNames): Violation[] {
  try {
    installDisk(given, catalog, names);
    return [];
  } catch (error) {
    return [{ path: 'installDisk', message: (error as Error).message.replace(/^installDisk: /, '') }];
  }
}
