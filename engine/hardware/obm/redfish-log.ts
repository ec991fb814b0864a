/** Finds the system event log of a Redfish service: under the system, or under its manager. */
import { property } from '../../vocabulary/json.ts';
import { type AskResource, linkOf, type Resource, resourceLinks } from './redfish-resource.ts';

/** @returns the path of the action that clears the log */
export async function eventLogOf(ask: AskResource, system: Resource): Promise<string | undefined> {
  const managers = property(system.Links, 'ManagedBy');
  const clearAction = await clearActionOf(ask, system);
  if (clearAction !== undefined) return clearAction;
  for (const manager of resourceLinks(managers)) {
    const log = await clearActionOf(ask, await ask({ method: 'GET', path: manager }));
    if (log !== undefined) return log;
  }
  return undefined;
}

async function clearActionOf(ask: AskResource, { LogServices: services }: Resource): Promise<string | undefined> {
  if (services === undefined) return undefined;
  const { Members: members } = await ask({ method: 'GET', path: linkOf(services) });
  for (const path of resourceLinks(members)) {
    const log = await ask({ method: 'GET', path });
    const clear = property(property(log.Actions, '#LogService.ClearLog'), 'target');
    if (isEventLog(log) && typeof clear === 'string') return clear;
  }
  return undefined;
}

const isEventLog = ({ LogEntryType: type, Id: id }: Resource): boolean =>
  type === 'SEL' || (typeof id === 'string' && /^sel$/i.test(id));
