/**
 * Operations: what a task can invoke. A task machine `invoke`s an operation; the engine starts it only after the step
 * that requested it is saved, and delivers its end as the machine's `onDone` or `onError`.
 *
 * - **act** (an activity): a function that a worker runs, the only code with side effects
 * - **notification**: waits for the node's next notification and returns its parameters
 * - **childGraph**: runs another graph and waits until it has ended
 * - **command**: run by the agent on the node; returns its result
 * - **release**: waits until another task of the workflow releases the group
 */

import { fromPromise, type PromiseActorLogic } from 'xstate';
import type { HealthState } from '../vocabulary/states.ts';
import type { BmcNode, ReadBmc } from './bmc-node.ts';
import type { Command, CommandResult, ReleaseInput } from './command.ts';
import type { DiscoveryOutcome, NodeError } from './discovery-outcome.ts';
import type { DriveRecord, Interlock, Override } from './erasure.ts';
import type { ObmService } from './node.ts';
import type { BmcAccount, Obm, Racadm, Redfish, RedfishAccess, SentCommand } from './obm.ts';

/** The scope of an activity, including the `input` of its `invoke`. */
export interface ActivityScope<Input> {
  input: Input;
  /** Aborts when the task run is cancelled or times out, or the daemon stops. The activity must end soon afterwards. */
  signal: AbortSignal;
  /** The same for every attempt at this operation: pass it on to services that can deduplicate. */
  operationId: string;
  /** Counts from 1; more than 1 after a retry. */
  attempt: number;
  nodeId: string | null;
  /** Commands that this task run has sent to obms so far, in earlier attempts and before a crash. */
  sent: readonly SentCommand[];
  /** ms from the start of the activity until the task run times out; null: no timeout. */
  timeLeftMs: number | null;
  /** Services of the engine. */
  services: Services;
}

/** A file of the file store, complete or not at all. */
export interface ReadableFile {
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
}

/** Judges the hosts of requests. Its types need none of Node.js: authors compile against them. */
export interface HostCheck {
  /** Called before each request. @throws PermanentError EGRESS_DENIED */
  check(url: string): void;
  /** For the connection, instead of `dns.lookup`. */
  readonly lookup: (
    name: string,
    options: { all?: boolean | undefined },
    done: (error: Error | null, address: string | { address: string; family: number }[], family?: number) => void,
  ) => void;
}

/** The services that activities may use. Deliberately narrow: an activity that needs more is a new kind of operation. */
export interface Services {
  /** The allow-list for `Task.Shell.Command`: absolute paths of executables. */
  readonly shellCommands: readonly string[];
  /** The hosts that requests to URLs of users may go to. */
  readonly egress: HostCheck;
  /** Releases a group in the activity's workflow; `operationId` is the activity's. @returns whether anything waited for it */
  release(operationId: string, group: string): Promise<boolean>;
  /**
   * Assigns the SKU that matches the node's catalogs and publishes that the node is discovered; a repeat publishes the
   * same.
   */
  completeDiscovery(node: string, operationId: string): Promise<DiscoveryOutcome>;
  /** Replaces the report of a burn-in on the node's health, until the next one. A repeat changes nothing. */
  reportHealth(node: string, report: { source: 'burn-in'; state: HealthState; message: string }): Promise<void>;
  /** Reports in the node's record and in the log why the discovery failed. */
  noteError(node: string, error: NodeError): Promise<void>;
  /** Returns the data of the node's latest catalog of a source. */
  catalog(node: string, source: string): Promise<unknown>;
  /**
   * The same, but only for a catalog posted by a user or by an agent with the key that the node's boot delivered. For
   * data that decides where secrets are sent. @throws PermanentError CATALOG_UNTRUSTED
   */
  trustedCatalog(node: string, source: string): Promise<unknown>;
  /** Adds a catalog to the node. */
  addCatalog(node: string, source: string, data: unknown): Promise<void>;
  /** Assigns the SKU that matches the node's catalogs. */
  classify(node: string): Promise<DiscoveryOutcome>;
  /**
   * Relates the node to the enclosure with this serial number, which is created if there is none. A repeat changes nothing.
   * @returns the id of the enclosure
   */
  enclose(node: string, serial: string): Promise<string>;
  /** Creates a poller of the node, unless it has one. @returns false if there is no poller of this type and command */
  addPoller(node: string, poller: { type: string; command: string; pollInterval?: number }): Promise<boolean>;
  /** Blocks power changes of the node while they would cause damage. */
  readonly interlock: Interlock;
  /** Signs and stores the certificate of the activity's workflow; a repeat keeps the first certificate. */
  certify(operationId: string, drives: readonly DriveRecord[]): Promise<void>;
  /**
   * Returns an obm of the node. Its commands respect the interlock and are sent once per task run.
   * @param service absent: the first that the node has @throws ObmError OBM_MISSING, OBM_INVALID
   */
  obm(node: string, service?: string, override?: Override): Promise<Obm>;
  /** Returns the Redfish service of the node's BMC. @param node null: that of the access @throws ObmError OBM_MISSING, OBM_INVALID */
  redfish(node: string | null, access?: RedfishAccess): Promise<Redfish>;
  /**
   * Reads the switch or PDU of the node with the settings of its `snmp-ibm-service`. @returns the data of catalogs, by source
   * @throws ObmError OBM_INVALID without such settings, OBM_UNREACHABLE
   */
  readSnmp(node: string, timeoutMs: number, signal: AbortSignal): Promise<Record<string, object>>;
  /** Returns the ids of the nodes with an obm at a host. */
  nodesOfBmc(host: string): Promise<string[]>;
  /**
   * Returns the node of a BMC that was read, with the MACs of its machine as identifiers. A repeat changes nothing.
   * @throws NodewrightError NOT_FOUND, CONFLICT
   */
  registerBmc(bmc: ReadBmc): Promise<BmcNode>;
  /** Returns the BMC account of an obm. @param service absent: the first that the node has @throws ObmError OBM_MISSING */
  bmcAccount(node: string, service?: string): Promise<BmcAccount>;
  /** Returns racadm for the iDRAC of the node, with the address and account of its obm. @throws ObmError OBM_MISSING */
  racadm(node: string): Promise<Racadm>;
  /** Changes values of the node's obm of this service, and sets those of a new one. */
  changeObm(node: string, service: ObmService, change: Record<string, unknown>): Promise<void>;
  /** Returns a file that was stored with `PUT /files/:name`; undefined if there is none. */
  file(name: string): Promise<ReadableFile | undefined>;
  /** Sets the node's obm of this service, replacing the existing one. */
  setObm(node: string, service: ObmService, config: Record<string, unknown>): Promise<void>;
}

