/** The port of the API to failures: failed workflows, and stuck ones, grouped by their cause. */
import { type Static, Type } from 'typebox';
import { failureCommands } from '../vocabulary/states.ts';
import type { Page, PagedList } from './page.ts';
import { orNull, time, words } from './schemas.ts';
import type { LauncherRole } from './workflows.ts';

const NOTE_LIMIT = 1_000;

const commonFact = Type.Object({
  fact: Type.String({
    description: '`model`, `firmware`, `rack`, `sku`, ..., a path in the catalog `dmi`, or an option',
  }),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  of: Type.Integer({ description: 'failed workflows that were compared, the newest' }),
  failed: Type.Integer({ description: 'how many of them have it' }),
  succeeded: Type.Integer({ description: 'how many of as many succeeded ones of the graph, the newest, have it' }),
});

export const failureRecord = Type.Object(
  {
    id: Type.String(),
    kind: words(['failed', 'stuck'] as const),
    graph: Type.String(),
    task: orNull(Type.String({ description: 'the label of the task that failed or waits' })),
    code: Type.String(),
    message: Type.String({ description: 'with `<n>` and `<id>` for numbers and ids' }),
    sample: Type.String({ description: 'the newest of its workflows' }),
    sampleMessage: orNull(Type.String({ description: 'its own message, with its numbers; null: it has not failed' })),
    count: Type.Integer({ description: 'of workflows' }),
    retries: Type.Integer({ description: 'how many of them a retry repeats: the newest on each node' }),
    nodes: Type.Integer({ description: 'number of nodes' }),
    firstAt: time,
    lastAt: time,
    addressed: orNull(
      Type.Object(
        { at: time, by: orNull(Type.String()), note: orNull(Type.String()) },
        { description: 'null: it is open, or was reopened by a new workflow' },
      ),
    ),
    note: orNull(
      Type.Object(
        { at: time, by: orNull(Type.String()), command: words(failureCommands), text: Type.String() },
        { description: 'the last one of a user' },
      ),
    ),
    common: Type.Array(commonFact, {
      description: 'what the failed ones share and the succeeded ones lack; of the first 20 of a page',
    }),
    action: Type.Optional(Type.String({ description: 'in the answer to `retry`: the action on its workflows' })),
  },
  { title: 'Failure' },
);

export const failureOrders = ['count', 'nodes', 'firstAt', 'lastAt'] as const;

export type FailureRecord = Static<typeof failureRecord>;
export type CommonFact = FailureRecord['common'][number];

export const failureAction = Type.Object(
  {
    command: words(failureCommands),
    note: Type.Optional(Type.String({ minLength: 1, maxLength: NOTE_LIMIT })),
  },
  { additionalProperties: false },
);

export interface FailureAction extends Static<typeof failureAction> {
  /** The requesting user. */
  operator?: string;
  /** As of a launch. */
  launcherRoles?: readonly LauncherRole[];
}

export interface Failures {
  /**
   * Sorted by a field of `failureOrders`; by default the newest first. At most the newest 10,000 failed workflows are read. With `stuck` in the filter: the workflows that are stuck now.
   * @param since ISO 8601; absent: 7 days ago @param teams only their workflows, without notes, which are of the site; absent: all
   */
  list(page: Page, since?: string, teams?: readonly string[]): Promise<PagedList<FailureRecord>>;
  /** @throws NodewrightError CONFLICT for a retry of stuck ones @returns undefined if no workflow of the last 7 days failed so, or is stuck so */
  act(id: string, action: FailureAction): Promise<FailureRecord | undefined>;
}
