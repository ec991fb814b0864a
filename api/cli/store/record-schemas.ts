/** The schemas of records in a file: those of the routes, with the fields that a route sets itself. */
import { type TProperties, Type } from 'typebox';
import { newHook } from '../../../engine/api-port/hooks.ts';
import { newLookup, newObm, sighting } from '../../../engine/api-port/nodes.ts';
import { newPoller } from '../../../engine/api-port/pollers.ts';
import { time, words } from '../../../engine/api-port/schemas.ts';
import { newSku, newTag } from '../../../engine/api-port/skus.ts';
import { ibmServices, lookupSources, relationPairs } from '../../../engine/define/node.ts';
import type { InputRules } from '../../../engine/index.ts';
import { knownBy } from '../../../engine/vocabulary/known-by.ts';
import { rejectUnstorable } from '../../http/check.ts';
import { newCatalog } from '../../routes/catalogs.ts';
import { newNode } from '../../routes/nodes.ts';
import { newRole } from '../../routes/roles.ts';
import { graphRecord, taskRecord } from '../../views/definition.ts';
import { userName } from '../../views/user.ts';

/** An index entry holds at most 2,000 bytes. */
const id = Type.String({ minLength: 1, maxLength: 256 });
const times = { createdAt: time, updatedAt: time };

const closedObject = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

/** `api/auth/passwords.ts` writes it; costs far above would let a login take the memory of the daemon. */
const passwordHash = Type.String({
  pattern: '^scrypt\\$16384\\$8\\$[1-9]\\$[A-Za-z0-9+/]{22,88}={0,2}\\$[A-Za-z0-9+/]{22,88}={0,2}$',
});

const { obms: _, relations: __, autodiscover: ___, ...nodeFields } = newNode.properties;

export const inputRules: InputRules = {
  schemas: {
    role: newRole,
    user: closedObject({
      username: userName,
      role: Type.String(),
      password: passwordHash,
      passwordSince: Type.Optional(time),
      ...times,
    }),
    sku: closedObject({ ...newSku.properties, id, ...times }),
    tag: closedObject({ ...newTag.properties, id, ...times }),
    node: closedObject({ ...nodeFields, id, ...times }),
    relation: closedObject({
      kind: words(Object.keys(relationPairs)),
      from: id,
      to: id,
      at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z \\d{6}$' }),
    }),
    obm: closedObject({ ...newObm.properties, id, nodeId: id, ...times }),
    ibm: closedObject({ ...newObm.properties, service: words(ibmServices), id, nodeId: id, ...times }),
    lookup: closedObject({
      ...newLookup.properties,
      id,
      source: Type.Optional(words(lookupSources)),
      observed: Type.Optional(sighting),
      beside: Type.Optional(Type.Literal(true)),
      ...times,
    }),
    task: closedObject({ definition: taskRecord, ...times }),
    graph: closedObject({ definition: graphRecord, ...times }),
    hook: closedObject({ ...newHook.properties, id, ...times }),
    poller: closedObject({ ...newPoller.properties, id, ...times }),
    catalog: closedObject({
      ...newCatalog.properties,
      id,
      node: id,
      knownBy: Type.Optional(words(['operator', ...knownBy])),
      ...times,
    }),
  },
  rejectUnstorable: (record) => rejectUnstorable(record, ''),
};
