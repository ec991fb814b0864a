/** The images that the BMC of a twin's machine fetches, from a server that does not always send them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { readFaults } from '../../../../engine/hardware/twin/faults/read-faults.ts';
import { resumeDownloads } from '../../../../engine/hardware/twin/machine/update-downloads.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { type TwinMachine, type TwinOptions, twinMachine } from '../../../support/bmcs/twin-bmc.ts';
import { ask, basic, messageOf } from '../../../support/bmcs/twin-requests.ts';
import { Hearing } from '../../../support/servers/hearing.ts';
import { freePort } from '../../../support/servers/server.ts';

const UPDATE = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
const TWIN_MANAGER = '/redfish/v1/Managers/bmc';
const CD = `${TWIN_MANAGER}/VirtualMedia/Cd`;
const BEFORE = '2.14.0';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answers: Readonly<Record<string, Answer>> = {
  '/bmc-9.9.bin': (_, response) => response.end('firmware'),
  '/get-only.bin': ({ method }, response) => response.writeHead(method === 'GET' ? 206 : 403).end('f'),
  '/locked.bin': ({ headers }, response) =>
    response.writeHead(headers.authorization === basic('u', 'p:w').authorization ? 200 : 401).end('firmware'),
  '/forbidden.bin': (_, response) => response.writeHead(403).end(),
  '/moved.bin': (_, response) => response.writeHead(302, { location: '/bmc-9.9.bin' }).end(),
  '/broken.bin': (_, response) => response.writeHead(500).end(),
  '/empty.bin': (_, response) => response.writeHead(200, { 'content-length': '0' }).end(),
  '/page.bin': (_, response) => response.end('\n<!DOCTYPE html><title>Log in</title>'),
  '/cut.bin': (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('firmware', () => response.destroy());
  },
  // It sends the beginning, and never the rest.
  '/endless.bin': (_, response) => void response.write('firmware'),
};

interface Images {
  url: string;
  /** Such as `GET /a.bin from 127.1.1.4`. */
  asked: Hearing<string>;
}

