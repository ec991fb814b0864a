/** An intended use of each operation, on the real engine. */
import type { Engine } from '../../../engine/api-port/index.ts';
import type { BootImages } from '../../../engine/inventory/southbound/boot-images.ts';
import type { TestEngine } from '../engine/engine.ts';
import { currentHash, STOPPED } from '../engine/stopped-version.ts';
import { type Api, PASSWORD } from '../servers/api.ts';
import { SYSTEM_NAME } from '../servers/snmp-agent.ts';
import { archiveOf, inParts } from './archive.ts';
import { consoleExamples } from './console-examples.ts';
import type { OperationExample, Step } from './example-step.ts';
import {
  baselineExamples,
  bulkActionExamples,
  certificateExamples,
  failureExamples,
  healthExamples,
  holdExamples,
  rehearsalExamples,
  rolloutExamples,
  ruleExamples,
  scheduleExamples,
  ticketExamples,
  windowExamples,
} from './fleet-examples.ts';
import { isoWithArea } from './iso-with-area.ts';

const oneWait = {
  friendlyName: 'One wait',
  injectableName: 'Graph.Wait.Once',
  tasks: [{ label: 'wait', taskName: 'Task.Wait.Notification' }],
};
const graph = { friendlyName: 'Put', injectableName: 'Graph.Put', tasks: [{ label: 'a', taskName: 'Task.noop' }] };
const task = {
  friendlyName: 'T',
  injectableName: 'Task.Put',
  implementsTask: 'Task.noop',
  options: {},
  properties: {},
};

const stepsBelow =
  (base: string, token?: string) =>
  (method: string, path: string, body?: unknown): Step => ({
    method,
    path: `${base}${path}`,
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  });

