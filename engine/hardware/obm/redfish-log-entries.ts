/**
 * Reads the new entries in the logs of a Redfish service: those of the system, or of its managers (DSP2046, LogService).
 *
 * 1. The mark has a digest of each entry that was read, because numbers of entries begin anew when a log is cleared, and clocks of BMCs
 *    are reset: an entry is new if its digest is not in the mark.
 * 2. Only the newest entries of a log count (`LIMIT.entries`). Of a log in pages, a page without new entries is the last one
 *    that is read, if the newest entries are first.
 */
import { createHash } from 'node:crypto';
import { ObmError, theOnlySystem } from '../../define/obm.ts';
import { listIn, property } from '../../vocabulary/json.ts';
import { SERVICE_ROOT } from '../redfish/service.ts';
import { type AskResource, linkOf, type Resource, resourceLinks } from './redfish-resource.ts';
import type { SelEntry } from './sel.ts';

export type LogOwner = 'systems' | 'managers';

/** Digests of the entries that were read, newest first. `log`: the path of their log. */
export interface RedfishLogMark {
  logs: { log: string; digests: string[] }[];
}

export interface RedfishLogNews {
  /** Oldest first in each log. Texts only: those fields of LogEntry that say what happened, and `Log`, the path of its log. */
  entries: SelEntry[];
  mark: RedfishLogMark;
}

/** `links`: entries that a service has as links only, each of which costs a request. */
const LIMIT = { logs: 8, entries: 500, pages: 20, links: 50, text: 500 };
const ENTRY_FIELDS = [
  ...['Id', 'Created', 'EntryType', 'EntryCode', 'Severity', 'SensorType', 'SensorNumber', 'MessageId', 'Message'],
] as const;
/** Logs for those who debug a BMC, with thousands of lines. */
const DEBUG_LOG = /dump|journal|postcode|crash/i;
const DIGEST = 8;

type Get = (path: string) => Promise<Resource>;

/**
 * @param mark of the last reading; undefined: none
 * @param system path of the ComputerSystem; undefined: the service must have exactly one
 * @throws ObmError OBM_UNSUPPORTED if the owner has no logs
 */
export async function readLogs(
  ask: AskResource,
  owner: LogOwner,
  mark: RedfishLogMark | undefined,
  system: string | undefined,
): Promise<RedfishLogNews> {
  const get: Get = (path) => ask({ method: 'GET', path });
  const entries: SelEntry[] = [];
  const logs: RedfishLogMark['logs'] = [];
  for (const { log, path } of await logsOf(get, owner, system)) {
    const before = mark?.logs.find((one) => one.log === log)?.digests ?? [];
    const readBefore = new Set(before);
    const { newest, isWhole } = await newestOf(get, log, path, readBefore);
    const digests = newest.map(digestOf);
    entries.push(...newest.filter((_, at) => !readBefore.has(digests[at] ?? '')).reverse());
    const earlier = isWhole ? [] : before.filter((digest) => !digests.includes(digest));
    logs.push({ log, digests: [...digests, ...earlier].slice(0, LIMIT.entries) });
  }
  const isSame = mark !== undefined && JSON.stringify(mark.logs) === JSON.stringify(logs);
  return { entries, mark: isSame ? mark : { logs } };
}

/** Returns the mark as if these entries had not been read yet. */
export function markWithout({ logs }: RedfishLogMark, entries: readonly SelEntry[]): RedfishLogMark {
  const later = new Set(entries.map(digestOf));
  return { logs: logs.map(({ log, digests }) => ({ log, digests: digests.filter((digest) => !later.has(digest)) })) };
}

const digestOf = (entry: SelEntry): string =>
  createHash('sha256').update(JSON.stringify(entry)).digest('base64url').slice(0, DIGEST);

async function logsOf(get: Get, owner: LogOwner, system: string | undefined): Promise<{ log: string; path: string }[]> {
  const path = system ?? theOnlySystem(resourceLinks((await get(`${SERVICE_ROOT}Systems`)).Members));
  const resource = await get(path);
  const owners: Resource[] = owner === 'systems' ? [resource] : [];
  if (owner === 'managers') {
    for (const manager of resourceLinks(property(resource.Links, 'ManagedBy'))) owners.push(await get(manager));
  }
  const logs: { log: string; path: string }[] = [];
  for (const { LogServices: services } of owners) {
    if (services === undefined) continue;
    for (const log of resourceLinks((await get(linkOf(services))).Members).slice(0, LIMIT.logs)) {
      const { ServiceEnabled: isEnabled, Entries: entries, Id: id } = await get(log);
      if (isEnabled !== false && entries !== undefined && !DEBUG_LOG.test(String(id)))
        logs.push({ log, path: linkOf(entries) });
    }
  }
  if (logs.length === 0) throw noLogs(owner);
  return logs.slice(0, LIMIT.logs);
}

