/** The collections of rows. */
import type { CollectionSpec } from '../../platform/store/port.ts';

export const workflowSpec: CollectionSpec = {
  name: 'workflows',
  indexes: {
    node: 'text',
    status: 'text',
    createdAt: 'text',
    // The retention and backups ask for the last ends.
    finishedAt: 'text',
    // The sweep asks for them.
    pending: 'boolean',
    timerAt: 'number',
    // The summary counts each graph.
    graphName: 'text',
    // The launch of a child counts its tree.
    root: 'text',
    // Lists of the workflows of one rollout or batch.
    rollout: 'text',
    batch: 'text',
    // Lists of the workflows of a team.
    owner: 'text',
  },
  newest: ['node', 'status'],
  scanned: {
    domain: 'text',
    name: 'text',
    startedAt: 'text',
    definitionHash: 'text',
    launchedBy: 'text',
    errorCode: 'text',
    failure: 'text',
    rule: 'text',
  },
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
  apart: 'lines',
});