export type Activity<Input, Output> = PromiseActorLogic<Output, Input>;

/** The function of an activity, for the worker that runs it. */
export type ActivityFunction = (scope: ActivityScope<unknown>) => Promise<unknown>;

/** Makes an activity from a function. It is promise logic, so the machine also runs in XState's own interpreter. */
export function activity<Input, Output>(
  run: (scope: ActivityScope<Input>) => Promise<Output>,
): Activity<Input, Output> {
  // XState types the creator with its own arguments; the engine calls it with an ActScope (`activityFunction` below).
  return fromPromise(run as unknown as Parameters<typeof fromPromise<Output, Input>>[0]);
}

const KIND = Symbol.for('nodewright.work');
export type OperationKind = 'activity' | 'notification' | 'graph' | 'command' | 'release';

const waitingActivity = <Input, Output>(kind: OperationKind): Activity<Input, Output> => {
  const logic = fromPromise<Output, Input>(() => new Promise<Output>(() => {}));
  return Object.assign(logic, { [KIND]: kind });
};

export interface ChildGraphInput {
  name: string;
  /** By label. Templates are rendered in the child, unless the task declares with `runs` which of its own options these are. */
  options: Record<string, unknown>;
  /** The node to run on. Absent: the parent's node, which the child shares. */
  nodeId?: string;
}

export interface NotificationInput {
  /** Accept only the callback of the task run. */
  callbackOnly?: boolean;
  /** False: a broadcast, which is addressed to no node, does not end the wait. Default true. */
  broadcast?: boolean;
}

/** Ends with the parameters of the first unclaimed notification for this task, or for any wait on the node. */
export const notification: Activity<NotificationInput | undefined, Record<string, unknown>> = waitingActivity(
  'notification',
);

/** Ends with the child workflow; fails if the child did not succeed. Cancelled with the task run. */
export const childGraph: Activity<ChildGraphInput, { workflowId: string; output: unknown }> = waitingActivity('graph');

/**
 * Ends with the result from the node's agent. `GET /tasks/:identifier` delivers commands one at a time. An agent that
 * died and returned receives the command again only if the task is `idempotent`.
 */
export const command: Activity<Command, CommandResult> = waitingActivity('command');

/**
 * Ends when a task of the same workflow releases the group. Until then its input defines what the node boots, and longer
 * while tasks of the graph still need the agent.
 */
export const release: Activity<ReleaseInput, Record<never, never>> = waitingActivity('release');

/** Returns the kind of operation of a logic; undefined for anything that a task may not invoke. */
export function operationKind(logic: unknown): OperationKind | undefined {
  if (typeof logic !== 'object' || logic === null) return undefined;
  if (KIND in logic) return (logic as { [KIND]: OperationKind })[KIND];
  return 'config' in logic && typeof logic.config === 'function' ? 'activity' : undefined;
}

export const activityFunction = (logic: unknown): ActivityFunction => (logic as { config: ActivityFunction }).config;
