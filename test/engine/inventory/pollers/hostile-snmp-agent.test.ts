/** An SNMP agent that answers what no agent may: the daemon lives on, and what it stores has a limit. */
import test from 'ava';
import { ObmError } from '../../../../engine/define/obm.ts';
import { readTrees } from '../../../../engine/inventory/pollers/snmp.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import { startEndlessAgent } from '../../../support/servers/endless-snmp-agent.ts';

const REPORT = 0xa8;
const COUNTER64 = 0x46;
const SYS_DESCR = '1.3.6.1.2.1.1.1';

const read = async ({ host, port, community }: Awaited<ReturnType<typeof startEndlessAgent>>) => {
  const target = { host, port, access: { version: '2c', community } } as const;
  const [tree] = await readTrees(target, [SYS_DESCR], WAIT_MS, new AbortController().signal);
  return Object.entries(tree?.values ?? {});
};

test('a report by version 2c, for which the package throws out of its socket, is an error of the agent', async (t) => {
  const agent = await startEndlessAgent(t, (answer) => answer, 'x', { pdu: REPORT });
  await t.throwsAsync(read(agent), { instanceOf: ObmError, message: /gave no answer: Cannot read/ });
});

test('counters and object identifiers of 40 KiB are cut, or left out', async (t) => {
  const long = 'x'.repeat(40_000);
  const counters = await read(await startEndlessAgent(t, (answer) => answer, long, { type: COUNTER64 }));
  t.is(counters.length, 1_000);
  t.true(counters.every(([, text]) => text === '78'.repeat(512)));
  const tail = Buffer.alloc(40_000, 1);
  t.deepEqual(await read(await startEndlessAgent(t, (answer) => answer, 'x', { tail })), []);
});
