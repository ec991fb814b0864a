/** /audit: who changed what, as a chain of hashes. Entries cannot be changed or deleted. */
import { Type } from 'typebox';
import { auditEntry } from '../../engine/api-port/audit.ts';
import type { Audit } from '../../engine/api-port/index.ts';
import { coversWhole, ownActions } from '../http/rights.ts';
import { type Call, route } from '../http/route.ts';
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

/** @returns the user whose entries alone are shown; undefined: all are */
const onlyOf = (identity: Call['identity']): string | undefined =>
  identity === undefined || coversWhole(identity.privileges, ownActions) ? undefined : identity.username;

async function wholePage(audit: Audit, after: number, limit: number) {
  const pageEntries = await audit.list(after, limit + 1);
  const entries = pageEntries.slice(0, limit);
  return { entries, next: pageEntries.length > limit ? entries.at(-1)?.seq : undefined };
}

export const auditRoutes = [
  route({
    id: 'listAudit',
    summary: 'List entries of the audit log, oldest first; of one user a page may be short and have a next one',
    method: 'GET',
    path: AUDIT_PATH,
    reach: { by: 'handler' },
    resourceGroup: 'auditEntries',
    scope: ownActions,
    query: auditQuery,
    answer: { status: 200, schema: Type.Array(auditEntry) },
    handle: async ({ engine, identity, query: { after = 0, limit = TOP } }) => {
      const user = onlyOf(identity);
      const { entries, next } =
        user === undefined
          ? await wholePage(engine.audit, after, limit)
          : await engine.audit.listOf(user, after, limit);
      return {
        body: entries.map(auditEntryView),
        next: next === undefined ? undefined : { after: String(next), limit: String(limit) },
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
