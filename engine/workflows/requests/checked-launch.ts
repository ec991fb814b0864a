/** A launch whose graph, node and options are known, but not checked yet. */
import type { OverrideRequest } from '../../api-port/holds.ts';
import type { StartCommand } from '../../durable/actors/messages.ts';
import type { Graph } from '../../library/types.ts';
import type { JsonObject } from '../../vocabulary/json.ts';

export interface CheckedLaunch
  extends Pick<
    StartCommand,
    | 'node'
    | 'mailboxId'
    | 'operator'
    | 'team'
    | 'launcherRoles'
    | 'discovery'
    | 'parent'
    | 'root'
    | 'depth'
    | 'batch'
    | 'rule'
  > {
  /** Id of the workflow. */
  id: string;
  /** Name of the graph. */
  name: string;
  options: JsonObject;
  domain: string | undefined;
  /** The holds that it overrides; absent: none. */
  override?: OverrideRequest;
  /** The id of the ticket under which it starts; absent: none. */
  ticket?: string;
  /** Its options may hold values that are encrypted already; no user entered them like that. */
  isEncrypted?: true;
  rollout?: { id: string; phase: number };
  /** The version to run; absent: the newest, or that of `retry`. */
  definitionHash?: string;
  /** Retries only: the version to run, and what it takes over. */
  retry?: Required<Pick<StartCommand, 'retryOf' | 'carried' | 'acknowledged'>> & { graph: Graph };
}
