/** Certificates over HTTP, and the command that verifies them without the service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { strFromU8, unzipSync } from 'fflate';
import { checkCertificate } from '../../api/cli/certificate-check.ts';
import { zipStream } from '../../api/http/zip.ts';
import { certificateFiles } from '../../api/routes/certificate-archive.ts';
import type { WorkflowRow } from '../../engine/durable/step/row.ts';
import { signerOf } from '../../engine/platform/secrets/signing.ts';
import type { Collection } from '../../engine/platform/store/port.ts';
import {
  CertificateRequests,
  certificateSpec,
  type StoredCertificate,
} from '../../engine/workflows/requests/certificates.ts';
import { folder } from '../support/ava/folder.ts';
import { runCommand } from '../support/console/command.ts';
import { MemoryStore } from '../support/engine/memory-store.ts';
import { northbound, openApi } from '../support/servers/api.ts';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const ticket = {
  id: 't',
  requestedBy: 'erika',
  approvals: [{ by: 'max', at: '2026-01-01T00:00:00.000Z', note: 'seen' }],
};
const row = {
  id: 'w',
  graphName: 'Graph.x',
  node: 'n',
  operator: 'erika',
  startedAt: null,
  ticket,
} as unknown as WorkflowRow;

const erased = [{ devName: 'sda', serial: 'S', result: 'sanitized', level: 'Clear' }];
const page = { skip: 0, limit: 10, filter: {} };

async function certified(byte = 1, drives = erased, stored?: Collection<StoredCertificate>, rows = [row]) {
  const dmi = { 'System Information': { Manufacturer: 'Example', 'Serial Number': '7' } };
  const certificates = new CertificateRequests(
    stored ?? (await new MemoryStore().collection<StoredCertificate>(certificateSpec)),
    await signerOf([secret(byte)]),
    { load: async (id) => rows.find((one) => one.id === id) },
    {
      nodes: { idOf: async () => undefined, find: async () => undefined },
      catalogs: { latestData: async () => dmi },
    },
  );
  await certificates.certify('w/w1', drives);
  return certificates;
}

test('a certificate names the operator, those who approved it, the node and the result, and is valid under the key of the service', async (t) => {
  const certificates = await certified();
  const found = await certificates.of('w');
  t.like(found?.certificate, {
    operator: 'erika',
    ticket,
    node: { id: 'n', manufacturer: 'Example', serial: '7' },
    sanitized: true,
  });
  const judged = await checkCertificate(JSON.stringify(found), certificates.key());
  t.true(judged.pinned);
  t.is(judged.thumbprint, certificates.key().kid as string);
});

test('a certificate is issued once: a repeat changes nothing', async (t) => {
  const certificates = await certified();
  const before = await certificates.of('w');
  await certificates.certify('w/w2', []);
  t.deepEqual(await certificates.of('w'), before);
});

test('certificates are found by node and serial number, and removed after their own time', async (t) => {
  const certificates = await certified();
  const summary = { workflow: 'w', graph: 'Graph.x', node: 'n', operator: 'erika', sanitized: true, drives: erased };
  const found = async (filter: object) => (await certificates.list({ ...page, filter: { ...filter } })).items;
  for (const filter of [{}, { node: 'n' }, { serials: { $in: ['S'] } }]) {
    const [one, ...others] = await found(filter);
    t.like(one, summary);
    t.deepEqual(others, []);
  }
  for (const filter of [{ node: 'm' }, { serials: { $in: ['T'] } }, { sanitized: false }])
    t.deepEqual(await found(filter), []);
  const [{ issuedAt = '' } = {}] = await found({});
  await certificates.removeBefore(issuedAt);
  t.is((await found({})).length, 1);
  await certificates.removeBefore(new Date(Date.parse(issuedAt) + 1).toISOString());
  t.deepEqual(await found({}), []);
});

test('a certificate from before there were lists is listed after the next start', async (t) => {
  const stored = await new MemoryStore().collection<StoredCertificate>(certificateSpec);
  const certificates = await certified(1, erased, stored);
  const before = await certificates.of('w');
  await stored.update({ id: 'w' }, { $unset: { graph: '', node: '', serials: '', sanitized: '', issuedAt: '' } });
  t.is((await certificates.list({ ...page, filter: { node: 'n' } })).total, 0);
  await certificates.complete();
  t.like(await certificates.list({ ...page, filter: { node: 'n' } }), { total: 1, items: [{ workflow: 'w' }] });
  t.deepEqual(await certificates.of('w'), before);
});

test('a certificate that was changed, or is of another service, is invalid', async (t) => {
  const certificates = await certified();
  const found = (await certificates.of('w')) as unknown as Record<string, Record<string, unknown>>;
  const other = (await certified(2)).key();
  await t.throwsAsync(checkCertificate(JSON.stringify(found), other), {
    message: /signature was not made with the key/,
  });
  const shown = { ...found, certificate: { ...found.certificate, operator: 'mallory' } };
  await t.throwsAsync(checkCertificate(JSON.stringify(shown)), {
    message: 'the readable part differs from the signed payload',
  });
  const payload = Buffer.from(JSON.stringify(shown.certificate)).toString('base64url');
  const forged = { ...shown, jws: { ...found.jws, payload } };
  await t.throwsAsync(checkCertificate(JSON.stringify(forged)), { message: /signature was not made with the key/ });
});

test('a certificate from before the authentication of agents was recorded is still valid', async (t) => {
  const signer = await signerOf([secret(1)]);
  const certificate = { type: 'nodewright.sanitization', version: 1, sanitized: true, drives: [] };
  const file = JSON.stringify({ certificate, jws: await signer.sign(certificate), key: signer.key });
  t.deepEqual((await checkCertificate(file, signer.key)).certificate.agent, undefined);
  t.deepEqual((await (await certified()).of('w'))?.certificate.agent, { knownBy: 'nothing' });
});

test('the exit code of the command states whether a certificate is valid', async (t) => {
  const certificates = await certified();
  const own = folder(t);
  const [file, key, wrong] = ['certificate.json', 'key.json', 'wrong.json'].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, JSON.stringify(await certificates.of('w')));
  writeFileSync(key, JSON.stringify(certificates.key()));
  writeFileSync(wrong, JSON.stringify((await certified(2)).key()));
  const run = (...args: string[]) => runCommand({}, 'certificate', ...args);
  const invalid = run('verify', file, '--key', wrong);
  t.is(invalid.status, 1);
  t.regex(invalid.stderr, /^nw: The certificate is invalid: the signature was not made with the key/);
  const unpinned = run('verify', file);
  t.is(unpinned.status, 0);
  t.regex(unpinned.stdout, /compare it with the key of the service/);
  for (const args of [[], ['verify'], ['verify', file, '--key'], ['verify', join(own, 'none')]])
    t.is(run(...args).status, 2, args.join(' '));
  t.regex(run('verify', file, '--key', key).stdout, /sda S: sanitized, Clear/);
});

test('several certificates are verified by the keys of the service, and those that are invalid are named', async (t) => {
  const own = folder(t);
  const place = (name: string) => join(own, name);
  const [certificates, other] = [await certified(), await certified(2)];
  writeFileSync(place('a.json'), JSON.stringify(await certificates.of('w')));
  writeFileSync(place('b.json'), JSON.stringify(await other.of('w')));
  writeFileSync(place('keys.json'), JSON.stringify({ keys: [other.key(), certificates.key()] }));
  writeFileSync(place('key.json'), JSON.stringify(certificates.key()));
  const run = (key: string) =>
    runCommand({}, 'certificate', 'verify', place('a.json'), place('b.json'), '--key', place(key));
  t.regex(run('keys.json').stdout, /^2 certificates are valid, by .*keys.json/);
  const { status, stderr } = run('key.json');
  t.is(status, 1);
  t.regex(stderr, /1 of 2 certificates is invalid:\n.*b\.json: the signature was not made with the key/);
});

test('a certificate names the rollout that launched its workflow, or the one at the top of its tree', async (t) => {
  const child = { ...row, root: 'top' } as WorkflowRow;
  const top = { ...row, id: 'top', rollout: 'r' } as WorkflowRow;
  const certificates = await certified(1, erased, undefined, [child, top]);
  t.like((await certificates.list({ ...page, filter: { rollout: 'r' } })).items[0], { workflow: 'w', batch: null });
  t.is((await certificates.list({ ...page, filter: { rollout: 'other' } })).total, 0);
});

test('an archive has all certificates, an index that no drive can turn into a formula, and the keys', async (t) => {
  const drives = [{ ...(erased[0] as (typeof erased)[0]), serial: '=1+1,"x"' }];
  const certificates = await certified(1, drives);
  const archived = async () => buffer(zipStream(await certificateFiles(certificates, {}), '2026-01-01T00:00:00.000Z'));
  const archive = await archived();
  const files = Object.fromEntries(Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, strFromU8(bytes)]));
  t.deepEqual(Object.keys(files), ['README.txt', 'keys.json', 'certificates/w.json', 'index.csv']);
  const [head, line] = files['index.csv']?.split('\r\n') ?? [];
  t.is(head, 'file,node,drive,serial,result,level,issued,graph,operator,workflow');
  t.regex(line ?? '', /^certificates\/w.json,n,sda,"'=1\+1,""x""",sanitized,Clear,\d{4}-.*,Graph.x,erika,w$/);
  const { keys } = JSON.parse(files['keys.json'] ?? '');
  t.true((await checkCertificate(files['certificates/w.json'] ?? '', ...keys)).pinned);
  t.deepEqual(await archived(), archive);
});

test('an archive without a certificate, or with too many, is refused', async (t) => {
  const certificates = await certified();
  await t.throwsAsync(certificateFiles(certificates, { node: 'other' }), { code: 'NOT_FOUND' });
  const many = {
    list: async () => ({ items: [], total: 20_001 }),
    all: () => certificates.all({}),
    keys: () => certificates.keys(),
  };
  await t.throwsAsync(certificateFiles(many, {}), {
    code: 'TOO_LARGE',
    message: /found 20001 certificates; expected at most 20000/,
  });
});

test('a workflow without a certificate gives 404, and the key is available', async (t) => {
  const { send, as } = await openApi(t, northbound);
  const token = await as('Operator');
  t.is((await send('GET', '/api/current/workflows/none/certificate', { token })).status, 404);
  t.is((await send('GET', '/api/current/workflows/none/certificate')).status, 401);
  t.is((await send('GET', '/api/current/certificates/key', { token })).status, 200);
});
