/** A node as the interface shows it. */
import { Type } from 'typebox';
import type { NodeRecord } from '../../engine/api-port/index.ts';
import { anyObject, orNull, time } from './common.ts';

export const nodeTypes = ['compute', 'switch', 'rack', 'enclosure', 'pdu', 'mgmt', 'dae', 'compute-container'] as const;

export const relationRecord = Type.Object({ relationType: Type.String(), targets: Type.Array(Type.String()) });

export const nodeRecord = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    name: Type.String(),
    autoDiscover: Type.Boolean(),
    sku: orNull(Type.String()),
    createdAt: time,
    updatedAt: time,
    identifiers: Type.Array(Type.String()),
    obms: Type.Array(Type.Object({ ref: Type.String(), service: Type.String() })),
    relations: Type.Array(relationRecord),
    tags: Type.Array(Type.String()),
    catalogs: Type.Array(Type.Unknown()),
    workflows: Type.Array(Type.Unknown()),
    service: Type.Optional(Type.String()),
    config: Type.Optional(anyObject),
  },
  { title: 'Node' },
);

/** Field by field, so that nothing the engine keeps besides gets out. */
export function nodeView(node: NodeRecord): Record<string, unknown> {
  const { id, type, name, autoDiscover, sku, createdAt, updatedAt, identifiers, relations, tags } = node;
  const { catalogs, workflows, service, config } = node;
  return {
    ...{ id, type, name, autoDiscover, sku, createdAt, updatedAt, identifiers },
    obms: node.obms.map((obm) => ({ ref: obm.ref, service: obm.service })),
    relations: relations.map(({ relationType, targets }) => ({ relationType, targets })),
    ...{ tags, catalogs, workflows },
    ...(service !== undefined && { service }),
    ...(config !== undefined && { config }),
  };
}
