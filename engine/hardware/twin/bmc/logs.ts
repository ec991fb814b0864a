/** The system event log, below the system or below the manager (LogService). */
import type { JsonObject } from '../../../vocabulary/json.ts';
import { LOG_LIMIT } from '../machine/bmc-log.ts';
import type { LogEntry } from '../machine/machine-state.ts';
import type { BmcCall, BmcReply, BmcRoute } from './bmc-call.ts';
import { bmcTime, collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf } from './documents.ts';
import { BodyFields } from './fields.ts';

const entryOf = ({ bmc, params }: BmcCall): LogEntry | undefined =>
  bmc.log.find(({ id }) => String(id) === params.entry);

const logDocument = (call: BmcCall): JsonObject =>
  resourceOf(call, 'LogService', 'System event log', {
    ServiceEnabled: true,
    LogEntryType: 'SEL',
    OverWritePolicy: 'WrapsWhenFull',
    MaxNumberOfRecords: LOG_LIMIT,
    DateTime: bmcTime(call, call.now),
    DateTimeLocalOffset: '+00:00',
    Status: enabledStatus,
    Entries: linkTo(`${call.path}/Entries`),
    Actions: { '#LogService.ClearLog': { target: `${call.path}/Actions/LogService.ClearLog` } },
  });

function entriesDocument(call: BmcCall): JsonObject {
  const ids = call.bmc.log.map(({ id }) => String(id));
  const collection = collectionOf(call, 'LogEntry', ids);
  // The members of this collection are whole (LogEntryCollection).
  const Members = ids.map((entry) =>
    entryDocument({ ...call, path: `${call.path}/${entry}`, params: { ...call.params, entry } }),
  );
  return { ...collection, Members };
}

function entryDocument(call: BmcCall): JsonObject {
  const entry = entryOf(call);
  if (entry === undefined) return {};
  return resourceOf(call, 'LogEntry', `Log entry ${entry.id}`, {
    EntryType: 'SEL',
    Created: bmcTime(call, entry.at),
    Severity: entry.severity,
    Message: entry.message,
  });
}

async function clearLog({ bmc, body, machine }: BmcCall): Promise<BmcReply> {
  new BodyFields(body, ['LogEntriesETag', 'LogEntryCodes'], { isAction: true });
  bmc.log = [];
  await machine.save();
  return noContent;
}

function routesBelow(owner: 'system' | 'manager', parent: string): BmcRoute[] {
  const isThere = ({ model, params }: BmcCall): boolean =>
    model.tree.logOf === owner && (params.log === undefined || params.log === model.tree.log);
  const log = `${parent}/LogServices/:log`;
  return [
    {
      path: `${parent}/LogServices`,
      has: isThere,
      get: (call) => collectionOf(call, 'LogService', [call.model.tree.log]),
    },
    { path: log, has: isThere, get: logDocument },
    { path: `${log}/Actions/LogService.ClearLog`, has: isThere, post: clearLog },
    { path: `${log}/Entries`, has: isThere, get: entriesDocument },
    {
      path: `${log}/Entries/:entry`,
      has: (call) => isThere(call) && entryOf(call) !== undefined,
      get: entryDocument,
    },
  ];
}

export const logRoutes: readonly BmcRoute[] = [
  ...routesBelow('system', `${ROOT_PATH}/Systems/:system`),
  ...routesBelow('manager', `${ROOT_PATH}/Managers/:manager`),
];
