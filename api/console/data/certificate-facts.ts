/** The facts of a certificate of erased drives, in the order in which people read them. */
import { listIn, property } from '../../../engine/vocabulary/json.ts';

/** @returns '' if there is none */
export const textAt = (value: unknown, ...path: string[]): string => {
  const inner = path.reduce<unknown>(property, value);
  return inner === undefined || inner === null ? '' : String(inner);
};

const namesOf = (approvals: unknown): string =>
  listIn(approvals)
    .map((one) => textAt(one, 'by') || 'unknown')
    .join(', ');

const HOW_KNOWN: Record<string, string> = {
  key: 'by the key of its boot',
  address: 'by its address',
  nothing: 'not at all',
};

/** Returns the facts that have a value. @param timeText of a time in ISO 8601, or of '' */
export function certificateFacts(
  certificate: Record<string, unknown>,
  timeText: (iso: string) => string,
): [name: string, value: string][] {
  const { node, workflow, ticket } = certificate;
  const machine = [textAt(node, 'manufacturer'), textAt(node, 'product')].filter(Boolean).join(' ');
  const all: [string, string][] = [
    ['Issued', timeText(textAt(certificate, 'issuedAt'))],
    ['Standard', textAt(certificate, 'standard')],
    ['Node', [textAt(node, 'name'), textAt(node, 'id')].filter(Boolean).join(', ')],
    ['Machine', machine],
    ['Serial number', textAt(node, 'serial')],
    ['Graph', textAt(workflow, 'graph')],
    ['Workflow', textAt(workflow, 'id')],
    ['Started', timeText(textAt(workflow, 'startedAt'))],
    ['Launched by', textAt(certificate, 'operator')],
    ['Asked for by', textAt(ticket, 'requestedBy')],
    ['Approved by', namesOf(property(ticket, 'approvals'))],
    ['Agent identified', HOW_KNOWN[textAt(certificate, 'agent', 'knownBy')] ?? ''],
  ];
  return all.filter(([, value]) => value !== '');
}
