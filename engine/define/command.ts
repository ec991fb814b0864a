/** Commands for the agent on a node, and their results. */

/**
 * How the output of a command becomes a catalog.
 *
 * - `json`: an object or a list, unchanged; a list of one object becomes that object
 * - `raw`: `{ raw: text }`
 * - `dmi`: the blocks of dmidecode, keyed by title
 * - `pairs`: lines `Key : Value`, as ipmitool prints them; a line with more indentation belongs to the line before it
 * - `paths`: lines `a.b.0.c=text` or `a.b.0.d:=JSON`: an object with these values at these paths; `=` alone: an empty
 *   list
 * - `ami`, `flashupdt`: the versions that these tools print, keyed as in RackHD's catalogs
 */
export const catalogFormats = ['json', 'raw', 'dmi', 'pairs', 'paths', 'ami', 'flashupdt'] as const;
export type CatalogFormat = (typeof catalogFormats)[number];

export interface Command {
  /** Run by a POSIX shell. */
  command: string;
  /** The file that the command fetches and runs: agents of switches do so themselves. */
  downloadUrl?: string;
  /** The output becomes the node's catalog of this source. */
  catalog?: { source: string; format: CatalogFormat };
  /** Absent: only 0. */
  acceptedResponseCodes?: number[];
  /** Seconds after which the agent kills the command; the exit code is then 124. */
  timeoutSec: number;
  /** Seconds before which no agent gets it, unless it is cancelled: a pause after a command that failed. */
  pauseSec?: number;
  /** May be delivered again to any agent of the node, although its task is `once`. */
  repeatable?: true;
  /**
   * The command checks for a file `$NODEWRIGHT_CANCELLED` and ends soon after it exists. A cancel therefore notifies the
   * command, waits for it even if no agent has fetched it yet, and keeps its output.
   */
  cancellable?: true;
  /**
   * The exit code that says: what the command started is still running. A command that was cancelled in the meantime has
   * not ended by it: it is delivered again, as cancelled. Requires `repeatable`; part of `acceptedResponseCodes`.
   */
  runningCode?: number;
  /**
   * An interlock to release if the cancelled command exits with 0: nothing that needs the interlock is still running.
   */
  interlock?: string;
}

export interface CommandResult {
  exitCode: number;
  /** Truncated with a marker. Empty if it became a catalog. */
  stdout: string;
  stderr: string;
  /** The id of the catalog. */
  catalog?: string;
}

/** The microkernel or the installer that a waiting node boots; files are paths below the file server, or URLs. */
export interface BootImage {
  /** Name of the boot profile. Absent: `linux.ipxe`. */
  profile?: string;
  /** Absent: the profile names it. */
  kernel?: string;
  initrd?: string;
  /** Additional kernel arguments. */
  cmdline?: string;
  /** Variables of templates that the node fetches in the meantime, besides the options of the task. */
  variables?: Record<string, unknown>;
}

/** The profile that leaves the network card to the firmware, which continues with the disk. */
export const localBoot: BootImage = { profile: 'local.ipxe', kernel: '' };

export interface ReleaseInput {
  group: string;
  /** It also ends at the next request of the node's agent, unless a task of the graph is there to release the group. */
  onRequest?: true;
  boot?: BootImage;
}
