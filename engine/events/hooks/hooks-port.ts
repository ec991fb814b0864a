/** The modules around the web hooks: the foundation that they use, and the metrics, which are in `durable/telemetry/`. */
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Egress } from '../../platform/lib/egress.ts';
import type { Queues } from '../../platform/queue/port.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Store } from '../../platform/store/port.ts';
import type { AttemptResult } from './deliveries.ts';
import type { HookLimits } from './hook-limits.ts';

export interface HooksPort {
  store: Store;
  queues: Queues;
  cluster: Pick<Cluster, 'singleNode' | 'leases' | 'reconciler'>;
  /** Encrypts and decrypts the secrets of hooks. */
  encrypt: Cipher;
  /** The hosts that hooks may have. */
  egress: Egress;
  /** Encrypts and decrypts the URLs of hooks. */
  vault: Vault;
  limits?: Partial<HookLimits>;
  count(result: AttemptResult, times?: number): void;
  failed(error: unknown): void;
}
