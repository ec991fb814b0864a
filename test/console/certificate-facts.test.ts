/** The facts on the page of a certificate: its machine, its times and its users. */
import test from 'ava';
import { certificateFacts } from '../../api/console/data/certificate-facts.ts';

const certificate = {
  standard: 'NIST SP 800-88 Rev. 1',
  workflow: { id: 'w', graph: 'Graph.Drive.SecureErase', startedAt: null },
  node: { id: 'n', name: 'r12s04', manufacturer: 'Dell Inc.', product: 'PowerEdge R640', serial: 'ABC123' },
  operator: 'erika',
  ticket: { requestedBy: 'erika', approvals: [{ by: 'max' }, { by: null }] },
  agent: { knownBy: 'key' },
  drives: [],
  sanitized: false,
  issuedAt: '2026-05-03T10:00:00.000Z',
};

test('a certificate names its machine, who asked, who approved, and how the agent was identified', (t) => {
  const facts = Object.fromEntries(certificateFacts(certificate, (iso) => iso));
  t.like(facts, {
    Node: 'r12s04, n',
    Machine: 'Dell Inc. PowerEdge R640',
    'Serial number': 'ABC123',
    'Launched by': 'erika',
    'Approved by': 'max, unknown',
    'Agent identified': 'by the key of its boot',
  });
  t.false('Started' in facts, 'what is unknown is left out');
});

test('a certificate without a node and without a ticket has no facts of them', (t) => {
  const names = certificateFacts({ ...certificate, node: null, ticket: null }, (iso) => iso).map(([name]) => name);
  for (const absent of ['Node', 'Machine', 'Serial number', 'Asked for by', 'Approved by'])
    t.false(names.includes(absent), absent);
  t.deepEqual(
    certificateFacts({}, (iso) => iso),
    [],
  );
});
