/** `nw audit list|verify-remote`: the audit log, by requests to the daemon. The other commands of `audit` read its store. */
import type { Command } from 'commander';
import type { ChainEnd } from '../../../engine/api-port/index.ts';
import { auditTarget, auditWords } from '../../client/audit-words.ts';
import { newestPosition } from '../../client/log-positions.ts';
import type { ApiAnswer, GetAnswer } from '../../client/requests.ts';
import { chainEnd, exitCodeOfReport, KNOWN, sayChecked } from '../checked-chain.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { nodeNames, readByIds } from '../node-names.ts';
import { count, position } from '../option-values.ts';
import { isTable, showAs, showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform } from '../terminal.ts';

interface ListFlags extends ConnectionOptions {
  after?: number;
  limit: number;
}

export function addAuditRequests(audit: Command): void {
  connecting(audit.command('list'))
    .description('lists the newest entries: who changed what')
    .option('--after <seq>', 'instead the first ones after this entry', position)
    .option('--limit <number>', 'entries', count, 100)
    .action(list);
  connecting(audit.command('verify-remote'))
    .description('has the daemon verify the chain of its entries')
    .option(...KNOWN, chainEnd)
    .action(verify);
}

type Entry = GetAnswer<'/audit'>[number];
type Page = ApiAnswer<readonly Entry[]>;

type TargetText = (entry: Entry) => string | null | undefined;

const columnsWith = (targetOf: TargetText): TableColumn<Entry>[] => [
  { title: 'seq', value: ({ seq }) => seq },
  { title: 'at', value: ({ at }) => shownTime(at) },
  { title: 'user', value: ({ user }) => user },
  { title: 'address', value: ({ address }) => address },
  { title: 'what', value: auditWords },
  { title: 'of, or on', value: targetOf },
  { title: 'status', value: ({ status }) => status },
  { title: 'method', value: ({ method }) => method, wide: true },
  { title: 'path', value: ({ path }) => path, wide: true },
  { title: 'token', value: ({ tokenId }) => tokenId, wide: true },
  { title: 'request', value: ({ requestId }) => requestId, wide: true },
  { title: 'hash', value: ({ hash }) => hash, wide: true },
];

/** Entries that one request reads. */
const ENTRIES_PER_REQUEST = 1_000;

/** A workflow by its graph and node, a node by its name, other records by their ids. */
async function targetTexts(client: Client, entries: readonly Entry[]): Promise<TargetText> {
  const idsOf = (wanted: string) =>
    entries.map(auditTarget).flatMap((target) => (target?.kind === wanted ? [target.id] : []));
  const workflows = await readByIds(idsOf('workflows'), async (id, $top) => {
    const query = { id, fields: 'injectableName,node', $top };
    return (await client.get('/workflows', { query })).body;
  });
  const names = await nodeNames(client, [...idsOf('nodes'), ...[...workflows.values()].map(({ node }) => node)]);
  return (entry) => {
    const { kind, id = '' } = auditTarget(entry) ?? {};
    const workflow = kind === 'workflows' ? workflows.get(id) : undefined;
    if (workflow === undefined) return names.get(id) ?? (id || null);
    const { injectableName, node } = workflow;
    return node === null ? injectableName : `${injectableName} on ${names.get(node) ?? node}`;
  };
}

const list = ({ after, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const entries: Entry[] = [];
    let from: number | undefined = after ?? (await beforeNewest(client, limit));
    while (from !== undefined && entries.length < limit) {
      const query: { after: number; limit: number } = {
        after: from,
        limit: Math.min(ENTRIES_PER_REQUEST, limit - entries.length),
      };
      const { body, next }: Page = await client.get('/audit', { query });
      entries.push(...body);
      from = next === undefined ? undefined : Number(next.after);
    }
    const targetOf = isTable(options.output) ? await targetTexts(client, entries) : () => null;
    showList(entries, columnsWith(targetOf), options.output);
    if (from !== undefined) inform(`--after ${from} continues`);
  });

async function beforeNewest(client: Client, limit: number): Promise<number> {
  const read = async (after: number, count: number) =>
    (await client.get('/audit', { query: { after, limit: count } })).body;
  return Math.max(0, (await newestPosition(read)) - limit);
}

/** ms; a daemon may read tens of millions of entries. */
const VERIFY_MS = 320_000;

const verify = ({ known, ...options }: ConnectionOptions & { known?: ChainEnd }): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/audit/verify', { limitMs: VERIFY_MS });
    const entryAt = async (after: number) => (await client.get('/audit', { query: { after, limit: 1 } })).body[0];
    const first = await entryAt(0);
    const last = first && body.checked > 0 ? await entryAt(first.seq + body.checked - 2) : undefined;
    const noted = known && (await entryAt(known.seq - 1));
    const comparison = noted?.seq !== known?.seq ? 'absent' : noted?.hash === known?.hash ? 'same' : 'other';
    const report = { ...body, first, last, known: known && comparison } as const;
    showAs(options.output, body, () => sayChecked(report, known));
    process.exitCode = exitCodeOfReport(report);
  });
