/** The port of the API to the diagnosis: why workflows do not continue, and how much there is of everything. */
import type { WaitingOn, WorkflowStatus } from '../vocabulary/states.ts';
import type { BmcEndpoint } from './bmcs.ts';

/** Durations in ms of earlier runs that succeeded. */
export interface UsualMs {
  p50: number;
  p90: number;
  runs: number;
}

export interface WaitExplained {
  /** null: the graph itself waits. */
  label: string | null;
  /** null: a task runs. */
  waitingOn: WaitingOn | null;
  /** ISO 8601. */
  since: string | null;
  dueAt: string | null;
  /** The consequence at `dueAt`; null without one. Shown as `then`. */
  outcome: string | null;
  /** A sentence. */
  detail: string;
  usualMs: UsualMs | null;
}

/**
 * A step that a user may take. `path` has the prefix of the API; the body is `{ command: action }` for a PUT, the parameters of
 * the notification for a POST.
 */
export interface Suggestion {
  action: 'retry-now' | 'cancel' | 'resume' | 'release' | 'notify' | 'check';
  text: string;
  method?: 'PUT' | 'POST' | 'DELETE' | 'GET';
  path?: string;
}

export interface Why {
  /** null: a node without a workflow. */
  status: WorkflowStatus | null;
  node: string | null;
  holder: { workflow: string; graphName: string; launchedBy: string | null; since: string } | null;
  waits: WaitExplained[];
  /** The address of its BMC whose circuit is open longest, or that failed most. */
  bmc: (Pick<BmcEndpoint, 'address' | 'retryAt' | 'failures' | 'lastAnswerAt'> & { host: string }) | null;
  agent: { lastSeenAt: string; address: string } | null;
  suggestions: Suggestion[];
}

export interface Summary {
  workflows: {
    byStatus: Record<string, number>;
    byGraph: Record<string, number>;
    stuck: number;
    /** Age of the oldest wait; null: nothing waits. */
    oldestSeconds: number | null;
  };
  nodes: { total: number; busy: number };
  backlog: { queue: number; events: number; hooks: number };
  bmcs: { circuitsOpen: number };
  broker: 'up' | 'down' | 'none';
  stores: 'up' | 'down';
  disk: { path: string; freeBytes: number; totalBytes: number };
  /** ISO 8601; null: no backup was made on this machine. */
  backup: { lastAt: string | null };
}

export interface Diagnosis {
  /** @returns undefined if there is no such workflow */
  whyWorkflow(id: string): Promise<Why | undefined>;
  /** @param id of an existing node */
  whyNode(id: string): Promise<Why>;
  /** Returns the ids of the active workflows that are stuck. */
  stuck(): Promise<string[]>;
  summary(): Promise<Summary>;
}
