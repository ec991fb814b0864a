/** Commands for the agent on a node: what is asked of it, and what it says. */

/**
 * How what a command printed becomes a catalog.
 *
 * - `json`: an object or a list as it stands; a list of one object is that object
 * - `raw`: `{ raw: text }`
 * - `dmi`: the blocks of dmidecode, by their title
 * - `pairs`: lines `Key : Value`, as ipmitool prints them; what is indented further hangs on the line before
 * - `paths`: lines `a.b.0.c=text` or `a.b.0.d:=JSON`, an object of what stands at these paths; `=` alone: an empty list
 */
export const catalogFormats = ['json', 'raw', 'dmi', 'pairs', 'paths'] as const;
export type CatalogFormat = (typeof catalogFormats)[number];

export interface Command {
  /** For a POSIX shell. */
  command: string;
  /** What it prints becomes the node's catalog of that source. */
  catalog?: { source: string; format: CatalogFormat };
  /** Absent: 0 alone. */
  acceptedResponseCodes?: number[];
  /** Seconds after which the agent ends it; its exit code is 124 then. */
  timeoutSec: number;
  /** It may be handed out again to whoever asks, though its task is `once`. */
  repeatable?: true;
  /**
   * It looks whether there is a file `$NODEWRIGHT_CANCELLED`, and ends soon after there is. So cancelling tells it, waits
   * for it even when no agent has it yet, and keeps what it printed.
   */
  cancellable?: true;
  /** An interlock that is released when this was cancelled and ends with 0: nothing goes on that would need it. */
  interlock?: string;
}

export interface CommandResult {
  exitCode: number;
  /** Cut with a mark. Empty when it became a catalog. */
  stdout: string;
  stderr: string;
  /** The id of the catalog. */
  catalog?: string;
}

/** What a node boots that asks meanwhile: a microkernel, by paths below the file server or by URLs. */
export interface BootImage {
  /** The name of the profile that says how; absent: `linux.ipxe`. */
  profile?: string;
  kernel: string;
  initrd?: string;
  /** What the kernel is told besides. */
  cmdline?: string;
}

export interface ReleaseInput {
  group: string;
  boot?: BootImage;
}
