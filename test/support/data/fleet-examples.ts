/** An intended use of each operation on holds, windows, baselines, schedules, rules, rollouts, bulk actions and tickets. */
import type { TestEngine } from '../engine/engine.ts';
import type { OperationExample, Step } from './example-step.ts';

type Made = (path: string, body: unknown) => Promise<{ id: string }>;
type On = (method: string, path: string, body?: unknown) => Step;

/** @param node free */
export async function* rolloutExamples(on: On, it: TestEngine, node: string): AsyncGenerator<OperationExample> {
  const rollout = { graph: 'Graph.Demo.InstallOs', targets: { nodes: [node] }, phases: [{ size: 1 }] };
  yield ['planRollout', on('POST', '/rollouts/plan', rollout)];
  yield ['createRollout', on('POST', '/rollouts', rollout)];
  const all = (await it.engine.rollouts.list({ skip: 0, limit: 100, filter: {} })).items;
  yield ['listRollouts', on('GET', '/rollouts')];
  yield ['getRollout', on('GET', `/rollouts/${all[0]?.id}`)];
  // Requests with small faults create rollouts too, and any of them takes the node, when the workflow that an earlier example
  // cancelled has ended.
  const begun = { id: '' };
  await it.until(async () => {
    for (const { id } of all) {
      const [target] = (await it.engine.rollouts.targets(id, { skip: 0, limit: 1, filter: {} }))?.items ?? [];
      if (target?.status === 'running') begun.id = id;
    }
    return begun.id !== '';
  });
  yield ['listRolloutTargets', on('GET', `/rollouts/${begun.id}/targets`)];
  const settled = () => it.until(async () => (await it.engine.rollouts.get(begun.id))?.finishedAt !== null);
  const cancel = { command: 'cancel', cancelRunning: true };
  yield ['actOnRollout', on('PUT', `/rollouts/${begun.id}/action`, cancel), settled];
  await settled();
  yield ['removeRollout', on('DELETE', `/rollouts/${begun.id}`)];
}

export async function* rehearsalExamples(on: On, it: TestEngine, node: string): AsyncGenerator<OperationExample> {
  // One of its own: what is usual for a graph is in the plans of other examples.
  const graph = 'Graph.Examples.Rehearsed';
  const tasks = [{ label: 'one', taskName: 'Task.noop' }];
  await it.engine.library.putGraph({ friendlyName: 'Rehearsed', injectableName: graph, tasks });
  // As many runs as a rehearsal needs.
  for (let runs = 0; runs < 10; runs += 1) await it.finished((await it.launch(graph)).id);
  const rollout = { graph, targets: { nodes: [node] }, gates: [{ failures: 1 }] };
  yield ['createRehearsal', on('POST', '/rehearsals', rollout)];
  const [made = { id: '' }] = (await it.engine.rehearsals.list({ skip: 0, limit: 1, filter: {} })).items;
  yield ['listRehearsals', on('GET', `/rehearsals?graph=${graph}`)];
  yield ['getRehearsal', on('GET', `/rehearsals/${made.id}`)];
  yield ['removeRehearsal', on('DELETE', `/rehearsals/${made.id}`)];
}

export async function* bulkActionExamples(on: On, it: TestEngine): AsyncGenerator<OperationExample> {
  yield ['startBulkAction', on('POST', '/workflows/actions', { command: 'pause', ids: ['none'] })];
  yield ['listBulkActions', on('GET', '/workflows/actions')];
  const { engine } = it;
  const { id } = await engine.bulkActions.create({ command: 'resume', select: { ids: ['none'] } });
  yield ['getBulkAction', on('GET', `/workflows/actions/${id}`)];
  // It takes seconds, so that it can be cancelled.
  const ids = Array.from({ length: 10_000 }, (_, n) => `none-${n}`);
  const created = engine.bulkActions.create({ command: 'resume', select: { ids } });
  const running = { skip: 0, limit: 1, filter: { status: 'running' } };
  let long = '';
  await it.until(async () => {
    long = (await engine.bulkActions.list(running)).items[0]?.id ?? '';
    return long !== '';
  });
  yield ['actOnBulkAction', on('PUT', `/workflows/actions/${long}/action`, { command: 'cancel' })];
  await created;
}