async function images(t: Scope): Promise<Images> {
  const asked = new Hearing<string>();
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const answer = answers[path] ?? ((_, missing) => missing.writeHead(404).end());
    answer(request, response);
    asked.add(`${request.method} ${path} from ${request.socket.remoteAddress}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function update(twin: TwinMachine, image: string, more: object = {}) {
  const begun = await ask(twin, 'POST', UPDATE, { body: { ImageURI: image, Targets: [TWIN_MANAGER], ...more } });
  return { ...begun, task: String(begun.body['@odata.id']) };
}

const insert = (twin: TwinMachine, image: string, more: object = {}) =>
  ask(twin, 'POST', `${CD}/Actions/VirtualMedia.InsertMedia`, { body: { Image: image, ...more } });

const idsIn = (messages: unknown) => (messages as { MessageId: string }[]).map(({ MessageId }) => MessageId);
const slow: TwinOptions = { speed: 0.01 };

for (const [name, verdict, cause] of [
  ['none.bin', 'TransferFailed', 'ResourceMissingAtURI'],
  ['forbidden.bin', 'TransferFailed', 'ResourceAtUriUnauthorized'],
  ['locked.bin', 'TransferFailed', 'ResourceAtUriUnauthorized'],
  ['moved.bin', 'TransferFailed', undefined],
  ['broken.bin', 'TransferFailed', undefined],
  ['cut.bin', 'TransferFailed', undefined],
  ['page.bin', 'VerificationFailed', 'ResourceAtUriInUnknownFormat'],
  ['empty.bin', 'VerificationFailed', 'ResourceAtUriInUnknownFormat'],
] as const)
  test(`${name}: the task of an update fails as ${verdict}, and nothing is written`, async (t) => {
    const { url } = await images(t);
    const twin = twinMachine(slow);
    const { status, body, task } = await update(twin, `${url}/${name}?signature=s3cret`);
    t.is(status, 202);
    t.deepEqual(idsIn(body.Messages), ['Update.1.0.TransferringToComponent']);
    await twin.machine.downloadsEnded();
    const { body: ended } = await ask(twin, 'GET', task);
    t.like(ended, { TaskState: 'Exception', TaskStatus: 'Critical', PercentComplete: 100 });
    t.deepEqual(idsIn(ended.Messages), [
      `Update.1.0.${verdict}`,
      ...(cause === undefined ? [] : [`Base.1.19.${cause}`]),
    ]);
    t.true(JSON.stringify(ended.Messages).includes(name));
    t.false(JSON.stringify([ended, twin.state]).includes('s3cret'));
    t.is(twin.state.bmc.versions.BMC, BEFORE);
    t.deepEqual(twin.ledger, [`update BMC from ${name}: begun, root`, `update BMC from ${name}: failed, BMC`]);
    t.true(twin.state.bmc.log.some(({ message }) => message === 'The update of BMC has failed.'));
  });

test('an image is downloaded by the BMC, from its address, before its time of writing begins', async (t) => {
  const { url, asked } = await images(t);
  const twin = twinMachine(slow);
  const { task } = await update(twin, `${url}/bmc-9.9.bin`);
  await twin.machine.downloadsEnded();
  t.deepEqual(asked.all, [`GET /bmc-9.9.bin from ${twin.machine.facts.bmcAddress}`]);
  t.like((await ask(twin, 'GET', task)).body, { TaskState: 'Running', PercentComplete: 0 });
  t.is(twin.state.bmc.tasks[0]?.source, undefined);
  const { basis } = twin.machine.around.time;
  Object.assign(basis, { field: basis.field + 181_000 });
  t.is((await ask(twin, 'GET', TWIN_MANAGER)).body.FirmwareVersion, '9.9');
});

test('an update for the next restart waits for its image first, and then for the restart', async (t) => {
  const { url } = await images(t);
  const twin = twinMachine(slow);
  const { body, task } = await update(twin, `${url}/bmc-9.9.bin`, { '@Redfish.OperationApplyTime': 'OnReset' });
  t.is(body.TaskState, 'Running');
  await twin.machine.downloadsEnded();
  t.is((await ask(twin, 'GET', task)).body.TaskState, 'Pending');
  await twin.machine.applyChanges();
  t.is(twin.state.bmc.versions.BMC, '9.9');
});

test('the login of an update and of a medium is for the server of the image, and is in no document', async (t) => {
  const { url } = await images(t);
  const twin = twinMachine(slow);
  const { task } = await update(twin, `${url}/locked.bin`, { Username: 'u', Password: 'p:w' });
  await twin.machine.downloadsEnded();
  const { body } = await ask(twin, 'GET', task);
  t.is(body.TaskState, 'Running');
  t.is((await insert(twin, `${url}/locked.bin`, { UserName: 'u', Password: 'p:w' })).status, 204);
  t.false(/p(:|%3A)w/.test(JSON.stringify([body, twin.state])));
});

test('a server that is not there is named by the task, and by the error of a medium', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/bmc-9.9.bin`;
  const twin = twinMachine(slow);
  const { task } = await update(twin, url);
  await twin.machine.downloadsEnded();
  const { body } = await ask(twin, 'GET', task);
  const messages = body.Messages as { Message: string }[];
  t.is(messages.at(-1)?.Message, `The service failed to establish a connection with the URI '${url}'.`);
  const answer = await insert(twin, url);
  t.is(answer.status, 400);
  t.is(messageOf(answer)?.MessageId, 'Base.1.19.CouldNotEstablishConnection');
});

test('a medium is inserted if its image can be read, also where the server rejects HEAD', async (t) => {
  const { url, asked } = await images(t);
  const twin = twinMachine();
  for (const [name, id] of [
    ['none.bin', 'ResourceMissingAtURI'],
    ['forbidden.bin', 'ResourceAtUriUnauthorized'],
    ['broken.bin', 'CouldNotEstablishConnection'],
    ['empty.bin', 'ResourceAtUriInUnknownFormat'],
  ] as const) {
    const answer = await insert(twin, `${url}/${name}?signature=s3cret`);
    t.is(answer.status, 400, name);
    t.is(messageOf(answer)?.MessageId, `Base.1.19.${id}`);
    t.false(answer.text.includes('s3cret'));
    t.is((await ask(twin, 'GET', CD)).body.Inserted, false, name);
  }
  t.is((await insert(twin, `${url}/get-only.bin`)).status, 204);
  t.like((await ask(twin, 'GET', CD)).body, { Inserted: true, Image: `${url}/get-only.bin` });
  const { bmcAddress } = twin.machine.facts;
  t.deepEqual(asked.all.slice(-2), [`HEAD /get-only.bin from ${bmcAddress}`, `GET /get-only.bin from ${bmcAddress}`]);
});

