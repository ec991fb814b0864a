/** `nw audit list|verify-remote`: the audit log, by requests to the daemon. The other commands of `audit` read its store. */
import type { Command } from 'commander';
import type { ChainEnd } from '../../../engine/api-port/index.ts';
import type { ApiAnswer, GetAnswer } from '../../client/requests.ts';
import { chainEnd, exitCodeOfReport, KNOWN, sayChecked } from '../checked-chain.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { count, position } from '../option-values.ts';
import { showAs, showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { inform } from '../terminal.ts';

interface ListFlags extends ConnectionOptions {
  after: number;
  limit: number;
}

export function addAuditRequests(audit: Command): void {
  connecting(audit.command('list'))
    .description('lists the entries, oldest first: who changed what')
    .option('--after <seq>', 'only later entries', position, 0)
    .option('--limit <number>', 'entries', count, 100)
    .action(list);
  connecting(audit.command('verify-remote'))
    .description('has the daemon verify the chain of its entries')
    .option(...KNOWN, chainEnd)
    .action(verify);
}

type Entry = GetAnswer<'/audit'>[number];
type Page = ApiAnswer<readonly Entry[]>;

const columns: TableColumn<Entry>[] = [
  { title: 'seq', value: ({ seq }) => seq },
  { title: 'at', value: ({ at }) => shownTime(at) },
  { title: 'user', value: ({ user }) => user },
  { title: 'address', value: ({ address }) => address },
  { title: 'method', value: ({ method }) => method },
  { title: 'path', value: ({ path }) => path },
  { title: 'status', value: ({ status }) => status },
  { title: 'target', value: ({ target }) => target, wide: true },
  { title: 'token', value: ({ tokenId }) => tokenId, wide: true },
  { title: 'request', value: ({ requestId }) => requestId, wide: true },
  { title: 'hash', value: ({ hash }) => hash, wide: true },
];

/** Entries that one request reads. */
const ENTRIES_PER_REQUEST = 1_000;

const list = ({ after, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const entries: Entry[] = [];
    let from: number | undefined = after;
    while (from !== undefined && entries.length < limit) {
      const query: { after: number; limit: number } = {
        after: from,
        limit: Math.min(ENTRIES_PER_REQUEST, limit - entries.length),
      };
      const { body, next }: Page = await client.get('/audit', { query });
      entries.push(...body);
      from = next === undefined ? undefined : Number(next.after);
    }
    showList(entries, columns, options.output);
    if (from !== undefined) inform(`--after ${from} continues`);
  });

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