export async function* failureExamples(on: On, it: TestEngine): AsyncGenerator<OperationExample> {
  const tasks = [{ label: 'fails', taskName: 'Task.Fixture.Fail' }];
  await it.engine.library.putGraph({ friendlyName: 'Fails', injectableName: 'Graph.Examples.Fails', tasks });
  const { id } = await it.launch('Graph.Examples.Fails');
  await it.finished(id);
  yield ['listFailures', on('GET', '/failures?graph=Graph.Examples.Fails&since=2020-01-01')];
  const failed = { skip: 0, limit: 1, filter: { graphName: 'Graph.Examples.Fails' } };
  const [failure] = (await it.engine.failures.list(failed)).items;
  yield ['actOnFailure', on('PUT', `/failures/${failure?.id}/action`, { command: 'address', note: 'a loose cable' })];
  yield ['diffWorkflows', on('GET', `/workflows/${id}/diff/${id}`)];
}

/** @param at path of a node */
export async function* healthExamples(on: On, at: string): AsyncGenerator<OperationExample> {
  yield ['getNodeHealth', on('GET', `${at}/health`)];
  const report = { state: 'warning', message: 'its rack is warm', ttlSec: 3_600 };
  yield ['putNodeHealth', on('PUT', `${at}/health/rack`, report)];
}

/** @param at path of a node */
export async function* holdExamples(made: Made, on: On, at: string): AsyncGenerator<OperationExample> {
  const reason = 'a fan is replaced';
  yield [
    'addHold',
    on('POST', `${at}/holds`, { kind: 'repair', reason, until: '2099-01-01T00:00:00Z', blocks: ['poll'] }),
  ];
  const hold = await made(`${at}/holds`, { kind: 'maintenance', reason, blocks: ['poll', 'alert'] });
  yield ['listHolds', on('GET', '/holds?kind=repair')];
  yield ['listNodeHolds', on('GET', `${at}/holds`)];
  yield ['getHold', on('GET', `${at}/holds/${hold.id}`)];
  yield ['changeHold', on('PATCH', `${at}/holds/${hold.id}`, { reason: 'two fans are replaced' })];
  yield ['removeHold', on('DELETE', `${at}/holds/${hold.id}`)];
}

export async function* ticketExamples(made: Made, on: On): AsyncGenerator<OperationExample> {
  const launch = { name: 'Graph.noop-example' };
  yield ['createTicket', on('POST', '/tickets', { launch })];
  const ticket = await made('/tickets', { launch });
  yield ['listTickets', on('GET', '/tickets?status=requested')];
  yield ['getTicket', on('GET', `/tickets/${ticket.id}`)];
  yield ['actOnTicket', on('PUT', `/tickets/${ticket.id}/action`, { command: 'withdraw', note: 'not needed' })];
}

export async function* windowExamples(made: Made, on: On): AsyncGenerator<OperationExample> {
  const spans = [{ days: ['sat', 'sun'], from: '22:00', to: '05:00' }];
  // Whenever the tests run, it is closed.
  const frozen = [{ from: '2000-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', reason: 'frozen' }];
  const nights = { name: 'nights', zone: 'Europe/Berlin', spans, closed: frozen };
  yield ['createWindow', on('POST', '/windows', nights)];
  const window = await made('/windows', { name: 'never', zone: 'UTC', spans, closed: frozen, leadMinutes: 30 });
  yield ['listWindows', on('GET', '/windows?name=never')];
  yield ['getWindow', on('GET', `/windows/${window.id}`)];
  yield ['getCalendar', on('GET', '/calendar?from=2100-01-01T00:00:00Z&to=2100-01-08T00:00:00Z')];
  yield ['previewWindow', on('POST', '/windows/preview', { zone: 'UTC', spans, closed: frozen })];
  yield ['changeWindow', on('PATCH', `/windows/${window.id}`, { leadMinutes: 60 })];
  yield ['removeWindow', on('DELETE', `/windows/${window.id}`)];
}

