/** The audit log in words. */
import test from 'ava';
import { type AuditLine, auditTarget, auditWords } from '../../api/client/audit-words.ts';
import { auditAddress, auditFilterIn, passesAudit } from '../../api/console/data/audit-filter.ts';

const line = (method: string, path: string, given: Partial<AuditLine> = {}): AuditLine => ({
  method,
  path,
  target: null,
  status: 200,
  user: 'ada',
  at: '2026-05-03T10:00:00.000Z',
  ...given,
});

test('a request is said in words', (t) => {
  const words = (method: string, path: string, command?: string) =>
    auditWords({ method, path, ...(command !== undefined && { command }) });
  t.is(words('POST', '/login?remember=true'), 'log-in');
  t.is(words('POST', '/api/current/nodes/n/workflows?name=Graph.A'), 'launch');
  t.is(words('POST', '/api/2.0/nodes/workflows'), 'launch on several nodes');
  t.is(words('POST', '/api/2.0/workflows/w/retry'), 'retry');
  t.is(words('PUT', '/api/2.0/workflows/w/action'), 'cancel, pause, resume or continue');
  t.is(words('POST', '/api/2.0/workflows/actions'), 'command to several workflows');
  t.is(words('POST', '/api/2.0/workflows/actions', 'retry'), 'retry of several workflows');
  t.is(words('PUT', '/api/2.0/workflows/w/action', 'retry-now'), 'retry now of a workflow');
  t.is(words('PUT', '/api/2.0/failures/f/action', 'address'), 'note on a failure');
  t.is(words('PUT', '/api/2.0/failures/f/action'), 'action on a failure');
  t.is(words('PATCH', '/api/2.0/nodes/n/tags'), 'change of tags');
  t.is(words('DELETE', '/api/2.0/nodes/n/tags/a'), 'removal of tags');
  t.is(words('PUT', '/api/2.0/nodes/n/relations'), 'change of relations');
  t.is(words('POST', '/api/2.0/users/ada/tokens'), 'new token');
  t.is(words('POST', '/api/2.0/skus'), 'new SKU');
  t.is(words('DELETE', '/api/2.0/hooks/h'), 'removal of hook');
  t.is(words('GET', '/api/2.0/users'), 'look at users');
});

test('the record of an entry is linked to; many launches are a batch', (t) => {
  t.deepEqual(auditTarget(line('PATCH', '/api/2.0/nodes/n', { target: 'nodes/n' })), { kind: 'nodes', id: 'n' });
  t.deepEqual(auditTarget(line('POST', '/api/2.0/nodes/workflows', { target: 'workflows/b' })), {
    kind: 'batches',
    id: 'b',
  });
  t.is(auditTarget(line('POST', '/login', { target: 'login' })), undefined);
});

test('log-ins are left out unless they are wanted; who, what and when filter', (t) => {
  const filter = auditFilterIn({});
  t.false(passesAudit(line('POST', '/login'), filter));
  t.true(passesAudit(line('POST', '/login'), { ...filter, withLogins: true }));
  const launch = line('POST', '/api/2.0/workflows', { target: 'workflows/w' });
  t.true(passesAudit(launch, { ...filter, who: 'AD', what: 'launch workflows/w' }));
  t.false(passesAudit(launch, { ...filter, who: 'bob' }));
  t.false(passesAudit(launch, { ...filter, what: 'hold' }));
  t.false(passesAudit(launch, { ...filter, from: '2026-05-03T10:00:01.000Z' }));
  t.false(passesAudit(launch, { ...filter, to: '2026-05-03T10:00:00.000Z' }));
  const given = { ...filter, who: 'a&b', withLogins: true };
  t.deepEqual(auditFilterIn(Object.fromEntries(new URL(auditAddress(given), 'http://console').searchParams)), given);
});
