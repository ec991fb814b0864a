/** The checks of `nw doctor`. Each one is independent: a failure of one does not hide the others. */
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import type { GetAnswer } from '../client/requests.ts';
import { duration } from '../client/times.ts';
import type { Client } from './client.ts';
import { isOnPath } from './on-path.ts';
import { shownTime } from './shown-time.ts';
import { wholeList } from './whole-list.ts';

export interface Finding {
  subject: string;
  state: 'ok' | 'warning' | 'failed';
  detail: string;
  /** The remedy; null: none is needed. */
  advice: string | null;
}

type Result = Omit<Finding, 'subject'>;
type Totals = GetAnswer<'/summary'>;

const ok = (detail: string): Result => ({ state: 'ok', detail, advice: null });
const warning = (detail: string, advice: string): Result => ({ state: 'warning', detail, advice });
const failure = (detail: string, advice: string): Result => ({ state: 'failed', detail, advice });

/** ms. A token would be rejected, and times in the log would mislead. */
const SKEW_MS = 5_000;
const BACKUP_MS = 7 * 24 * 60 * 60 * 1_000;
const GIB = 1024 ** 3;
const MANY_EVENTS = 1_000;

export async function examine(client: Client): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (subject: string, look: () => Promise<Result> | Result): Promise<void> => {
    const result = await Promise.resolve()
      .then(look)
      .catch((error) => failure(messageOf(error), 'look at its log'));
    findings.push({ subject, ...result });
  };
  await check('daemon', () => checkReady(client));
  const totals = await client.get('/summary').then(({ body }) => body);
  await check('stores', () => (totals.stores === 'up' ? ok('up') : failure('down', 'start MongoDB and Redis')));
  await check('disk', () => disk(totals));
  await check('broker', () => broker(totals));
  await check('hooks', () => hooks(totals));
  await check('clock', () => clock(client));
  await check('backup', () => backup(totals));
  await check('tools', () => tools(client));
  await check('definitions', () => definitions(client));
  await check('workflows', () => workflows(totals));
  await check('BMCs', () => bmcs(totals));
  await check('catalogs', () => catalogs(client));
  return findings;
}

async function checkReady(client: Client): Promise<Result> {
  await client.get('/readyz');
  return ok(`ready at ${client.url}`);
}

function disk({ disk: { path, freeBytes, totalBytes } }: Totals): Result {
  const detail = `${(freeBytes / GIB).toFixed(1)} of ${(totalBytes / GIB).toFixed(1)} GiB free at ${path}`;
  const free = freeBytes / totalBytes;
  if (free < 0.02) return failure(detail, 'make room: the database ends the daemon when it cannot write');
  return free < 0.1 ? warning(detail, 'make room, or shorten workflowRetentionDays') : ok(detail);
}

function broker({ broker: state, backlog: { events } }: Totals): Result {
  const waiting = `${events} events wait`;
  if (state === 'none') return ok('none configured');
  if (state === 'down') return failure(`down; ${waiting}`, 'start RabbitMQ; no event is lost in the meantime');
  return events > MANY_EVENTS ? warning(`up; ${waiting}`, 'see whether listeners are slow') : ok(`up; ${waiting}`);
}

function hooks({ backlog: { hooks: waiting } }: Totals): Result {
  return waiting > 0 ? warning(`${waiting} deliveries wait`, 'nw hooks') : ok('no delivery waits');
}

async function clock(client: Client): Promise<Result> {
  const { at } = await client.get('/healthz');
  const skew = Math.abs(Date.now() - at);
  const detail = `the daemon's differs by ${duration(skew)} from this machine's`;
  return skew > SKEW_MS ? warning(detail, 'synchronize both by NTP') : ok('agrees with this machine');
}

function backup({ backup: { lastAt } }: Totals): Result {
  if (lastAt === null) return warning('never on the machine of the daemon', 'nw backup create FILE');
  const detail = `made ${shownTime(lastAt)}`;
  return Date.now() - Date.parse(lastAt) > BACKUP_MS ? warning(detail, 'nw backup create FILE') : ok(detail);
}

/** Only on the machine of the daemon can its tools be looked for. */
async function tools(client: Client): Promise<Result> {
  const { total = 0 } = await client.get('/obms', { query: { service: 'ipmi-obm-service', $top: 1 } });
  if (total === 0) return ok('ipmitool is not needed: no node has an IPMI obm');
  const { hostname } = new URL(client.url);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    return ok(`ipmitool is needed on ${hostname}: look there`);
  return isOnPath('ipmitool')
    ? ok('ipmitool is there')
    : failure('ipmitool is missing', 'install it: apt install ipmitool');
}

async function definitions(client: Client): Promise<Result> {
  const { body } = await client.get('/workflows/graphs', { query: { errors: true } });
  return body.length === 0 ? ok('all are served') : warning(`${body.length} were rejected`, 'nw graphs --errors');
}

function workflows({ workflows: { stuck, byStatus } }: Totals): Result {
  const detail = `${byStatus.running ?? 0} run, ${stuck} of them stuck`;
  return stuck > 0 ? warning(detail, 'nw ps --stuck') : ok(detail);
}

function bmcs({ bmcs: { circuitsOpen } }: Totals): Result {
  return circuitsOpen > 0
    ? warning(`the circuits of ${circuitsOpen} are open, because they did not answer`, 'nw bmcs')
    : ok('no circuit is open');
}

/** Nodes in one question: the newest ten catalogs of each fit into an answer. */
const GROUP = 100;

/** Without its DMI catalog, a node has no SKU. */
async function catalogs(client: Client): Promise<Result> {
  const { body: nodes } = await wholeList((query) => client.get('/nodes', { query }), {
    type: 'compute',
    fields: 'name',
  });
  const nodeIds = new Set<string>();
  for (let from = 0; from < nodes.length; from += GROUP) {
    const node = nodes
      .slice(from, from + GROUP)
      .map(({ id }) => id)
      .join(',');
    const { body } = await client.get('/catalogs', { query: { source: 'dmi', fields: 'node', node } });
    for (const catalog of body) nodeIds.add(catalog.node);
  }
  const without = nodes.filter(({ id }) => !nodeIds.has(id));
  const [first] = without;
  if (first === undefined) return ok(`each of ${nodes.length} nodes has its dmi catalog`);
  const detail = `${without.length} of ${nodes.length} nodes have no dmi catalog, such as ${first.name}`;
  return warning(detail, `nw node discover ${first.name}`);
}
