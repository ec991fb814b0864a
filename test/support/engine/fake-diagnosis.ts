/** The diagnosis of a fake engine: nothing waits, and nothing is wrong. */
import type { Engine, Summary, Why } from '../../../engine/api-port/index.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';

const nothing: Why = {
  status: null,
  node: null,
  holder: null,
  waits: [],
  bmc: null,
  agent: null,
  holds: [],
  rollouts: [],
  console: null,
  capture: null,
  suggestions: [],
};

const totals: Summary = {
  workflows: { byStatus: {}, byGraph: {}, stuck: 0, oldestSeconds: null },
  nodes: { total: 0, busy: 0 },
  backlog: { queue: 0, events: 0, hooks: 0 },
  bmcs: { circuitsOpen: 0 },
  broker: 'none',
  stores: 'up',
  disk: { path: '/', freeBytes: 0, totalBytes: 0 },
  backup: { lastAt: null },
};

export const noDiagnosis = (): Engine['diagnosis'] => ({
  diff: async () => {
    throw new NodewrightError('NOT_FOUND', 'no workflows here');
  },
  whyWorkflow: async () => undefined,
  whyNode: async () => nothing,
  stuckWorkflows: async () => [],
  summary: async () => totals,
});
