/** Batches, rollouts, tickets, schedules and rules of a fake engine: there are none. */
import type { Engine } from '../../../engine/api-port/index.ts';
import { NodewrightError } from '../../../engine/vocabulary/errors.ts';

/** A rollout without targets, and a schedule and a rule without runs. */
export const EMPTY_ROLLOUT = '00000000-0000-4000-8000-000000000001';

const noSchedules = () => {
  throw new NodewrightError('NOT_FOUND', 'no schedules here');
};

const noRollouts = () => {
  throw new NodewrightError('NOT_FOUND', 'no rollouts here');
};

export const noFleet = (): Pick<
  Engine,
  'batches' | 'rehearsals' | 'rollouts' | 'bulkActions' | 'failures' | 'tickets' | 'schedules' | 'rules'
> => ({
  batches: {
    create: async () => {
      throw new NodewrightError('NOT_FOUND', 'no batches here');
    },
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    cancel: async () => undefined,
  },
  bulkActions: {
    create: async () => {
      throw new NodewrightError('NOT_FOUND', 'no actions here');
    },
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    cancel: async () => undefined,
  },
  failures: {
    list: async () => ({ items: [], total: 0 }),
    act: async () => undefined,
  },
  rollouts: {
    plan: async () => noRollouts(),
    create: async () => noRollouts(),
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    targets: async (id) => (id === EMPTY_ROLLOUT ? { items: [], total: 0 } : undefined),
    act: async () => undefined,
    remove: async () => false,
  },
  rehearsals: {
    create: async () => noRollouts(),
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    remove: async () => false,
  },
  tickets: {
    create: async () => {
      throw new NodewrightError('NOT_FOUND', 'no tickets here');
    },
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    act: async () => undefined,
  },
  rules: {
    create: async () => {
      throw new NodewrightError('NOT_FOUND', 'no rules here');
    },
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    change: async () => undefined,
    remove: async () => false,
    runs: async (id) => (id === EMPTY_ROLLOUT ? { items: [], total: 0 } : undefined),
    test: async () => undefined,
  },
  schedules: {
    create: async () => noSchedules(),
    preview: () => ({ next: [] }),
    timesBetween: async () => [],
    get: async () => undefined,
    list: async () => ({ items: [], total: 0 }),
    change: async () => undefined,
    act: async () => undefined,
    remove: async () => false,
    runs: async (id) => (id === EMPTY_ROLLOUT ? { items: [], total: 0 } : undefined),
  },
});
