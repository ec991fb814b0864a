/** The collections of rows. */
import type { CollectionSpec } from '../../platform/store/port.ts';

export const workflowSpec: CollectionSpec = {
  name: 'workflows',
  indexes: {
    node: 'text',
    status: 'text',
    domain: 'text',
    name: 'text',
    graphName: 'text',
    createdAt: 'text',
    startedAt: 'text',
    finishedAt: 'text',
    pending: 'boolean',
    timerAt: 'number',
    definitionHash: 'text',
    root: 'text',
    launchedBy: 'text',
  },
  newest: ['node', 'status'],
  // Not indexed, so lists cannot use it: an index on fields that every step changes would cost every step its upkeep.
  whole: ['updatedAt'],
};

export const actorSpec: CollectionSpec = {
  name: 'actors',
  indexes: { workflow: 'text', pending: 'boolean' },
  whole: ['retired', 'updatedAt'],
};

/** The same for documents of rows that may be in Redis. */
export const recordSpec = (spec: CollectionSpec): CollectionSpec => ({
  ...spec,
  indexes: { ...spec.indexes, phase: 'text' },
});
