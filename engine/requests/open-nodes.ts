/** Opens the requests for nodes and their dependents. */
import type { SouthboundQuotas } from '../api-port/index.ts';
import type { Outbox } from '../events/outbox.ts';
import { pollerSpec, type StoredPoller } from '../pollers/record.ts';
import type { Cipher } from '../secrets.ts';
import { bootSpec, SouthboundKeys, type StoredBoot } from '../southbound/keys.ts';
import { quotaDefaults } from '../southbound/limits.ts';
import type { Store } from '../store/port.ts';
import type { Vault } from '../vault.ts';
import { Created } from './arrivals.ts';
import {
  type CatalogAdded,
  CatalogRequests,
  catalogSpec,
  type Latest,
  latestSpec,
  type StoredCatalog,
} from './catalogs.ts';
import { LookupRequests, lookupSpec, type StoredLookup } from './lookups.ts';
import { knownIn, NodeRequests, type NodesPort, nodeSpec, type StoredNode, touchIn } from './nodes.ts';
import { ObmRequests, obmSpec, type StoredObm } from './obms.ts';
import { PollerRequests, type PollersPort } from './pollers.ts';
import { type Edge, Relations, relationSpec } from './relations.ts';
import { type Removal, Removals, removalSpec } from './removals.ts';
import { Teller } from './teller.ts';

export interface OpenNodesPort
  extends Pick<NodesPort, 'retire' | 'workflowsOn'>,
    Pick<PollersPort, 'scheduled' | 'unscheduled'> {
  store: Store;
  outbox: Pick<Outbox, 'publish'>;
  /** Encrypts and decrypts the config of obms. */
  encrypt: Cipher;
  catalogAdded: CatalogAdded;
  quotas?: SouthboundQuotas;
  /** Secret from which the keys of boots are derived. */
  keySecret: string;
  vault: Vault;
  failed(error: unknown): void;
}

export async function openNodes({
  store,
  outbox,
  encrypt,
  catalogAdded,
  retire,
  workflowsOn,
  failed,
  ...port
}: OpenNodesPort) {
  const { quotas = quotaDefaults, keySecret, vault, ...scheduling } = port;
  const stored = await store.collection<StoredNode>(nodeSpec);
  const storedObms = await store.collection<StoredObm>(obmSpec);
  const edges = await store.collection<Edge>(relationSpec);
  const known = knownIn(stored);
  const removals = new Removals(await store.collection<Removal>(removalSpec));
  const teller = new Teller(outbox, stored, removals, failed);
  const catalogs = new CatalogRequests(
    await store.collection<StoredCatalog>(catalogSpec),
    await store.collection<Latest>(latestSpec),
    known,
    catalogAdded,
    quotas,
  );
  const storedLookups = await store.collection<StoredLookup>(lookupSpec);
  const lookups = new LookupRequests(storedLookups, known);
  const obms = new ObmRequests(storedObms, {
    encrypt,
    known,
    telling: teller.of(obmSpec.name, storedObms, born),
    teller,
    touch: touchIn(stored),
  });
  const storedPollers = await store.collection<StoredPoller>(pollerSpec);
  const pollers = new PollerRequests({ stored: storedPollers, known, ...scheduling });
  const made = ({ at }: Edge): string => at;
  const relations = new Relations(edges, teller.of(relationSpec.name, edges, made), known);
  const telling = teller.of(nodeSpec.name, stored, born);
  const keys = new SouthboundKeys(await store.collection<StoredBoot>(bootSpec), keySecret);
  const created = new Created(quotas, () => stored.count({ arrived: true }));
  const hanging = { relations, obms, catalogs, lookups, pollers, keys };
  const nodes = new NodeRequests({ stored, ...hanging, telling, teller, retire, workflowsOn, vault });
  return {
    nodes,
    catalogs,
    lookups,
    obms,
    pollers,
    storedPollers,
    teller,
    keys,
    arrivals: { stored, lookups: storedLookups, telling, teller, creates: () => created.one() },
  };
}

const born = ({ createdAt }: { createdAt: string }): string => createdAt;
