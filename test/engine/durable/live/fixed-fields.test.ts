/** Filters on fields that never change, over rows in Redis that the documents lack. */
import test from 'ava';
import { fixedConditions } from '../../../../engine/durable/live/fixed-fields.ts';
import type { WorkflowRow } from '../../../../engine/durable/step/row.ts';
import { newRow } from '../../../conformance/live.ts';
import { needing } from '../../../support/ava/needs.ts';
import { restless, startProcesses } from '../../../support/engine/live.ts';
import { noRedis } from '../../../support/servers/redis.ts';
import { shared } from '../../../support/servers/shared-resources.ts';

const redis = needing(noRedis);
const processesOf = shared(startProcesses);

test('only a text and a list of texts are conditions on a fixed field', (t) => {
  const conditions = (node: unknown) => fixedConditions({ node, status: 'running' }, ['id', 'node']);
  t.deepEqual(conditions('n1'), [['node', new Set(['n1'])]]);
  t.deepEqual(conditions({ $in: ['n1', 'n2'] }), [['node', new Set(['n1', 'n2'])]]);
  for (const other of [null, { $in: ['n1', null] }, { $ne: 'n1' }, { $in: 'n1' }, undefined])
    t.deepEqual(conditions(other), []);
});

redis.serial('a filter on a node reads the rows of other nodes once', async (t) => {
  const { one, two } = await restless('nodes', (await processesOf()).connections);
  const on = (node: string | null): WorkflowRow => ({ ...newRow(), node });
  const [own, other, none] = [on('n1'), on('n2'), on(null)] as const;
  await one.insert([own, other, none]);
  const ofNode = [['node', new Set(['n1'])]] as const;
  const idsRead = async () => (await two.unrecordedRows(ofNode)).map(({ id }) => id).sort();
  t.deepEqual(await idsRead(), [own.id, other.id, none.id].sort());
  t.deepEqual(await idsRead(), [own.id]);
  const later = on('n1');
  await one.insert([later]);
  t.deepEqual(await idsRead(), [own.id, later.id].sort());
  t.deepEqual((await two.view.find({ node: 'n1' })).map(({ id }) => id).sort(), [own.id, later.id].sort());
  t.is(await two.view.count({ node: { $in: ['n1', 'n2'] } }), 3);
  t.is(await two.view.count({ node: null }), 1);
  t.is(await two.view.count({ id: other.id }), 1);
});
