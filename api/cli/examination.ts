/** The checks of `nw doctor`. Each one is independent: a failure of one does not hide the others. */
import { countText } from '../../engine/vocabulary/count-texts.ts';
import { messageOf } from '../../engine/vocabulary/thrown-values.ts';
import { duration } from '../client/times.ts';
import { type CheckResult, type Finding, failure, ok, totalsChecks, warning } from '../views/findings.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { isOnPath } from './on-path.ts';
import { shownTime } from './shown-time.ts';
import { wholeList } from './whole-list.ts';

/** ms. A token would be rejected, and times in the log would mislead. */
const SKEW_MS = 5_000;

export async function examine(client: Client): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (subject: string, look: () => Promise<CheckResult> | CheckResult): Promise<void> => {
    const result = await Promise.resolve()
      .then(look)
      .catch((error) => (isForbidden(error) ? notPermitted(error) : failure(messageOf(error), 'look at its log')));
    findings.push({ subject, ...result });
  };
  await check('daemon', () => checkReady(client));
  const totals = await client.get('/summary').then(
    ({ body }) => body,
    (error: unknown) => {
      if (isForbidden(error)) return error;
      throw error;
    },
  );
  const checkTotals = (subject: keyof typeof totalsChecks) =>
    check(subject, () =>
      isForbidden(totals) ? notPermitted(totals) : totalsChecks[subject](totals, (time) => shownTime(time) ?? time),
    );
  await checkTotals('stores');
  await checkTotals('disk');
  await checkTotals('broker');
  await checkTotals('hooks');
  await check('clock', () => clock(client));
  await checkTotals('backup');
  await check('tools', () => tools(client));
  await check('definitions', () => definitions(client));
  await checkTotals('workflows');
  await checkTotals('BMCs');
  await check('catalogs', () => catalogs(client));
  return findings;
}

const isForbidden = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

/** A member of a team may look at its nodes only. */
const notPermitted = ({ requiredPrivileges }: ApiError): CheckResult => ({
  state: 'skipped',
  detail: `not looked at: needs ${requiredPrivileges.join(' or ')} for the whole site`,
  advice: null,
});

async function checkReady(client: Client): Promise<CheckResult> {
  await client.get('/readyz');
  return ok(`ready at ${client.url}`);
}

async function clock(client: Client): Promise<CheckResult> {
  const { at } = await client.get('/healthz');
  const skew = Math.abs(Date.now() - at);
  const detail = `the daemon's differs by ${duration(skew)} from this machine's`;
  return skew > SKEW_MS ? warning(detail, 'synchronize both by NTP') : ok('agrees with this machine');
}

/** Only on the machine of the daemon can its tools be looked for. */
async function tools(client: Client): Promise<CheckResult> {
  const { total = 0 } = await client.get('/obms', { query: { service: 'ipmi-obm-service', $top: 1 } });
  if (total === 0) return ok('ipmitool is not needed: no node has an IPMI obm');
  const { hostname } = new URL(client.url);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    return ok(`ipmitool is needed on ${hostname}: look there`);
  return isOnPath('ipmitool')
    ? ok('ipmitool is there')
    : failure('ipmitool is missing', 'install it: apt install ipmitool');
}

async function definitions(client: Client): Promise<CheckResult> {
  const { body } = await client.get('/workflows/graphs', { query: { errors: true } });
  return body.length === 0 ? ok('all are served') : warning(`${body.length} were rejected`, 'nw graphs --errors');
}

/** Nodes in one question: the newest ten catalogs of each fit into an answer. */
const GROUP = 100;

/** Without its DMI catalog, a node has no SKU. */
async function catalogs(client: Client): Promise<CheckResult> {
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
  if (first === undefined)
    return ok(`${nodes.length === 1 ? 'the node has' : `each of ${nodes.length} nodes has`} its dmi catalog`);
  const detail = `${without.length} of ${countText(nodes.length, 'node')} ${without.length === 1 ? 'has' : 'have'} no dmi catalog, such as ${first.name}`;
  return warning(detail, `nw node discover ${first.name}`);
}
