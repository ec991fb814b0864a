import test from 'ava';
import { wholeList } from '../../api/cli/whole-list.ts';
import type { ApiAnswer } from '../../api/client/requests.ts';

/** A list of the numbers from 0, in pages as the daemon sends them. */
function pagesOf(count: number) {
  const asked: unknown[] = [];
  const page = async (query: Record<string, unknown>): Promise<ApiAnswer<number[]>> => {
    asked.push(query);
    const [skip, top] = [Number(query.$skip ?? 0), Number(query.$top)];
    const body = Array.from({ length: Math.max(0, Math.min(top, count - skip)) }, (_, n) => skip + n);
    const next = skip + top < count ? { ...query, $skip: `${skip + top}`, $top: `${top}` } : undefined;
    return {
      status: 200,
      body,
      total: count,
      at: 0,
      warnings: undefined,
      next: next as Record<string, string> | undefined,
    };
  };
  return { asked, page };
}

test('a list is read to its end, a page at a time', async (t) => {
  const { asked, page } = pagesOf(2_500);
  const { body, total } = await wholeList(page, { status: 'failed' });
  t.deepEqual(body, [...Array(2_500).keys()]);
  t.is(total, 2_500);
  t.deepEqual(asked, [
    { status: 'failed', $top: 1_000 },
    { status: 'failed', $skip: '1000', $top: '1000' },
    { status: 'failed', $skip: '2000', $top: '1000' },
  ]);
});

test('a list of large records is read by smaller pages', async (t) => {
  const { asked, page } = pagesOf(45);
  t.is((await wholeList(page, { $top: 20 })).body.length, 45);
  t.is(asked.length, 3);
  t.deepEqual(asked[0], { $top: 20 });
});

test('a limit ends the list, and is not exceeded', async (t) => {
  for (const limit of [1, 999, 1_000, 1_001, 5_000]) {
    const { asked, page } = pagesOf(2_500);
    t.is((await wholeList(page, {}, limit)).body.length, Math.min(limit, 2_500));
    t.is(asked.length, Math.ceil(Math.min(limit, 2_500) / 1_000));
  }
});
