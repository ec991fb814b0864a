/** Pollers of logs by Redfish: on BMCs of twins, and on logs in pages. */
import test from 'ava';
import { readLogs } from '../../../../engine/hardware/obm/redfish-log-entries.ts';
import type { AskResource } from '../../../../engine/hardware/obm/redfish-resource.ts';
import { addLogEntry } from '../../../../engine/hardware/twin/machine/bmc-log.ts';
import { logReports } from '../../../../engine/inventory/health/log-reports.ts';
import { severityOf } from '../../../../engine/inventory/pollers/severity.ts';
import type { EventPayload } from '../../../../engine/vocabulary/event.ts';
import { modelNames, startTwinBmc } from '../../../support/bmcs/twin-bmc.ts';
import { openEngine } from '../../../support/engine/engine.ts';

for (const model of modelNames)
  test.serial(`${model}: each entry of its log is published once, also when the daemon stopped between`, async (t) => {
    const { config: bmc, state, machine } = await startTwinBmc(t, { model });
    const it = await openEngine({ obm: { timeoutMs: 20_000, failures: 100 } });
    t.teardown(() => it.close());
    const log = (message: string, severity: 'OK' | 'Critical') =>
      addLogEntry(state.bmc, { at: machine.around.time.now(), message, severity });
    log('the first', 'OK');
    log('the second', 'Critical');
    const { id: node } = await it.node();
    await it.engine.obms.put(node, { service: 'redfish-obm-service', config: bmc });
    const { logOf: owner } = machine.facts.model.tree;
    const command = `${owner}s.logservices` as const;
    const other = owner === 'system' ? 'managers.logservices' : 'systems.logservices';
    const create = (name: typeof command) =>
      it.engine.pollers.create({ type: 'redfish', node, pollInterval: 1_000, config: { command: name } });
    const { id, config } = await create(command);
    t.deepEqual(config, { command, alerts: [] });
    const events = () => it.events.map(({ body }) => body as EventPayload).filter(({ typeId }) => typeId === id);
    const messages = () => events().map(({ data }) => (data.alert as Record<string, string>).Message);
    await it.until(() => events().length === 2);
    t.deepEqual(
      events().map(({ severity }) => severity),
      ['information', 'critical'],
    );
    t.like(events()[0], { action: 'logservices.updated', nodeId: node, data: { pollerName: command, nodeId: node } });
    const readings = async () => (await it.engine.pollers.data(id)) ?? [];
    await it.until(async () => (await readings()).length > 0);
    t.like((await readings())[0], { node, [command]: [{ Message: 'the first' }, { Message: 'the second' }] });
    await it.engine.close();
    log('the third', 'OK');
    await it.open();
    await it.until(() => events().length === 3);
    state.bmc.log = [];
    log('the fourth', 'OK');
    await it.until(() => events().length === 4);
    t.deepEqual(messages(), ['the first', 'the second', 'the third', 'the fourth']);
    const { id: lost } = await create(other);
    await it.until(async () => (await it.engine.pollers.get(lost))?.lastError?.code === 'OBM_UNSUPPORTED');
    t.regex((await it.engine.pollers.get(lost))?.lastError?.message ?? '', new RegExp(`a poller ${command}`));
  });

const LOG = '/redfish/v1/Systems/1/LogServices/Log';
const PAGE = 50;

/** A log in pages. */
function pagedLog(order: 'newest' | 'oldest') {
  const entries: { Id: string; Created: string; Message: string }[] = [];
  const asked: string[] = [];
  const documents: Record<string, object> = {
    '/redfish/v1/Systems/1': { LogServices: { '@odata.id': '/logs' } },
    '/logs': { Members: [{ '@odata.id': LOG }, { '@odata.id': '/logs/Journal' }] },
    [LOG]: { Id: 'Log', Entries: { '@odata.id': `${LOG}/Entries` } },
    '/logs/Journal': { Id: 'Journal', Entries: { '@odata.id': '/logs/Journal/Entries' } },
  };
  const ask: AskResource = async ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://bmc');
    if (pathname !== `${LOG}/Entries`) return documents[pathname] as Record<string, unknown>;
    asked.push(path);
    const skip = Number(searchParams.get('$skip'));
    const all = order === 'newest' ? entries.toReversed() : entries;
    const next = skip + PAGE < all.length && { 'Members@odata.nextLink': `${pathname}?$skip=${skip + PAGE}` };
    return { Members: all.slice(skip, skip + PAGE), 'Members@odata.count': all.length, ...next };
  };
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const at = entries.length;
      entries.push({ Id: `${at}`, Created: new Date(at * 60_000).toISOString(), Message: `entry ${at}` });
    }
  };
  const read = (mark?: Parameters<typeof readLogs>[2]) => readLogs(ask, 'systems', mark, '/redfish/v1/Systems/1');
  return { add, read, asked };
}

for (const order of ['newest', 'oldest'] as const)
  test(`of a log in pages whose ${order} entries are first, the newest are read, and later only new ones`, async (t) => {
    const { add, read, asked } = pagedLog(order);
    add(1_700);
    const first = await read();
    t.is(first.entries.length, 500);
    t.deepEqual([first.entries[0]?.Id, first.entries.at(-1)?.Id], ['1200', '1699']);
    t.like(first.entries[0], { Log: LOG, Message: 'entry 1200' });
    asked.length = 0;
    const again = await read(first.mark);
    t.deepEqual(again.entries, []);
    t.is(again.mark, first.mark);
    if (order === 'newest') t.is(asked.length, 1);
    add(60);
    const later = await read(first.mark);
    t.deepEqual([later.entries.length, later.entries[0]?.Id, later.entries.at(-1)?.Id], [60, '1700', '1759']);
    t.deepEqual((await read(later.mark)).entries, []);
  });

test('entries that a service has as links are read one by one, and too many are an error', async (t) => {
  const links = (count: number) => Array.from({ length: count }, (_, n) => ({ '@odata.id': `/e/${n}` }));
  const reading = (count: number) =>
    readLogs(
      async ({ path }) => {
        if (path.startsWith('/e/')) return { Id: path, EntryCode: 'Deassert', Severity: 'Critical', Message: path };
        if (path === '/entries') return { Members: links(count) };
        if (path === '/log') return { Entries: { '@odata.id': '/entries' } };
        return path === '/logs' ? { Members: [{ '@odata.id': '/log' }] } : { LogServices: { '@odata.id': '/logs' } };
      },
      'systems',
      undefined,
      '/system',
    );
  const { entries } = await reading(3);
  t.deepEqual(
    entries.map(({ Id }) => Id),
    ['/e/0', '/e/1', '/e/2'],
  );
  t.is(await severityOf(entries[0] ?? {}, []), 'information');
  t.is(await severityOf(entries[0] ?? {}, [{ severity: 'warning', Message: '/^.e/' }]), 'warning');
  t.like(logReports([{ entry: entries[0] ?? {}, severity: 'warning' }], false)[0], { report: null });
  await t.throwsAsync(reading(51), { code: 'OBM_UNSUPPORTED', message: /clear it/ });
});
