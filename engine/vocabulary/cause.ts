/** The causes of changes, as histories show them, and the launchers of workflows. */
export const causeKinds = ['notification', 'timer', 'activity', 'agent', 'user', 'engine'] as const;

export interface Cause {
  kind: (typeof causeKinds)[number];
  /** The id of the notification, operation, user, task or workflow; null: there is none. */
  ref: string | null;
}

export interface Origin {
  /** The user who asked for it; absent: none did. */
  by?: string;
  cause: Cause;
}

interface LaunchedCause {
  parent: object | null;
  discovery?: true;
  operator: string | null;
}

/** Returns the user who launched a workflow, `parent`, or `discovery`; null: unknown. */
export const launchedBy = ({ parent, discovery, operator }: LaunchedCause): string | null =>
  parent !== null ? 'parent' : discovery ? 'discovery' : operator;