/** A node of a SKU of its own, whose BIOS differs. */
export async function* baselineExamples(made: Made, on: On): AsyncGenerator<OperationExample> {
  const rules = [{ path: 'redfish-bios.Attributes.Boots', equals: 2 }];
  const { id: sku } = await made('/skus', { name: 'with a baseline', rules });
  const firmware = [{ component: 'BMC', version: '7.10', file: 'bmc.bin', sha256: 'a'.repeat(64) }];
  yield ['createBaseline', on('POST', '/baselines', { name: 'spring', sku, firmware })];
  const baseline = await made('/baselines', { name: 'autumn', sku, bios: { BootMode: 'Uefi' } });
  yield ['listBaselines', on('GET', '/baselines?name=autumn')];
  yield ['getBaseline', on('GET', `/baselines/${baseline.id}`)];
  yield ['changeBaseline', on('PATCH', `/baselines/${baseline.id}`, { bios: { BootMode: 'Uefi', Boots: 2 } })];
  const node = await made('/nodes', { type: 'compute', name: 'based' });
  const data = { Attributes: { BootMode: 'Legacy', Boots: 2 } };
  await made(`/nodes/${node.id}/catalogs`, { source: 'redfish-bios', data });
  yield ['listDrift', on('GET', `/baselines/${baseline.id}/drift?state=differs`)];
  yield ['getBaselineRollout', on('GET', `/baselines/${baseline.id}/rollout`)];
  yield ['removeBaseline', on('DELETE', `/baselines/${baseline.id}`)];
}

/** @param node of the launch, which is never due */
export async function* scheduleExamples(made: Made, on: On, node: string): AsyncGenerator<OperationExample> {
  const launch = { name: 'Graph.noop-example', nodes: [node] };
  const when = { everySec: 86_400, from: '2099-01-01T00:00:00Z' };
  yield ['createSchedule', on('POST', '/schedules', { name: 'much later', when, launch, missed: 'skip' })];
  const schedule = await made('/schedules', { name: 'once', when: { at: '2099-01-01T00:00:00Z' }, launch });
  yield ['listSchedules', on('GET', '/schedules?name=once')];
  yield ['getSchedule', on('GET', `/schedules/${schedule.id}`)];
  yield ['previewSchedule', on('POST', '/schedules/preview', { when: { at: '2099-01-01T00:00:00Z' } })];
  yield ['changeSchedule', on('PATCH', `/schedules/${schedule.id}`, { overlap: 'queue' })];
  yield ['actOnSchedule', on('PUT', `/schedules/${schedule.id}/action`, { command: 'pause' })];
  yield ['listScheduleRuns', on('GET', `/schedules/${schedule.id}/runs?status=missed`)];
  yield ['removeSchedule', on('DELETE', `/schedules/${schedule.id}`)];
}

/** They match no event. */
export async function* ruleExamples(made: Made, on: On): AsyncGenerator<OperationExample> {
  const alerts = { type: '^node$', action: '^alerts$', severity: '^critical$', nodeId: '^none$' };
  const launch = { name: 'Graph.noop-example' };
  yield ['createRule', on('POST', '/rules', { name: 'look at alerts', on: alerts, launch, limits: { perHour: 5 } })];
  const hold = { kind: 'fault', reason: 'a critical alert', forMinutes: 60 };
  const rule = await made('/rules', { name: 'hold', on: alerts, hold });
  yield ['listRules', on('GET', '/rules?name=hold')];
  yield ['getRule', on('GET', `/rules/${rule.id}`)];
  yield ['changeRule', on('PATCH', `/rules/${rule.id}`, { enabled: true })];
  yield ['testRule', on('POST', `/rules/${rule.id}/test?since=2026-01-01T00:00:00Z`)];
  yield ['listRuleRuns', on('GET', `/rules/${rule.id}/runs?status=refused`)];
  yield ['removeRule', on('DELETE', `/rules/${rule.id}`)];
}

/** @param id of a workflow that has erased a drive */
export async function* certificateExamples(on: On, id: string): AsyncGenerator<OperationExample> {
  yield ['getCertificate', on('GET', `/workflows/${id}/certificate`)];
  yield ['listCertificates', on('GET', `/certificates?workflow=${id}`)];
  yield ['getCertificateArchive', on('GET', `/certificates/archive?workflow=${id}`)];
  yield ['getCertificateKey', on('GET', '/certificates/key')];
  yield ['getCertificateKeys', on('GET', '/certificates/keys')];
}
