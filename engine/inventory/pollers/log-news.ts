/** The new entries of the logs that a poller reads: the event log by IPMI, logs of the system or its managers by Redfish. */
import type { ObmDrivers } from '../../hardware/obm/obm-drivers.ts';
import { markWithout, readLogs } from '../../hardware/obm/redfish-log-entries.ts';
import { type SelEntry, textOf } from '../../hardware/obm/sel.ts';
import { readsLogs } from './poller-config.ts';
import type { LogMark, StoredPoller } from './stored-poller.ts';

export type LogObms = Pick<ObmDrivers, 'logOf' | 'redfish' | 'addressesOf'>;

export type LogPoller = StoredPoller & { node: string };

export interface LogNews {
  /** Oldest first, in each log. */
  entries: SelEntry[];
  mark: LogMark;
}

/** Only a node's log is polled: its events are about the node. */
export const isOfLog = (poller: StoredPoller): poller is LogPoller =>
  readsLogs(poller.config.command) && poller.node !== null;

/** @throws ObmError */
export async function newsOfLogs(obms: LogObms, poller: LogPoller, signal: AbortSignal): Promise<LogNews> {
  const { node, type, config, mark } = poller;
  if (type !== 'redfish') return obms.logOf(node, mark === null || 'logs' in mark ? undefined : mark, signal);
  const bmc = await obms.redfish(node);
  const owner = config.command === 'managers.logservices' ? 'managers' : 'systems';
  const since = mark !== null && 'logs' in mark ? mark : undefined;
  return readLogs((request) => bmc.ask(request, signal), owner, since, bmc.system);
}

/** Returns the mark for when only a part of the entries has been saved. */
export function unreadMark(mark: LogMark, part: readonly SelEntry[], remaining: readonly SelEntry[]): LogMark {
  if (remaining.length === 0) return mark;
  if ('logs' in mark) return markWithout(mark, remaining);
  const { entries, cleared } = mark;
  return { entries: entries - remaining.length, added: '', cleared, last: textOf(part.at(-1) ?? {}) };
}
