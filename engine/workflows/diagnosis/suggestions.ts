/** Suggestions for a user about the waits of a workflow. Each path can be requested as it is; a PUT has `{ command: action }`. */
import type { BmcGate, Suggestion, WaitExplained } from '../../api-port/index.ts';
import { isPaused } from '../../durable/step/pausing.ts';
import { isQuarantined } from '../../durable/step/quarantined.ts';
import type { WorkflowRow } from '../../durable/step/row.ts';
import { isActive } from '../../vocabulary/states.ts';

const API_PREFIX = '/api/current';

/** Each of them has its own path: only one of several waits is completed. */
const notify = ({ id }: WorkflowRow, label: string | null): Suggestion => ({
  action: 'notify',
  text: `send the notification instead of the node${label === null ? '' : `, for \`${label}\``}, if what it reports is true`,
  method: 'POST',
  path: `${API_PREFIX}/workflows/${id}/notification${label === null ? '' : `?label=${encodeURIComponent(label)}`}`,
});

export function suggestionsFor(
  row: WorkflowRow,
  waits: readonly WaitExplained[],
  bmc: Pick<BmcGate, 'host' | 'retryAt'> | null,
): Suggestion[] {
  if (!isActive(row.status)) return [];
  const waitsFor = new Set(waits.map(({ waitingOn }) => waitingOn));
  const put = (action: Suggestion['action'], text: string): Suggestion => ({
    action,
    text,
    method: 'PUT',
    path: `${API_PREFIX}/workflows/${row.id}/action`,
  });
  const get = (text: string, path: string): Suggestion => ({
    action: 'check',
    text,
    method: 'GET',
    path: API_PREFIX + path,
  });
  const node = row.node === null ? undefined : encodeURIComponent(row.node);
  const all: (Suggestion | undefined)[] = [
    isPaused(row) ? put('resume', 'resume it') : undefined,
    isQuarantined(row) ? put('release', 'release it, when the cause is fixed') : undefined,
    row.error?.code === 'DEFINITION_GONE'
      ? get('restore the definition of its graph; these files have errors', '/workflows/graphs?errors=true')
      : undefined,
    waitsFor.has('retry') || waitsFor.has('bmc') ? put('retry-now', 'begin the next attempt now') : undefined,
    waitsFor.has('bmc') && bmc !== null && bmc.retryAt !== null
      ? {
          action: 'check',
          text: `check that the BMC at ${bmc.host} answers, then close its circuit`,
          method: 'DELETE',
          path: `${API_PREFIX}/bmcs/${encodeURIComponent(bmc.host)}/circuit`,
        }
      : undefined,
    (waitsFor.has('notification') || waitsFor.has('command')) && node !== undefined
      ? get('look at the console of the node; these are its address and its last discovery', `/nodes/${node}`)
      : undefined,
    ...waits.filter(({ waitingOn }) => waitingOn === 'notification').map(({ label }) => notify(row, label)),
    waitsFor.has('child') ? get('read the history, which names the child', `/workflows/${row.id}/history`) : undefined,
    put('cancel', row.node === null ? 'cancel it' : 'cancel it; the node becomes free when its last command has ended'),
  ];
  return all.filter((suggestion) => suggestion !== undefined);
}
