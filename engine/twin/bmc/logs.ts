/** The system event log, below the system or below the manager (LogService). */
import type { JsonObject } from '../../vocabulary/json.ts';
import type { BmcState, LogEntry } from '../machine-state.ts';
import type { BmcAsked, BmcRoute, BmcSaid } from './asked.ts';
import { collectionOf, enabledStatus, linkTo, noContent, ROOT_PATH, resourceOf, shownTime } from './documents.ts';
import { BodyFields } from './fields.ts';

/** Of entries; the oldest ones give way. */
const LOG_LIMIT = 200;

/** Adds an entry to the log. @param entry `at`: field time */
export function addLogEntry(bmc: BmcState, entry: Omit<LogEntry, 'id'>): void {
  bmc.lastEntry += 1;
  bmc.log.push({ ...entry, id: bmc.lastEntry });
  if (bmc.log.length > LOG_LIMIT) bmc.log.shift();
}

const entryOf = ({ bmc, params }: BmcAsked): LogEntry | undefined =>
  bmc.log.find(({ id }) => String(id) === params.entry);

const logDocument = (asked: BmcAsked): JsonObject =>
  resourceOf(asked, 'LogService', 'System event log', {
    ServiceEnabled: true,
    LogEntryType: 'SEL',
    OverWritePolicy: 'WrapsWhenFull',
    MaxNumberOfRecords: LOG_LIMIT,
    DateTime: shownTime(asked, asked.now),
    DateTimeLocalOffset: '+00:00',
    Status: enabledStatus,
    Entries: linkTo(`${asked.path}/Entries`),
    Actions: { '#LogService.ClearLog': { target: `${asked.path}/Actions/LogService.ClearLog` } },
  });

function entriesDocument(asked: BmcAsked): JsonObject {
  const ids = asked.bmc.log.map(({ id }) => String(id));
  const collection = collectionOf(asked, 'LogEntry', ids);
  // The members of this collection are whole (LogEntryCollection).
  const Members = ids.map((entry) =>
    entryDocument({ ...asked, path: `${asked.path}/${entry}`, params: { ...asked.params, entry } }),
  );
  return { ...collection, Members };
}

function entryDocument(asked: BmcAsked): JsonObject {
  const entry = entryOf(asked);
  if (entry === undefined) return {};
  return resourceOf(asked, 'LogEntry', `Log entry ${entry.id}`, {
    EntryType: 'SEL',
    Created: shownTime(asked, entry.at),
    Severity: entry.severity,
    Message: entry.message,
  });
}

async function clearLog({ bmc, body, machine }: BmcAsked): Promise<BmcSaid> {
  new BodyFields(body, ['LogEntriesETag', 'LogEntryCodes'], { isAction: true });
  bmc.log = [];
  await machine.changed();
  return noContent;
}

function routesBelow(owner: 'system' | 'manager', parent: string): BmcRoute[] {
  const isThere = ({ model, params }: BmcAsked): boolean =>
    model.tree.logOf === owner && (params.log === undefined || params.log === model.tree.log);
  const log = `${parent}/LogServices/:log`;
  return [
    {
      path: `${parent}/LogServices`,
      has: isThere,
      get: (asked) => collectionOf(asked, 'LogService', [asked.model.tree.log]),
    },
    { path: log, has: isThere, get: logDocument },
    { path: `${log}/Actions/LogService.ClearLog`, has: isThere, post: clearLog },
    { path: `${log}/Entries`, has: isThere, get: entriesDocument },
    {
      path: `${log}/Entries/:entry`,
      has: (asked) => isThere(asked) && entryOf(asked) !== undefined,
      get: entryDocument,
    },
  ];
}

export const logRoutes: readonly BmcRoute[] = [
  ...routesBelow('system', `${ROOT_PATH}/Systems/:system`),
  ...routesBelow('manager', `${ROOT_PATH}/Managers/:manager`),
];