/** Uses the northbound operations in an order in which each creates the records of later ones. @param agent a device that pollers read */
export async function* northboundExamples(
  { send, as, session, engine }: Api<Engine>,
  it: TestEngine,
  agent: { host: string; port: number; community: string },
): AsyncGenerator<OperationExample> {
  const token = await as('Administrator');
  const [on, old] = [stepsBelow('/api/current', token), stepsBelow('/api/1.1', token)];
  const open = (path: string): Step => ({ method: 'GET', path });
  const made = async (path: string, body: unknown) =>
    (await send('POST', `/api/current${path}`, { token, body })).body as { id: string };

  yield ['login', { method: 'POST', path: '/login', body: { username: 'Administrator', password: PASSWORD } }];
  yield ['createUser', on('POST', '/users', { username: 'u', password: PASSWORD, role: 'ReadOnly' })];
  yield ['listUsers', on('GET', '/users')];
  yield ['getUser', on('GET', '/users/u')];
  yield ['changeUser', on('PATCH', '/users/u', { role: 'Operator' })];
  yield ['createToken', on('POST', '/users/u/tokens', { note: 'n', expiresInSec: 60, privileges: ['Login'] })];
  yield ['listTokens', on('GET', '/users/u/tokens')];
  const { id: apiToken } = await made('/users/u/tokens', { note: 'n' });
  yield ['removeToken', on('DELETE', `/users/u/tokens/${apiToken}`)];
  yield ['removeUser', on('DELETE', '/users/u')];
  yield ['listAudit', on('GET', '/audit?after=1&limit=2')];
  yield ['verifyAudit', on('GET', '/audit/verify')];
  yield ['getLogin', { method: 'GET', path: '/login/user', token }];
  const browser = { cookie: `nodewright-session=${token}`, 'x-requested-with': 'test' };
  yield ['resumeLogin', { method: 'GET', path: '/login/session', headers: browser }];
  yield ['listLoginMethods', open('/login/methods')];
  yield ['logout', { method: 'DELETE', path: '/login', token: await as('Administrator') }];
  yield ['createRole', on('POST', '/roles', { role: 'R', privileges: ['Read'] })];
  yield ['listRoles', on('GET', '/roles')];
  yield ['getRole', on('GET', '/roles/R')];
  yield ['changeRole', on('PATCH', '/roles/R', { privileges: ['Read', 'Login'] })];
  yield ['removeRole', on('DELETE', '/roles/R')];
  yield ['createTeam', on('POST', '/teams', { name: 'T' })];
  yield ['listTeams', on('GET', '/teams')];
  yield ['getTeam', on('GET', '/teams/T')];
  yield ['changeTeam', on('PATCH', '/teams/T', { description: 'd' })];
  yield ['removeTeam', on('DELETE', '/teams/T')];

  for (const [id, path] of [
    ['getRedfish', '/redfish'],
    ['getRedfishRoot', '/redfish/v1'],
    ['getRedfishOData', '/redfish/v1/odata'],
    ['getRedfishMetadata', '/redfish/v1/$metadata'],
    ['getSessionService', '/redfish/v1/SessionService'],
  ] as const) {
    yield [id, open(path)];
  }
  yield* openExamples();
  const sessions = '/redfish/v1/SessionService/Sessions';
  yield ['createSession', { method: 'POST', path: sessions, body: { UserName: 'Administrator', Password: PASSWORD } }];
  const credentials = { UserName: 'Administrator', Password: PASSWORD };
  yield ['createSessionMember', { method: 'POST', path: `${sessions}/Members`, body: credentials }];
  const headers = { 'x-auth-token': await session('Administrator') };
  const { id: mine } = (await engine.sessions.of(headers['x-auth-token'])) as { id: string };
  yield ['listSessions', { method: 'GET', path: sessions, headers }];
  yield ['getSession', { method: 'GET', path: `${sessions}/${mine}`, headers }];
  yield ['removeSession', { method: 'DELETE', path: `${sessions}/${mine}`, headers }];

  yield ['createNode', on('POST', '/nodes', { type: 'compute', name: 'a', obms: [{ service: 'noop-obm-service' }] })];
  const [node, other] = [
    await made('/nodes', { type: 'rack', name: 'b' }),
    await made('/nodes', { type: 'pdu', name: 'c' }),
  ];
  const at = `/nodes/${node.id}`;
  yield ['whyNode', on('GET', `${at}/why`)];
  const batch = { name: 'Graph.Demo.InstallOs', nodes: [other.id, 'none'], concurrency: 1 };
  yield ['startBatch', on('POST', '/nodes/workflows', batch)];
  const { body: more } = await send('POST', '/api/current/nodes/workflows', { token, body: batch });
  yield ['listBatches', on('GET', '/batches')];
  yield ['getBatch', on('GET', `/batches/${more.id}`)];
  await send('PUT', `/api/current/nodes/${other.id}/workflows/action`, { token, body: { command: 'cancel' } });
  const { body: last } = await send('POST', '/api/current/nodes/workflows', { token, body: batch });
  yield ['actOnBatch', on('PUT', `/batches/${last.id}/action`, { command: 'cancel' })];
  yield* rolloutExamples(on, it, other.id);
  yield* rehearsalExamples(on, it, other.id);
  yield* bulkActionExamples(on, it);
  // A command that no BMC answers.
  const closed = { service: 'redfish-obm-service', config: { uri: 'http://127.0.0.1:9', user: 'u', password: 'p' } };
  const silent = await made('/nodes', { type: 'compute', name: 'd', obms: [closed] });
  const unanswered = await made(`/nodes/${silent.id}/workflows`, { name: 'Graph.PowerOn.Node' });
  await it.until(async () => (await engine.bmcs.all()).length > 0);
  yield ['listBmcs', on('GET', '/bmcs')];
  yield ['closeCircuit', on('DELETE', '/bmcs/127.0.0.1/circuit')];
  yield ['endBmcRest', on('DELETE', '/bmcs/127.0.0.1/rest')];
  yield* holdExamples(made, on, at);
  yield* consoleExamples(made, on, it);
  yield* healthExamples(on, at);
  yield* windowExamples(made, on);
  yield* ticketExamples(made, on);
  yield* scheduleExamples(made, on, node.id);
  yield* ruleExamples(made, on);
  yield ['listNodes', on('GET', '/nodes?$top=1&sort=-name')];
  yield ['getNode', on('GET', at)];
  yield ['changeNode', on('PATCH', at, { identifiers: ['x'] })];
  yield ['addTags', on('PATCH', `${at}/tags`, { tags: ['t', 's'] })];
  yield ['listTags', on('GET', `${at}/tags`)];
  yield ['removeTag', on('DELETE', `${at}/tags/t`)];
  yield ['removeTagFromAll', on('DELETE', '/nodes/tags/s')];
  yield ['addRelations', on('PUT', `${at}/relations`, { contains: [other.id] })];
  yield ['listRelations', on('GET', `${at}/relations`)];
  yield ['removeRelations', on('DELETE', `${at}/relations`, { contains: [other.id] })];
  yield ['addCatalog', on('POST', `${at}/catalogs`, { source: 'dmi', data: { a: 1 } })];
  yield ['listNodeCatalogs', on('GET', `${at}/catalogs`)];
  yield ['getNodeHardware', on('GET', `${at}/hardware`)];
  yield ['getNodeCatalog', on('GET', `${at}/catalogs/dmi`)];
  yield ['listCatalogs', on('GET', '/catalogs')];
  yield ['listFirmwareCatalogs', on('GET', `/catalogs/${node.id}/firmware`)];
  yield ['getCatalog', on('GET', `/catalogs/${(await engine.catalogs.latestOf(node.id, 'dmi'))?.id}`)];
  const rules = [{ path: 'dmi.a', min: 1 }, { path: 'dmi' }];
  yield ['createSku', on('POST', '/skus', { name: 'one', rules, discoveryGraphName: 'Graph.Later' })];
  const sku = await made('/skus', { name: 'two', rules, discoveryGraphOptions: { a: { b: 1 } } });
  yield ['putSku', on('PUT', '/skus', { name: 'one', rules })];
  yield ['createTagRule', on('POST', '/tags', { name: 'ruled', rules })];
  yield ['listTagRules', on('GET', '/tags')];
  yield ['getTagRule', on('GET', '/tags/ruled')];
  await engine.nodes.tag(other.id, ['chosen']);
  yield ['listTagNodes', on('GET', '/tags/chosen/nodes')];
  yield ['startTagWorkflows', on('POST', '/tags/chosen/nodes/workflows', { name: 'Graph.noop-example' })];
  yield ['removeTagRule', on('DELETE', '/tags/ruled')];
  yield ['listSchemas', on('GET', '/schemas')];
  yield ['getSchema', on('GET', '/schemas/Node')];
  yield ['listTaskSchemas', on('GET', '/schemas/tasks')];
  yield ['getTaskSchema', on('GET', '/schemas/tasks/Task.noop')];
  yield ['listSkus', on('GET', '/skus')];
  yield ['getSku', on('GET', `/skus/${sku.id}`)];
  yield ['matchSkus', on('POST', '/skus/match', { nodeId: node.id })];
  yield ['changeSku', on('PATCH', `/skus/${sku.id}`, { name: 'three' })];
  yield ['listSkuNodes', on('GET', `/skus/${sku.id}/nodes`)];
  const pack = await archiveOf({ 'config.json': { name: 'packed', rules } });
  const gzip = { raw: pack, headers: { 'content-type': 'application/gzip' } };
  yield ['registerPack', { ...on('POST', '/skus/pack'), ...gzip }];
  yield ['putPack', { ...on('PUT', `/skus/${sku.id}/pack`), ...gzip }];
  yield ['removePack', on('DELETE', `/skus/${sku.id}/pack`)];
  yield ['removeSku', on('DELETE', `/skus/${sku.id}`)];
  yield* baselineExamples(made, on);
  yield ['putNodeObm', on('PUT', `${at}/obm`, { service: 'noop-obm-service' })];
  yield ['listNodeObms', on('GET', `${at}/obm`)];
  yield ['getNodePower', on('GET', `${at}/power`)];
  yield ['putNodeSsh', on('POST', `${at}/ssh`, { service: 'ssh-ibm-service', config: { host: 'h', user: 'u' } })];
  yield ['listNodeSshs', on('GET', `${at}/ssh`)];
  yield ['putIbm', on('PUT', '/ibms', { nodeId: node.id, service: 'snmp-ibm-service', config: { host: 'h' } })];
  yield ['listIbms', on('GET', '/ibms')];
  const { id: ibm } = await engine.ibms.put(node.id, { service: 'ssh-ibm-service', config: { host: 'h', user: 'u' } });
  yield ['getIbm', on('GET', `/ibms/${ibm}`)];
  yield ['changeIbm', on('PATCH', `/ibms/${ibm}`, { config: { host: 'i', user: 'u' } })];
  yield ['removeIbm', on('DELETE', `/ibms/${ibm}`)];
  for (const [title, root] of [
    ['Obm', '/obms'],
    ['Ibm', '/ibms'],
  ] as const) {
    yield [`list${title}Definitions`, on('GET', `${root}/definitions`)];
    const service = title === 'Obm' ? 'noop-obm-service' : 'ssh-ibm-service';
    yield [`get${title}Definition`, on('GET', `${root}/definitions/${service}`)];
  }
  const config = { host: 'h', user: 'u', password: 'p' };
  yield ['putObm', on('PUT', '/obms', { nodeId: node.id, service: 'ipmi-obm-service', config })];
  yield ['listObms', on('GET', '/obms')];
  const { id: obm } = await engine.obms.put(node.id, { service: 'noop-obm-service' });
  yield ['getObm', on('GET', `/obms/${obm}`)];
  yield ['changeObm', on('PATCH', `/obms/${obm}`, { service: 'noop-obm-service', config: {} })];
  const lit = await made('/nodes', { type: 'compute', name: 'lit', obms: [{ service: 'noop-obm-service' }] });
  const isLit = () => it.until(async () => (await engine.workflows.activeOn(lit.id)) === undefined);
  yield ['switchLed', on('POST', '/obms/led', { nodeId: lit.id, value: true }), isLit];
  yield ['removeObm', on('DELETE', `/obms/${obm}`)];
  const poller = { type: 'ipmi', config: { alerts: [{ severity: 'critical', Description: '/fault/' }] } };
  yield ['createPoller', on('POST', '/pollers', { ...poller, node: node.id })];
  const { id: looks } = await made('/pollers', { ...poller, node: other.id, paused: true });
  yield ['listPollers', on('GET', '/pollers')];
  yield ['listNodePollers', on('GET', `${at}/pollers`)];
  yield ['getPoller', on('GET', `/pollers/${looks}`)];
  yield ['changePoller', on('PATCH', `/pollers/${looks}`, { pollInterval: 90_000 })];
  yield ['listPollerLibrary', on('GET', '/pollers/library')];
  yield ['getPollerLibrary', on('GET', '/pollers/library/ipmi')];
  const { host, port, community: communityString } = agent;
  const trees = { host, port, communityString, oids: [SYSTEM_NAME] };
  const readable = await made('/pollers', { type: 'snmp', pollInterval: 100, config: trees });
  await it.until(async () => (await engine.pollers.data(readable.id))?.length !== 0);
  yield ['listPollerData', on('GET', `/pollers/${readable.id}/data`)];
  yield ['getPollerData', on('GET', `/pollers/${readable.id}/data/current`)];
  yield ['removePoller', on('DELETE', `/pollers/${looks}`)];
  await engine.lookups.create({ macAddress: '00:11:22:33:44:77', ipAddress: '127.0.0.1', node: node.id });
  yield ['receiveAlerts', on('POST', '/notification/alerts', { Events: [{ EventId: '1' }] })];
  yield ['createLookup', on('POST', '/lookups', { macAddress: '00:11:22:33:44:55', node: node.id })];
  yield ['createLookup11', old('POST', '/lookups', { macAddress: '00:11:22:33:44:66', ipAddress: '::1' })];
  yield ['listLookups', on('GET', `/lookups?q=${node.id}`)];
  yield ['listLookups11', old('GET', '/lookups?macAddress=00:11:22:33:44:66')];
  const lookups = (await send('GET', '/api/current/lookups', { token })).body as { id: string }[];
  const [first, second] = lookups.map(({ id }) => `/lookups/${id}`) as [string, string];
  yield ['getLookup', on('GET', first)];
  yield ['getLookup11', old('GET', second)];
  yield ['changeLookup', on('PATCH', first, { ipAddress: '10.0.0.1' })];
  yield ['changeLookup11', old('PATCH', second, { node: null })];
  yield ['removeLookup', on('DELETE', first)];
  yield ['removeLookup11', old('DELETE', second)];

  yield ['putTask', on('PUT', '/workflows/tasks', task)];
  yield ['listTasks', on('GET', '/workflows/tasks')];
  yield ['getTask', on('GET', '/workflows/tasks/Task.Put')];
  yield ['removeTask', on('DELETE', '/workflows/tasks/Task.Put')];
  yield ['checkGraph', on('POST', '/workflows/graphs/check', graph)];
  yield ['putGraph', on('PUT', '/workflows/graphs', graph)];
  yield ['listGraphs', on('GET', '/workflows/graphs')];
  yield ['getGraph', on('GET', '/workflows/graphs/Graph.Put')];
  yield ['listGraphVersions', on('GET', '/workflows/graphs/Graph.Put/versions')];
  const action = `/workflows/graphs/${STOPPED}/versions/${await currentHash(it, STOPPED)}/action`;
  yield ['actOnGraphVersion', on('PUT', action, { command: 'release' })];
  yield ['getGraphMachine', on('GET', '/workflows/graphs/Graph.Put/machine')];
  yield ['checkServedGraph', on('POST', '/workflows/graphs/Graph.Put/check')];
  yield [
    'simulateGraph',
    on('POST', '/workflows/graphs/Graph.Put/simulate', { moves: [{ do: 'advance', ms: 1_000 }] }),
  ];
  yield ['removeGraph', on('DELETE', '/workflows/graphs/Graph.Put')];
  await send('PUT', `/api/current/workflows/${unanswered.id}/action`, { token, body: { command: 'cancel' } });
  await it.finished(unanswered.id);
  yield* failureExamples(on, it);
  yield ['startWorkflow', on('POST', '/workflows', { name: 'Graph.Demo.InstallOs' })];
  yield ['listWorkflows', on('GET', '/workflows')];
  const workflow = await made('/workflows', { name: 'Graph.Demo.InstallOs' });
  yield ['getWorkflow', on('GET', `/workflows/${workflow.id}`)];
  yield ['listHistory', on('GET', `/workflows/${workflow.id}/history`)];
  yield ['whyWorkflow', on('GET', `/workflows/${workflow.id}/why`)];
  await send('PUT', '/api/current/workflows/graphs', { token, body: oneWait });
  const notified = await made('/workflows', { name: oneWait.injectableName });
  await it.reached(notified.id, 'wait', 'waiting');
  const notice = on('POST', `/workflows/${notified.id}/notification`, { disk: 'sda' });
  yield ['notifyWorkflow', notice, () => it.finished(notified.id)];
  yield ['planWorkflow', on('POST', '/workflows/plan', { name: 'Graph.Demo.InstallOs' })];
  yield ['actOnWorkflow', on('PUT', `/workflows/${workflow.id}/action`, { command: 'cancel' })];
  yield ['retryWorkflow', on('POST', `/workflows/${workflow.id}/retry`, { from: 'start' })];
  yield ['getSummary', on('GET', '/summary')];
  yield ['removeWorkflow', on('DELETE', `/workflows/${workflow.id}`)];
  const certified = await made('/workflows', { name: 'Graph.Fixture.Certify' });
  await it.finished(certified.id);
  yield* certificateExamples(on, certified.id);
  yield ['startNodeWorkflow', on('POST', `${at}/workflows?name=Graph.Demo.InstallOs`, {})];
  yield ['listNodeWorkflows', on('GET', `${at}/workflows?active=true`)];
  yield ['getActiveWorkflow', old('GET', `${at}/workflows/active`)];
  yield ['actOnNodeWorkflow', on('PUT', `${at}/workflows/action`, { command: 'cancel' })];
  await send('POST', `/api/current${at}/workflows?name=Graph.Demo.InstallOs`, { token, body: {} });
  yield ['cancelActiveWorkflow', old('DELETE', `${at}/workflows/active`)];
  yield ['removeNode', on('DELETE', at)];

  for (const [title, root] of [
    ['Template', '/templates'],
    ['Profile', '/profiles'],
  ] as const) {
    const raw = Buffer.from('hello <%= server %>');
    yield [`put${title}`, { ...on('PUT', `${root}/library/t.ipxe`), raw, headers: { 'content-type': 'text/plain' } }];
    yield [`list${title}s`, on('GET', `${root}/metadata?name=t.ipxe`)];
    yield [`get${title}`, on('GET', `${root}/metadata/t.ipxe`)];
    yield [`get${title}Content`, on('GET', `${root}/library/t.ipxe`)];
    yield [`remove${title}`, on('DELETE', `${root}/library/t.ipxe`)];
  }
  const view = { raw: Buffer.from('{ "id": "<%= id %>" }'), headers: { 'content-type': 'text/plain' } };
  yield ['putView', { ...on('PUT', '/views/v'), ...view }];
  yield ['listViews', on('GET', '/views')];
  yield ['getView', on('GET', '/views/v/metadata')];
  yield ['getViewContent', on('GET', '/views/v')];
  yield ['removeView', on('DELETE', '/views/v')];
  const raw = Buffer.from('bytes');
  yield ['putFile', { ...on('PUT', '/files/image'), raw, headers: { 'content-type': 'application/octet-stream' } }];
  yield ['getFileMetadata', on('GET', '/files/image/metadata')];
  yield ['listStaticFiles', on('GET', '/files/static/list')];
  yield ['listFiles', on('GET', '/files')];
  yield ['getFile', on('GET', '/files/metadata/image')];
  yield ['getFileContent', on('GET', '/files/image')];
  yield ['getFileMd5', on('GET', '/files/image/md5')];
  yield ['getFileSha256', on('GET', '/files/image/sha256')];
  yield ['removeFile', on('DELETE', '/files/image')];

  yield ['createHook', on('POST', '/hooks', { url: 'http://127.0.0.1:9/a', filters: [{ type: '^none$' }] })];
  const hook = await made('/hooks', { url: 'https://127.0.0.1:9/b', secret: 's', rejectUnauthorized: false });
  yield ['getAsyncApi', on('GET', '/asyncapi.json')];
  yield ['listEvents', on('GET', '/events')];
  yield ['followEvents', on('GET', '/events/stream')];
  yield ['listHooks', on('GET', '/hooks')];
  yield ['getHook', on('GET', `/hooks/${hook.id}`)];
  yield ['changeHook', on('PATCH', `/hooks/${hook.id}`, { name: 'b' })];
  yield ['testHook', on('POST', `/hooks/${hook.id}/test`)];
  const delivery = await engine.hooks.test(hook.id);
  yield ['redeliver', on('POST', `/hooks/${hook.id}/deliveries/${delivery?.id}/redeliver`)];
  yield ['listDeliveries', on('GET', `/hooks/${hook.id}/deliveries`)];
  yield ['removeHook', on('DELETE', `/hooks/${hook.id}`)];

  yield ['getSupport', on('GET', `/support?node=${other.id}`)];
  yield ['getConfig', on('GET', '/config')];
  yield ['getConfig11', old('GET', '/config')];
  yield ['changeConfig', on('PATCH', '/config', { heartbeatIntervalSec: 30 })];
  yield ['putConfig', on('PUT', '/config', { heartbeatIntervalSec: 25 })];
  yield ['changeConfig11', old('PATCH', '/config', { heartbeatIntervalSec: 20 })];
  yield ['getMetrics', { method: 'GET', path: '/metrics', token }];
  yield ['getOpenApi', on('GET', '/openapi.json')];
  yield ['getSwagger', on('GET', '/swagger')];
}

