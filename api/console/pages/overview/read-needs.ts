/** The records that need a person: failures by cause, stuck workflows, rollouts that wait for a user, tickets, and hooks that fail. */
import { DAY_MS, HOUR_MS } from '../../../../engine/vocabulary/units.ts';
import { type HookHealth, readHookHealth } from '../../../client/hook-health.ts';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { RequestError } from '../../data/request-error.ts';

type List<T> = { body: T[]; total?: number | undefined };

interface FailingHook extends HookHealth {
  id: string;
  name: string;
}

export interface NeedyRecords {
  /** Causes that no user has addressed; the first of `causesTotal`. */
  causes: readonly GetAnswer<'/failures'>[number][];
  causesTotal: number;
  /** The first of `stuckTotal`. */
  stuck: readonly GetAnswer<'/workflows'>[number][];
  stuckTotal: number;
  /** Rollouts that a gate has paused, or whose next phase a user begins. */
  rollouts: readonly GetAnswer<'/rollouts'>[number][];
  tickets: readonly GetAnswer<'/tickets'>[number][];
  hooks: readonly FailingHook[];
  /** Workflows that failed in a day. */
  failedTotal: number;
  /** How many failed in each of its hours. */
  failedCourse: readonly number[];
}

const FIRST_OF_EACH = 8;
const FAILED = 1_000;
const HOURS = 24;
/** Hooks whose deliveries are looked at. */
const HOOKS = 20;

/** @throws RequestError */
export async function readNeeds(): Promise<NeedyRecords> {
  const from = Date.now() - DAY_MS;
  const since = new Date(from).toISOString();
  const $top = FIRST_OF_EACH;
  const stuckFields = 'id,injectableName,node,waiting,dueAt,updatedAt';
  const [causes, stuck, rollouts, tickets, hooks, failed] = await Promise.all([
    allowedList(() => client.get('/failures', { query: { addressed: false, $top } })),
    allowedList(() => client.get('/workflows', { query: { stuck: true, fields: stuckFields, $top } })),
    allowedList(() => client.get('/rollouts', { query: { status: 'paused', $top: 5 * FIRST_OF_EACH } })),
    allowedList(() => client.get('/tickets', { query: { status: 'requested', $top } })),
    readFailingHooks(),
    allowedList(() =>
      client.get('/workflows', {
        query: { status: 'failed', 'finishedAt.gte': since, fields: 'finishedAt', sort: '-finishedAt', $top: FAILED },
      }),
    ),
  ]);
  const hours = failed.body.map(({ finishedAt }) => Math.floor((Date.parse(String(finishedAt)) - from) / HOUR_MS));
  return {
    causes: causes.body,
    causesTotal: totalOf(causes),
    stuck: stuck.body,
    stuckTotal: totalOf(stuck),
    rollouts: rollouts.body.filter(({ reason }) => reason?.kind === 'gate' || reason?.kind === 'phase').slice(0, $top),
    tickets: tickets.body,
    hooks,
    failedTotal: totalOf(failed),
    failedCourse: Array.from({ length: HOURS }, (_, hour) => hours.filter((one) => one === hour).length),
  };
}

const totalOf = ({ body, total = body.length }: List<unknown>): number => total;

/** A list that the user may not read is empty. */
const allowedList = <T>(read: () => Promise<List<T>>): Promise<List<T>> =>
  read().catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 403) return { body: [] };
    throw error;
  });

async function readFailingHooks(): Promise<FailingHook[]> {
  const { body } = await allowedList(() => client.get('/hooks', { query: { $top: HOOKS } }));
  const looks = body.map(async ({ id, name, url }): Promise<FailingHook[]> => {
    const health = await readHookHealth(client, id);
    return health.state === 'critical' ? [{ ...health, id, name: name ?? url }] : [];
  });
  return (await Promise.all(looks)).flat();
}
