/** Publications for tests of publishing to the broker. */
import { randomUUID } from 'node:crypto';
import type { Publication } from '../../../engine/vocabulary/event.ts';

/** Returns the n-th event of a workflow. */
export const publication = (workflow: string, n: number, body: object = {}): Publication => ({
  id: randomUUID(),
  key: `graph.progress.updated.information.${workflow}.node-1`,
  body: { workflow, n, ...body },
});

export const series = (workflow: string, length: number): Publication[] =>
  Array.from({ length }, (_, n) => publication(workflow, n));
