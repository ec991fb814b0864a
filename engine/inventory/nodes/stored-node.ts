/** The document of a node, and what is checked before it changes. */
import type { NodeChange, NodeRecord } from '../../api-port/index.ts';
import { type HasPendingEvents, pendingIndex } from '../../events/outbox/pending-events.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Collection, CollectionSpec } from '../../platform/store/port.ts';
import { conceal } from '../../vocabulary/conceal.ts';
import { holdsEncrypted } from '../../vocabulary/encrypted-values.ts';
import { invalidInput, NodewrightError } from '../../vocabulary/errors.ts';
import { identifierOf, namesOf } from '../../vocabulary/mac.ts';
import type { SwitchVendor } from '../../vocabulary/switch-vendors.ts';
import { healthIndexes, type StoredHealth } from '../health/stored-health.ts';

export const nodeSpec: CollectionSpec = {
  name: 'nodes',
  indexes: {
    name: 'text',
    type: 'text',
    identifiers: 'texts',
    tags: 'texts',
    sku: 'text',
    service: 'text',
    vendor: 'text',
    model: 'text',
    serial: 'text',
    bmcAddress: 'text',
    owner: 'text',
    'power.state': 'text',
    autoDiscover: 'boolean',
    createdAt: 'text',
    updatedAt: 'text',
    skuPending: 'boolean',
    toDiscover: 'boolean',
    registered: 'boolean',
    ...healthIndexes,
    ...pendingIndex,
  },
};

/**
 * `toDiscover`: its discovery is still to start. `registered`: created by a request
 * for a profile, and not changed by a user. `switchVendor`: of a switch that such a request created. `describedBy`: the sum of the numbers of the catalogs that describe its hardware.
 */
export type StoredNode = Omit<NodeRecord, 'obms' | 'relations' | 'active' | 'held' | 'health' | 'burnIn'> &
  HasPendingEvents & {
    toDiscover?: boolean;
    registered?: true;
    switchVendor?: SwitchVendor;
    healthRecord?: StoredHealth;
    describedBy?: number;
  };

export const identifiersOf = (names: readonly string[]): string[] => [...new Set(names.map(identifierOf))];

/** Encrypts the secrets of a config; templates get it decrypted. @throws NodewrightError INVALID */
export function encryptedConfig(vault: Vault, { config }: Pick<NodeChange, 'config'>): Pick<NodeChange, 'config'> {
  if (config === undefined) return {};
  if (holdsEncrypted(config)) throw invalidInput('config', 'contains an encrypted value; give the secret itself');
  return { config: conceal([], config, vault.hiding({ entered: true })) as Record<string, unknown> };
}

/** @param owner the node that may have them. @throws NodewrightError DUPLICATE when another node has one of the identifiers */
export async function rejectTaken(
  stored: Pick<Collection<StoredNode>, 'find'>,
  identifiers: readonly string[],
  owner: string,
): Promise<void> {
  if (identifiers.length === 0) return;
  const filter = { identifiers: { $in: identifiers.flatMap(namesOf) }, id: { $ne: owner } };
  const [otherNode] = await stored.find(filter, { limit: 1 });
  if (otherNode === undefined) return;
  const shared = identifiers.filter((one) => namesOf(one).some((name) => otherNode.identifiers.includes(name)));
  throw new NodewrightError('DUPLICATE', `the node ${otherNode.id} already has the identifier ${shared.join(', ')}`);
}
