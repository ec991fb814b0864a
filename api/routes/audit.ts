/** /audit: who changed what, as a chain of hashes. Entries cannot be changed or deleted. */
import { Type } from 'typebox';
import { auditEntry } from '../../engine/api-port/audit.ts';
import { route } from '../http/route.ts';
import { auditEntryView } from '../views/audit.ts';

const AUDIT_PATH = '/audit';
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
    summary: 'List entries of the audit log, oldest first',
    method: 'GET',
    path: AUDIT_PATH,
    resourceGroup: 'audit',
    query: auditQuery,
    answer: { status: 200, schema: Type.Array(auditEntry) },
    handle: async ({ engine, query: { after = 0, limit = TOP } }) => {
      const pageEntries = await engine.audit.list(after, limit + 1);
      const entries = pageEntries.slice(0, limit);
      const last = pageEntries.length > limit ? entries.at(-1) : undefined;
      return {
        body: entries.map(auditEntryView),
        next: last && { after: String(last.seq), limit: String(limit) },
      };
    },
  }),
  route({
    id: 'verifyAudit',
    summary: 'Verify the chain of the audit log',
    method: 'GET',
    path: `${AUDIT_PATH}/verify`,
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
    handle: async ({ engine }) => ({ body: await engine.audit.verify() }),
  }),
];
