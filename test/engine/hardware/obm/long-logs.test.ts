/** Event logs of BMCs that are long, out of order, or broken. */
import test from 'ava';
import { readLogs } from '../../../../engine/hardware/obm/redfish-log-entries.ts';
import { type IpmiRun, newsOf } from '../../../../engine/hardware/obm/sel.ts';
import { NEVER } from '../../../support/ava/never.ts';

const SYSTEM_PATH = '/system';
const PAGE = 50;

const entry = (n: number, more = {}) => ({
  Id: `${n}`,
  Created: new Date(n * 60_000).toISOString(),
  Message: `m${n}`,
  ...more,
});

/** Reads the log whose pages these are. */
const newsIn = (pageAt: (path: string) => object) =>
  readLogs(
    async ({ path }) => {
      if (path === SYSTEM_PATH) return { LogServices: { '@odata.id': '/logs' } };
      if (path === '/logs') return { Members: [{ '@odata.id': '/log' }] };
      if (path === '/log') return { Id: 'SEL', Entries: { '@odata.id': '/entries' } };
      return pageAt(path) as Record<string, unknown>;
    },
    'systems',
    undefined,
    SYSTEM_PATH,
  );

/** In pages, the newest first. */
const pagesOf = (all: readonly object[]) => (path: string) => {
  const skip = Number(new URL(path, 'http://bmc').searchParams.get('$skip'));
  const next = skip + PAGE < all.length && { 'Members@odata.nextLink': `/entries?$skip=${skip + PAGE}` };
  return { Members: all.slice(skip, skip + PAGE), 'Members@odata.count': all.length, ...next };
};

test('pages with hundreds of thousands of members cost no more than those that count', async (t) => {
  const crowd = Array.from({ length: 400_000 }, (_, n) => ({ Id: n }));
  const { entries } = await newsIn((path) => ({
    Members: crowd,
    ...(path === '/entries' && { 'Members@odata.nextLink': '/entries/2' }),
  }));
  t.is(entries.length, 500);
  t.is(entries.at(-1)?.Id, '399999');
});

test('a log of 16,000 entries on one page gives the newest', async (t) => {
  const all = Array.from({ length: 16_000 }, (_, n) => entry(n));
  for (const Members of [all, all.toReversed()]) {
    const { entries, mark } = await newsIn(() => ({ Members }));
    t.deepEqual([entries.length, entries[0]?.Id, entries.at(-1)?.Id], [500, '15500', '15999']);
    t.true(JSON.stringify(mark).length < 8_000);
  }
});

test('the order of a log is found although the clock of the BMC was reset', async (t) => {
  const older = Array.from({ length: 4_999 }, (_, n) => entry(4_999 - n));
  const { entries } = await newsIn(pagesOf([entry(5_000, { Created: '1970-01-01T00:00:10Z' }), ...older]));
  t.is(entries.at(-1)?.Id, '5000');
  t.is(entries.length, 500);
});

test('members that are no entries do not hide the others', async (t) => {
  const broken = [null, 5, 'x', {}, { '@odata.id': 7 }];
  const { entries } = await newsIn(() => ({ Members: [...broken, entry(2), ...broken] }));
  t.deepEqual(
    entries.map(({ Id }) => Id),
    ['2'],
  );
});

test('pages in a circle end with an error', async (t) => {
  const circle = () => ({ Members: [entry(2), entry(1)], 'Members@odata.nextLink': '/entries' });
  await t.throwsAsync(newsIn(circle), { code: 'OBM_UNSUPPORTED', message: /more than 20 pages/ });
});

test('of a long log by IPMI the newest entries are read, in a time that grows with the log', async (t) => {
  const count = 16_000;
  const lists: { args: readonly string[]; timeoutMs: number }[] = [];
  const run: IpmiRun = async ({ args, timeoutMs = 0 }) => {
    if (args[1] === 'info') return `Entries          : ${count}\nLast Add Time    : Not Available\n`;
    lists.push({ args, timeoutMs });
    const from = count - Number(args[3]);
    const texts = Array.from(
      { length: Number(args[3]) },
      (_, n) => `SEL Record ID : ${from + n + 1}\nDescription : x\n`,
    );
    return texts.join('\n');
  };
  const first = await newsOf(run, undefined, NEVER);
  t.deepEqual([first.entries.length, first.entries.at(-1)?.['SEL Record ID']], [4_000, `${count}`]);
  t.true(lists.every(({ timeoutMs }) => timeoutMs >= 20 * count));
  const again = await newsOf(run, first.mark, NEVER);
  t.deepEqual(again.entries, []);
  t.deepEqual(lists.at(-1)?.args, ['sel', 'list', 'last', '1']);
});
