/** /audit: who changed what, as a chain of hashes. Entries cannot be changed or deleted. */
import { Type } from 'typebox';
import { route } from '../route.ts';
import { auditEntry, auditEntryView } from '../views/audit.ts';

const PATH = '/audit';
const TOP = 100;
/** ms to verify tens of millions of entries. */
const VERIFY_MS = 300_000;

const auditQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'only entries with a greater `seq`' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: `default ${TOP}` })),
  },
  { additionalProperties: false },
);

export const auditRoutes = [
  route({
    id: 'listAudit',
    summary: 'List entries of the audit log, oldest first; a Link header has the next page, if there is one',
    method: 'GET',
    path: PATH,
    resourceGroup: 'audit',
    query: auditQuery,
    answer: { status: 200, schema: Type.Array(auditEntry) },
    handle: async ({ engine, query: { after = 0, limit = TOP } }) => {
      const found = await engine.audit.list(after, limit + 1);
      const entries = found.slice(0, limit);
      const next = `</api/current${PATH}?after=${entries.at(-1)?.seq}&limit=${limit}>; rel="next"`;
      return {
        status: 200,
        body: entries.map(auditEntryView),
        ...(found.length > limit && { headers: { Link: next } }),
      };
    },
  }),
  route({
    id: 'verifyAudit',
    summary: 'Verify the chain of the audit log',
    method: 'GET',
    path: `${PATH}/verify`,
    waitMs: VERIFY_MS,
    resourceGroup: 'audit',
    answer: {
      status: 200,
      schema: Type.Object({
        ok: Type.Boolean(),
        checked: Type.Integer(),
        brokenAt: Type.Union([Type.Integer(), Type.Null()]),
      }),
    },
    handle: async ({ engine }) => ({ status: 200, body: await engine.audit.verify() }),
  }),
];