test('a download that breaks fails one update, or one medium', async (t) => {
  const { url } = await images(t);
  const faults = readFaults('at 0 s: bmc r01s04 download breaks\nat 0 s: bmc r01s04 download breaks # another');
  const twin = twinMachine({ ...slow, faults });
  const { task } = await update(twin, `${url}/bmc-9.9.bin`);
  await twin.machine.downloadsEnded();
  t.deepEqual(idsIn((await ask(twin, 'GET', task)).body.Messages), ['Update.1.0.TransferFailed']);
  t.is((await insert(twin, `${url}/bmc-9.9.bin`)).status, 400);
  t.is((await insert(twin, `${url}/bmc-9.9.bin`)).status, 204);
  t.is((await update(twin, `${url}/bmc-9.9.bin`)).status, 202);
  await twin.machine.downloadsEnded();
  t.is(twin.state.bmc.tasks.at(-1)?.outcome, 'running');
});

const lost: readonly [string, (twin: TwinMachine) => Promise<unknown>][] = [
  [
    'a reset of the BMC',
    (twin) => ask(twin, 'POST', `${TWIN_MANAGER}/Actions/Manager.Reset`, { body: { ResetType: 'GracefulRestart' } }),
  ],
  ['a loss of the mains', (twin) => twin.machine.losePower(twin.machine.around.time.now() + 1_000)],
];
for (const [name, happen] of lost)
  test(`${name} ends a download, and its task fails`, async (t) => {
    const { url, asked } = await images(t);
    const twin = twinMachine(slow);
    await update(twin, `${url}/endless.bin`);
    await asked.until(({ length }) => length === 1);
    await happen(twin);
    await twin.machine.downloadsEnded();
    t.like(twin.state.bmc.tasks, [{ outcome: 'failed' }]);
    t.is(twin.ledger.at(-1), 'update BMC from endless.bin: failed, BMC');
    t.is(twin.state.bmc.versions.BMC, BEFORE);
  });

test('a twin that ends in a download begins it again at its next start, and writes once', async (t) => {
  const { url, asked } = await images(t);
  const first = twinMachine(slow);
  await update(first, `${url}/endless.bin`);
  await asked.until(({ length }) => length === 1);
  const saved = JSON.stringify(first.state);
  first.machine.stop();
  await first.machine.downloadsEnded();
  t.is(JSON.stringify(first.state), saved, 'its end changes nothing');
  const second = twinMachine(slow);
  // The server has recovered.
  second.machine.state = JSON.parse(saved.replaceAll('endless.bin', 'bmc-9.9.bin'));
  resumeDownloads(second.machine);
  await second.machine.downloadsEnded();
  const { basis } = second.machine.around.time;
  Object.assign(basis, { field: basis.field + 121_000 });
  await second.machine.settleTasks();
  await second.machine.settleTasks();
  t.is(second.machine.state.bmc.versions.BMC, '9.9');
  t.deepEqual(
    [...first.ledger, ...second.ledger],
    ['update BMC from endless.bin: begun, root', 'update BMC from bmc-9.9.bin: done, BMC'],
  );
});

test('a file that is longer than its limit is not received', async (t) => {
  const { url } = await images(t);
  const { machine } = twinMachine();
  const asking = { method: 'GET', url: `${url}/bmc-9.9.bin`, isOfBmc: true } as const;
  const { signal } = new AbortController();
  const get = (fileLimit: number) => machine.around.ask(machine, { ...asking, fileLimit }, signal);
  t.like(await get(8), { status: 200, text: 'firmware', length: 8 });
  await t.throwsAsync(get(7), { message: /sends more than 7 bytes/ });
});