const noLogs = (owner: LogOwner): ObmError => {
  const [where, other] =
    owner === 'systems' ? ['system', 'managers.logservices'] : ['manager of the system', 'systems.logservices'];
  return new ObmError('OBM_UNSUPPORTED', `the BMC has no logs below the ${where}; a poller ${other} may find them`, {
    retry: false,
  });
};

interface LogPart {
  /** Newest first. */
  newest: SelEntry[];
  /** Whether older entries are none, or do not count. */
  isWhole: boolean;
}

async function newestOf(get: Get, log: string, path: string, readBefore: ReadonlySet<string>): Promise<LogPart> {
  let page = await get(path);
  let read = await entriesOn(get, log, page);
  const isDescending = comesFirst(read) === 'newest';
  const count = page['Members@odata.count'];
  if (nextOf(page) !== undefined && !isDescending && typeof count === 'number' && count > LIMIT.entries) {
    page = await get(`${path}?$skip=${count - LIMIT.entries}`);
    read = await entriesOn(get, log, page);
  }
  let isWhole = true;
  for (let pages = 1; nextOf(page) !== undefined; pages += 1) {
    if (isDescending && read.length >= LIMIT.entries) break;
    if (pages === LIMIT.pages) throw tooLong(log);
    if (isDescending && read.slice(-membersOf(page).length).every((entry) => readBefore.has(digestOf(entry)))) {
      isWhole = false;
      break;
    }
    page = await get(nextOf(page) ?? '');
    read.push(...(await entriesOn(get, log, page)));
  }
  return { newest: (isDescending ? read : read.reverse()).slice(0, LIMIT.entries), isWhole };
}

const tooLong = (log: string): ObmError =>
  new ObmError('OBM_UNSUPPORTED', `the log ${log} has more than ${LIMIT.pages} pages; clear it`, { retry: false });

/** The newest that count are at one end of a page, whichever order it has. A member that is no entry does not hide the others. */
function membersOf({ Members: members }: Resource): Resource[] {
  const entries = listIn(members).filter(
    (member) => !isLink(member) || typeof property(member, '@odata.id') === 'string',
  );
  const { entries: most } = LIMIT;
  return (entries.length <= 2 * most ? entries : [...entries.slice(0, most), ...entries.slice(-most)]) as Resource[];
}

const nextOf = (page: Resource): string | undefined => {
  const next = page['Members@odata.nextLink'];
  return typeof next === 'string' && next !== '' ? next : undefined;
};

/** Most neighbours decide, because the clock of a BMC may be reset between two entries. Without times, the numbers count. */
function comesFirst(entries: readonly SelEntry[]): 'newest' | 'oldest' {
  const trend =
    trendOf(entries.map(({ Created: time = '' }) => Date.parse(time))) ||
    trendOf(entries.map(({ Id: id }) => Number(id)));
  return trend < 0 ? 'newest' : 'oldest';
}

/** Returns how many more values rise than fall. */
const trendOf = (values: readonly number[]): number =>
  values.slice(1).reduce((sum, value, at) => sum + (Math.sign(value - (values[at] ?? Number.NaN)) || 0), 0);

async function entriesOn(get: Get, log: string, page: Resource): Promise<SelEntry[]> {
  const resources = membersOf(page);
  if (resources.filter(isLink).length > LIMIT.links) {
    const message = `the log ${log} has more than ${LIMIT.links} entries as links only; clear it`;
    throw new ObmError('OBM_UNSUPPORTED', message, { retry: false });
  }
  const entries: SelEntry[] = [];
  for (const resource of resources)
    entries.push(entryOf(log, isLink(resource) ? await get(linkOf(resource)) : resource));
  return entries;
}

const isLink = (resource: unknown): boolean =>
  property(resource, 'Id') === undefined && property(resource, 'Message') === undefined;

function entryOf(log: string, resource: Resource): SelEntry {
  const fields = ENTRY_FIELDS.flatMap((field) => {
    const value = resource[field];
    return typeof value === 'string' || typeof value === 'number'
      ? [[field, String(value).slice(0, LIMIT.text)] as const]
      : [];
  });
  return { Log: log, ...Object.fromEntries(fields) };
}
