/**
 * Work: what a task asks the world for. A task machine `invoke`s it; the engine starts it only after the step that
 * asked for it is saved, and brings its end back as the machine's `onDone` or `onError`.
 *
 * - an **act** is a function that a worker runs (the only place where code touches the world),
 * - **notification** waits for the node's next notification, and gives its parameters,
 * - **childGraph** runs another graph and waits for its end,
 * - **command** is run by the agent on the node, and gives what it said,
 * - **release** waits until another task of the workflow lets it go.
 */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import type { Command, CommandResult, ReleaseInput } from './command.ts';
import type { Discovered, NodeError } from './discovered.ts';
import type { DriveRecord, Interlock, Override } from './erasure.ts';
import type { Obm, Redfish, RedfishAccess, SentCommand } from './obm.ts';

/** What an act gets, besides what its `invoke` gives as `input`. */
export interface ActScope<Input> {
  input: Input;
  /** Fires when the call is cancelled or times out, or the daemon stops. An act has to end soon after it. */
  signal: AbortSignal;
  /** The same for every attempt at this piece of work: hand it on where the other side can deduplicate. */
  workId: string;
  /** Counts from 1; more than 1 after a retry. */
  attempt: number;
  nodeId: string | null;
  /** What this call has sent to obms so far: in earlier attempts, and before its process died. */
  sent: readonly SentCommand[];
  /** ms until the call times out, from the begin of the act; null: never. */
  timeLeftMs: number | null;
  /** Looks at the node, its catalogs and the daemon's own settings. */
  world: World;
}

/** The engine's side that acts may use. Narrow on purpose: an act that needs more is a new kind of work. */
export interface World {
  /** The allow-list for `Task.Shell.Command`: absolute paths of executables. */
  readonly shellCommands: readonly string[];
  /** Lets go what waits in an act's workflow for the release of a group; `workId` is the act's. @returns whether anything did */
  release(workId: string, group: string): Promise<boolean>;
  /** Gives the node the SKU that its catalogs ask for, and tells listeners that it is discovered; in a repeat as the same. */
  discovered(node: string, workId: string): Promise<Discovered>;
  /** Says in the node's record, and in the log, why it could not be discovered. */
  noteError(node: string, error: NodeError): Promise<void>;
  /** What the node's latest catalog of a source holds. */
  catalog(node: string, source: string): Promise<unknown>;
  /**
   * The same, unless it is not known to come from the node: neither a user posted it, nor an agent with the key that the
   * boot of the node handed out. For what decides where secrets go. @throws PermanentError CATALOG_UNTRUSTED
   */
  trustedCatalog(node: string, source: string): Promise<unknown>;
  /** Keeps the node's power as it is while something would not survive otherwise. */
  readonly interlock: Interlock;
  /** Signs and keeps what was done to drives, as the certificate of an act's workflow; in a repeat the first one stays. */
  certify(workId: string, drives: readonly DriveRecord[]): Promise<void>;
  /**
   * How the node's power is reached. Its commands heed the interlock, and go out once in a call.
   * @param service absent: the first that it has @throws ObmError OBM_MISSING, OBM_INVALID
   */
  obm(node: string, service?: string, override?: Override): Promise<Obm>;
  /** The Redfish service of the node's BMC. @throws ObmError OBM_MISSING, OBM_INVALID */
  redfish(node: string, access?: RedfishAccess): Promise<Redfish>;
  /** Gives the node this obm, in place of the one of that service. */
  setObm(node: string, service: string, config: Record<string, unknown>): Promise<void>;
}

export type Act<Input, Output> = PromiseActorLogic<Output, Input>;

/** The function behind an act, for the worker that runs it. */
export type ActFunction = (scope: ActScope<unknown>) => Promise<unknown>;

/** Makes an act out of a function. It is promise logic, so the machine also runs in XState's own interpreter. */
export function act<Input, Output>(run: (scope: ActScope<Input>) => Promise<Output>): Act<Input, Output> {
  // XState types the creator with its own arguments; the engine calls it with an ActScope (`actFunction` below).
  return fromPromise(run as unknown as Parameters<typeof fromPromise<Output, Input>>[0]);
}

const KIND = Symbol.for('nodewright.work');
export type WorkKind = 'act' | 'notification' | 'graph' | 'command' | 'release';

const waiting = <Input, Output>(kind: WorkKind): Act<Input, Output> => {
  const logic = fromPromise<Output, Input>(() => new Promise<Output>(() => {}));
  return Object.assign(logic, { [KIND]: kind });
};

export interface ChildGraphInput {
  name: string;
  options: Record<string, unknown>;
  /** The node to run on; absent: the parent's node, which the child shares. */
  nodeId?: string;
}

export interface NotificationInput {
  /** Nothing but the callback of the call will do. */
  callbackOnly?: boolean;
}

/** Ends with the parameters of the first notification for it, or for any wait on the node, that no other call has taken. */
export const notification: Act<NotificationInput | undefined, Record<string, unknown>> = waiting('notification');

/** Ends when the child workflow has; fails when it did not succeed. Cancelled with the call. */
export const childGraph: Act<ChildGraphInput, { workflowId: string; output: unknown }> = waiting('graph');

/**
 * Ends with what the node's agent found. Handed out by `GET /tasks/:identifier`, one at a time; to an agent that died
 * meanwhile and came back once more, but only when the task is `idempotent`.
 */
export const command: Act<Command, CommandResult> = waiting('command');

/** Ends when a task of the same workflow releases the group. Until then its input says what the node boots. */
export const release: Act<ReleaseInput, Record<never, never>> = waiting('release');

/** What kind of work a logic is; undefined for anything that a task may not invoke. */
export function workKind(logic: unknown): WorkKind | undefined {
  if (typeof logic !== 'object' || logic === null) return undefined;
  if (KIND in logic) return (logic as { [KIND]: WorkKind })[KIND];
  return 'config' in logic && typeof logic.config === 'function' ? 'act' : undefined;
}

export const actFunction = (logic: unknown): ActFunction => (logic as { config: ActFunction }).config;
