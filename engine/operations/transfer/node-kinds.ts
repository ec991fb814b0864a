/** Nodes, relations, obms, ibms and lookups. */

import { shownConfig } from '../../hardware/obm/shown-config.ts';
import { lookupSpec, type StoredLookup } from '../../inventory/nodes/lookups.ts';
import { hostsOf, ibmSpec, obmSpec, type StoredObm } from '../../inventory/nodes/obm-requests.ts';
import { type Edge, edgeOf, relationSpec } from '../../inventory/nodes/relations.ts';
import { nodeSpec, type StoredNode } from '../../inventory/nodes/stored-node.ts';
import type { Cipher } from '../../platform/secrets/secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { conceal } from '../../vocabulary/conceal.ts';
import { isObject, type JsonObject, listIn, objectIn } from '../../vocabulary/json.ts';
import { identifierOf, macOf, namesOf } from '../../vocabulary/mac.ts';
import { pickKeys, type RecordKind, type Reference, textIn, uniqueField } from './record-kind.ts';

const TIMES = ['createdAt', 'updatedAt'];
const NODE = ['id', 'type', 'name', 'identifiers', 'tags', 'autoDiscover', 'service', 'config', ...TIMES];

const textsIn = (record: JsonObject, key: string): string[] => listIn(record[key]).map(String);

/** Its SKU is not part of it: the daemon assigns it by the node's catalogs. */
export const nodeRecordKind = (vault: Vault): RecordKind<StoredNode> => ({
  type: 'node',
  spec: nodeSpec,
  record: (stored) => pickKeys(stored, NODE),
  document: ({ config, ...record }) => ({
    autoDiscover: false,
    ...record,
    id: textIn(record, 'id'),
    identifiers: textsIn(record, 'identifiers').map(identifierOf),
    tags: [...new Set(textsIn(record, 'tags'))],
    ...(isObject(config) && { config: objectIn(conceal([], config, vault.hiding({ stable: true }))) }),
  }),
  initial: { sku: null, catalogs: [], workflows: [], toDiscover: false },
  idOf: (record) => textIn(record, 'id'),
  uniques: (record) =>
    textsIn(record, 'identifiers').map((identifier) => ({
      path: 'identifiers',
      value: macOf(identifier) ?? identifier,
      filter: { identifiers: { $in: namesOf(identifier) } },
    })),
});

const nodeReference = (record: JsonObject, path: string): Reference[] =>
  typeof record[path] === 'string' ? [{ path, type: 'node', id: record[path] }] : [];

const edgeIn = (record: JsonObject): Omit<Edge, 'at'> =>
  edgeOf(textIn(record, 'from'), textIn(record, 'kind'), textIn(record, 'to'));

export const relationKind: RecordKind<Edge> = {
  type: 'relation',
  spec: relationSpec,
  record: (stored) => pickKeys(stored, ['kind', 'from', 'to', 'at']),
  document: (record) => ({ ...edgeIn(record), at: textIn(record, 'at') }),
  initial: {},
  idOf: (record) => `${record.kind} ${record.from} ${record.to}`,
  references: (record) => ['from', 'to'].flatMap((path) => nodeReference(record, path)),
  uniques: ({ kind, to }) => (kind === 'contains' ? uniqueField({ to }, 'to', 'contained') : []),
  violations: ({ from, to }) => (from === to ? [{ path: 'to', message: 'is the node itself; expected another' }] : []),
};

const obmSpecs = { obm: obmSpec, ibm: ibmSpec } as const;

export const obmKind = (type: keyof typeof obmSpecs, cipher: Cipher): RecordKind<StoredObm> => ({
  type,
  spec: obmSpecs[type],
  record: ({ config, ...stored }) => ({
    ...pickKeys(stored, ['id', 'nodeId', 'service', ...TIMES]),
    config: cipher.decrypt(config),
  }),
  document: ({ config, ...record }) => ({
    ...record,
    id: textIn(record, 'id'),
    key: `${record.nodeId} ${record.service}`,
    ...hostsOf(objectIn(config)),
    config: cipher.encrypt(objectIn(config)),
  }),
  initial: {},
  idOf: (record) => textIn(record, 'id'),
  shown: ({ config, ...record }) => ({ ...record, config: shownConfig(textIn(record, 'service'), objectIn(config)) }),
  references: (record) => nodeReference(record, 'nodeId'),
  uniques: ({ nodeId, service }) => [
    { path: 'service', value: `${nodeId} ${service}`, filter: { key: `${nodeId} ${service}` } },
  ],
});

const LOOKUP = ['id', 'node', 'awaited', 'macAddress', 'ipAddress', 'source', 'observed', 'beside', ...TIMES];

export const lookupKind: RecordKind<StoredLookup> = {
  type: 'lookup',
  spec: lookupSpec,
  record: (stored) => pickKeys(stored, LOOKUP),
  document: (record) => ({
    node: null,
    ipAddress: null,
    source: 'observed',
    ...record,
    id: textIn(record, 'id'),
    macAddress: macOf(textIn(record, 'macAddress')) ?? textIn(record, 'macAddress'),
  }),
  initial: {},
  idOf: (record) => textIn(record, 'id'),
  references: (record) => [...nodeReference(record, 'node'), ...nodeReference(objectIn(record.observed), 'node')],
  uniques: ({ macAddress }) => {
    const mac = macOf(String(macAddress)) ?? String(macAddress);
    return [{ path: 'macAddress', value: mac, filter: { macAddress: mac } }];
  },
};
