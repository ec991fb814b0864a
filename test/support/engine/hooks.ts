/** The real hooks on an embedded store, without the rest of the engine. */
import type { HookRecord, NewHook } from '../../../engine/api-port/index.ts';
import { type Delivery, deliverySpec } from '../../../engine/events/hooks/deliveries.ts';
import type { HookLimits } from '../../../engine/events/hooks/hook-limits.ts';
import type { HookRequests } from '../../../engine/events/hooks/hook-requests.ts';
import { openHooks } from '../../../engine/events/hooks/hooks.ts';
import { hookSpec } from '../../../engine/events/hooks/stored-hook.ts';
import { singleNodeCluster } from '../../../engine/platform/cluster/cluster.ts';
import { Egress } from '../../../engine/platform/lib/egress.ts';
import { createEmbeddedQueues } from '../../../engine/platform/queue/embedded.ts';
import { cipherOf } from '../../../engine/platform/secrets/secrets.ts';
import { Vault } from '../../../engine/platform/secrets/vault.ts';
import type { Store } from '../../../engine/platform/store/port.ts';
import type { EventPayload } from '../../../engine/vocabulary/event.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from '../servers/hearing.ts';
import { published } from './events.ts';

export interface TestHooks {
  readonly requests: HookRequests;
  /** The result of each attempt. */
  readonly results: Hearing<string>;
  take(...events: EventPayload[]): Promise<void>;
  make(input: NewHook): Promise<HookRecord>;
  /** Returns all deliveries of a hook, newest first. */
  log(hook: HookRecord): Promise<Delivery[]>;
  /** Stops like the daemon does; `open` continues with the remaining deliveries. */
  close(timeoutMs?: number): Promise<void>;
  open(): Promise<void>;
}

const LOG = 1_000;

/** Closed, and all hooks in the store deleted, when the test ends, so that tests can share one store. */
export async function startHooks(t: Scope, store: Store, limits: Partial<HookLimits> = {}): Promise<TestHooks> {
  const queues = createEmbeddedQueues(() => {});
  const encrypt = cipherOf(['secret'], 'hooks');
  const results = new Hearing<string>();
  let hooks: Awaited<ReturnType<typeof openHooks>> | undefined;
  async function open(): Promise<void> {
    hooks = await openHooks({
      store,
      queues,
      encrypt,
      egress: new Egress({ allow: [], deny: [] }, true),
      vault: new Vault(['secret']),
      limits,
      cluster: singleNodeCluster('test'),
      count: (result) => results.add(result),
      failed: () => {},
    });
    await hooks.start();
    hooks.work(true);
  }
  async function close(timeoutMs = 0): Promise<void> {
    await hooks?.stop(timeoutMs);
    await hooks?.close();
    hooks = undefined;
  }
  await open();
  t.teardown(async () => {
    await close();
    await queues.close();
    for (const spec of [hookSpec, deliverySpec]) await (await store.collection(spec)).remove({});
  });
  const opened = () => hooks as NonNullable<typeof hooks>;
  const requests = () => opened().requests;
  return {
    get requests() {
      return requests();
    },
    results,
    take: async (...events) => opened().sink.take(published(...events)),
    make: (input) => requests().create(input),
    log: async ({ id }) => {
      const page = { skip: 0, limit: LOG, filter: {} };
      return ((await requests().deliveries(id, page))?.items ?? []) as Delivery[];
    },
    close,
    open,
  };
}
