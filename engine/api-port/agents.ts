/** The agents on nodes, as the API lets them ask. */
import type { BootImage, CatalogFormat } from '../define/command.ts';
import type { KnownBy } from '../define/known-by.ts';

/** A command as an agent gets it. */
export interface AgentTask {
  id: string;
  /** The instanceId of the task it belongs to: for `/notification/progress`. */
  taskId: string;
  cmd: string;
  catalog?: { source: string; format: CatalogFormat };
  /** Seconds. */
  timeout: number;
  /** Bytes of what it prints that are of use. */
  limit: number;
  /** It wants to be told when it is cancelled. */
  listens: boolean;
  /** It was cancelled before anybody had it; it is handed out to say what it leaves. */
  cancelled: boolean;
  /** The nonce of the callback of the one call on the node that waits for a notification; null: none does, or several do. */
  callback: string | null;
}

export interface AgentReport {
  id: string;
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Of all that it printed; absent: `stdout` is all. */
  stdoutBytes?: number;
}

export interface Asking {
  /** Tells one life of an agent from the next. */
  agent: string;
  /** ms. */
  waitMs: number;
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal;
  knownBy?: KnownBy;
}

/** What a workflow has its node boot. */
export interface Boot extends BootImage {
  workflow: string;
}

export interface Agents {
  /** The next command for a node. @returns undefined when there was none until the end of the wait */
  next(node: string, asking: Asking): Promise<AgentTask | undefined>;
  /** @returns whether a command that was handed out is still wanted: not when it was cancelled, or its workflow has ended */
  wanted(node: string, task: string): Promise<boolean>;
  /** @returns for each whether it was taken: not when it came before, or nobody waits for it */
  report(node: string, reports: readonly AgentReport[], knownBy?: KnownBy): Promise<boolean[]>;
  /** What the node's workflow wants it to boot; null: a workflow holds it that says nothing; undefined: none does. */
  boot(node: string): Promise<Boot | null | undefined>;
}