/** Uses the southbound operations for one node, and for a workflow that waits. */
export async function* southboundExamples({ engine }: Api<Engine>): AsyncGenerator<OperationExample> {
  const { id: node } = await engine.nodes.create({ type: 'compute', name: 'n' });
  // On a node, which keeps the answers to callbacks after the end of the workflow.
  const { id: nodeId } = await engine.nodes.create({ type: 'compute', name: 'waits' });
  const { id, tasks } = await engine.launches.launch({ name: 'Graph.Demo.InstallOs', options: {}, nodeId });
  const [first, second] = tasks.map(({ callback = '' }) => callback.replace(/^http:..[^/]+/, ''));
  const progress = `/notification/progress?taskId=${tasks[0]?.instanceId}&value=1&maximum=2&description=x`;
  await engine.files.put({ kind: 'template', name: 't', scope: null }, inParts(Buffer.from('<%= nodeId %>')));
  await engine.files.put({ kind: 'profile', name: 'p', scope: null }, inParts(Buffer.from('<%= server %>')));
  await engine.files.put({ kind: 'file', name: 'f', scope: null }, inParts(Buffer.from('bytes')));
  const on = stepsBelow('/api/current');
  await engine.files.put({ kind: 'file', name: 'common/microkernel.iso', scope: null }, inParts(isoWithArea()));
  const image = new URL(await (engine.bootImages as BootImages).urlOf(nodeId, id, () => {}));
  yield ['getBootImage', { method: 'GET', path: image.pathname }];
  yield ['renderTemplate', on('GET', `/templates/t?nodeId=${node}`)];
  yield ['renderProfile', on('GET', '/profiles/p')];
  yield ['getFileContent', on('GET', '/files/f')];
  yield ['getFileMd5', on('GET', '/files/f/md5')];
  yield ['getFileSha256', on('GET', '/files/f/sha256')];
  yield ['notify', on('POST', `/notification?nodeId=${node}`)];
  yield ['postCallback', { method: 'POST', path: first ?? '' }];
  yield ['getCallback', { method: 'GET', path: second ?? '' }];
  yield ['postProgress', on('POST', progress)];
  yield ['getProgress', on('GET', progress)];
  yield ['addCatalog', on('POST', `/nodes/${node}/catalogs`, { source: 's', data: {} })];
  const address = { macAddress: '00:11:22:33:44:88', ipAddress: '127.0.0.1' };
  await engine.lookups.create({ ...address, node });
  yield ['receiveAlerts', on('POST', '/notification/alerts', { Events: [{ EventId: '1' }] })];
  yield ['getProfile', on('GET', `/profiles?macs=${address.macAddress}`)];
  yield ['getSwitchProfile', on('GET', '/profiles/switch/onie?mac=00:11:22:33:44:99')];
  yield ['getAgent', on('GET', `/tasks/bootstrap.sh?nodeId=${node}`)];
  yield ['postAgentResults', on('POST', `/tasks/${node}`, { tasks: [{ id: 'none', exitCode: 0 }] })];
  yield* openExamples();
  yield ['getMetrics', { method: 'GET', path: '/metrics' }];
  yield ['getOpenApi', on('GET', '/openapi.json')];
}

/** Uses the operations that need no token, of both endpoints. */
function* openExamples(): Generator<OperationExample> {
  for (const [id, path] of [
    ['getDocs', '/docs'],
    ['getDocsOpenApi', '/docs/openapi'],
    ['getDocsScript', '/docs/page.js'],
    ['getDocsStyle', '/docs/page.css'],
    ['getDocsBundle', '/docs/swagger-ui-bundle.js'],
    ['getDocsBundleStyle', '/docs/swagger-ui.css'],
    ['getHealth', '/healthz'],
    ['getReadiness', '/readyz'],
  ] as const) {
    yield [id, { method: 'GET', path }];
  }
}
