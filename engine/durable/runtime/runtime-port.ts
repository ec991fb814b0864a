/** The modules around the runtime: the foundation that it uses, and those of higher districts that it calls. */

import type { Override } from '../../define/erasure.ts';
import type { BmcAccount, Racadm, RedfishAccess } from '../../define/obm.ts';
import type { Services } from '../../define/operation.ts';
import type { NodeDriver } from '../../hardware/obm/driver.ts';
import type { NoteSecret } from '../../hardware/obm/note-secret.ts';
import type { RedfishDriver } from '../../hardware/obm/redfish-at.ts';
import type { DefinitionLibrary } from '../../library/versions/library.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Queue, Queues } from '../../platform/queue/port.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Store } from '../../platform/store/port.ts';
import type { Publication } from '../../vocabulary/event.ts';
import type { Effect, PendingEffects, WorkflowRow } from '../step/row.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { CodeWatch } from '../watchdog/watchdog.ts';
import type { Records } from './records.ts';

/** The services of the engine before they are bound to one activity. */
export interface SharedServices extends Omit<Services, 'obm' | 'redfish' | 'bmcAccount' | 'racadm'> {
  /**
   * @param service absent: the first that the node has
   * @param note receives the secrets that the driver uses
   * @param workflow the one that uses it
   * @throws ObmError OBM_MISSING, OBM_INVALID
   */
  driver(
    node: string,
    service: string | undefined,
    override: Override | undefined,
    note: NoteSecret,
    workflow: string,
  ): Promise<NodeDriver>;
  redfish(node: string | null, access?: RedfishAccess, note?: NoteSecret): Promise<RedfishDriver>;
  bmcAccount(node: string, service?: string, note?: NoteSecret): Promise<BmcAccount>;
  racadm(node: string, note?: NoteSecret): Promise<Racadm>;
}

/** Starts a child workflow, once. @throws NodewrightError if it is rejected */
export type LaunchChild = (parent: WorkflowRow, effect: Extract<Effect, { kind: 'launch' }>) => Promise<void>;

export interface RuntimePort {
  store: Store;
  queues: Queues;
  records: Records;
  outbox: {
    /** @param follows false: another process may have published the previous events of the workflow */
    publish(publications: readonly Publication[], follows?: boolean): Promise<void>;
  };
  /** Publishes the events of changes that are no steps. */
  publisher: { sweep(minAgeMs: number): Promise<void> };
  cluster: Cluster;
  vault: Vault;
  library: DefinitionLibrary;
  watchdog: CodeWatch;
  tracing: Tracing;
  /** For the quarantine. */
  log: Log;
  /** The parts of nodes and their BMCs that activities may use. */
  services: Omit<SharedServices, 'release'>;
  launchChild: LaunchChild;
  /**
   * Called once with the row and the pending effects of each workflow step, when the step is first saved.
   * @param before the row that it was taken on; undefined: it is the first
   */
  stepSaved(row: WorkflowRow, left: PendingEffects, before: WorkflowRow | undefined): void;
  /** Called with the ms that a step took, from its message until it was saved. */
  stepTook(ms: number): void;
  /** Called when another process was found dead, after its jobs were released. */
  died(): void;
  /** Other queues in which a dead process may own jobs. */
  others: readonly Pick<Queue<unknown>, 'release'>[];
  failed(what: string, error: unknown): void;
}

interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
