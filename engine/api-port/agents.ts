/** The port of the API to the agents on nodes. */
import type { BootImage, CatalogFormat } from '../define/command.ts';
import type { KnownBy } from '../vocabulary/known-by.ts';

/** A command as delivered to an agent. */
export interface AgentTask {
  id: string;
  /** The instanceId of its task: for `/notification/progress`. */
  taskId: string;
  cmd: string;
  catalog?: { source: string; format: CatalogFormat };
  /** The file that `cmd` fetches and runs, for agents that do so themselves. */
  downloadUrl?: string;
  /** Seconds. */
  timeout: number;
  /** How many bytes of output the agent has to send at most. */
  limit: number;
  /** Has to be notified of a cancel. */
  listens: boolean;
  /** Was cancelled before any agent had it; it is delivered so that it can report what remains. */
  cancelled: boolean;
  /**
   * The nonce of the callback of the only task run on the node that waits for a notification; null: none, or several.
   */
  callback: string | null;
}

export interface AgentReport {
  id: string;
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Size of the complete output; absent: `stdout` is complete. */
  stdoutBytes?: number;
}

export interface Asking {
  /** Identifies one run of an agent. */
  agent: string;
  /** ms. */
  waitMs: number;
  /** Called when there is no command yet, before the wait for one. */
  waits?(): void;
  /** Aborts when the client no longer waits for the response. */
  signal: AbortSignal;
  /** The sender's. */
  address?: string;
  knownBy?: KnownBy;
}

/** The image that a node boots for a workflow. */
export interface Boot extends BootImage {
  workflow: string;
}

export interface Agents {
  /** Returns the next command for a node. @returns undefined if there was none until the end of the wait */
  next(node: string, asking: Asking): Promise<AgentTask | undefined>;
  /** @returns whether a delivered command is still needed: not if it was cancelled, or its workflow has ended */
  isWanted(node: string, task: string): Promise<boolean>;
  /** Returns the id of the delivered command with this text; undefined if there is none. */
  markDelivered(node: string, cmd: string): Promise<string | undefined>;
  /** @returns for each report whether it was accepted: not if it is a repeat, or nothing waits for it */
  report(node: string, reports: readonly AgentReport[], knownBy?: KnownBy): Promise<boolean[]>;
  /** Returns what the node's workflow makes it boot; null: the workflow does not say; undefined: no workflow. */
  boot(node: string): Promise<Boot | null | undefined>;
}
