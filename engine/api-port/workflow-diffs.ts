/** The port of the API to the differences of two workflows of one graph. */
import { type Static, Type } from 'typebox';
import { orNull } from './schemas.ts';

const leaf = orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()]));
const pair = Type.Object({ a: leaf, b: leaf });
const difference = Type.Object({ path: Type.String(), a: leaf, b: leaf }, { description: 'null: it is not there' });
const durationMs = orNull(Type.Integer({ description: 'null: it has not ended, or did not begin' }));

export const workflowDiffRecord = Type.Object(
  {
    first: orNull(
      Type.Object(
        {
          seq: orNull(Type.Integer({ description: "the index of its end in a's history; null: it has none" })),
          label: Type.String(),
          a: Type.String({ description: 'the state of its task, with the code of an error' }),
          b: Type.String(),
        },
        { description: "the first label, in the order of b's history, whose end differs; null: none does" },
      ),
    ),
    definition: orNull(pair),
    options: Type.Array(difference),
    node: Type.Array(difference),
    catalogs: Type.Array(difference, { description: 'at most 200; as they were when the workflows ended' }),
    firmware: Type.Array(difference, { description: 'those of the catalogs that are versions of firmware' }),
    timings: Type.Array(Type.Object({ label: Type.String(), aMs: durationMs, bMs: durationMs })),
  },
  { title: 'WorkflowDiff' },
);

export type WorkflowDiffRecord = Static<typeof workflowDiffRecord>;
export type Difference = WorkflowDiffRecord['options'][number];

export interface WorkflowDiffs {
  /** @throws NodewrightError NOT_FOUND; INVALID for workflows of two graphs */
  diff(a: string, b: string): Promise<WorkflowDiffRecord>;
}
