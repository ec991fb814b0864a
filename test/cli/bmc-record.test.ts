/** `nw bmc record`: a BMC's tree as a folder. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { readMockup } from '../../engine/hardware/twin/recorded/mockup-folder.ts';
import { packagePath } from '../../engine/vocabulary/package-path.ts';
import { folder } from '../support/ava/folder.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { startTwinBmc, TWIN_PASSWORD } from '../support/bmcs/twin-bmc.ts';

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

async function nw(args: readonly string[], password: string): Promise<Run> {
  const env = { ...process.env, NW_BMC_PASSWORD: password };
  const options = { env, timeout: WAIT_MS };
  try {
    return {
      code: 0,
      ...(await promisify(execFile)(process.execPath, [packagePath('dist/nw.mjs'), ...args], options)),
    };
  } catch (error) {
    return error as Run;
  }
}

test('a BMC is recorded without a word of its accounts, and read again', async (t) => {
  const { url, config, ledger, bmc } = await startTwinBmc(t, { model: 'dell-r650' });
  const place = join(folder(t), 'r650');
  const { code, stdout, stderr } = await nw(['bmc', 'record', url, place, '--user', config.username], TWIN_PASSWORD);
  t.is(code, 0, stderr);
  t.regex(stdout, /: \d+ resources of a Dell Inc\. PowerEdge R650/);
  t.is(stderr, '');
  const { documents } = readMockup(place);
  t.true(documents.has('/redfish/v1/Systems/System.Embedded.1/Bios'));
  t.notRegex(JSON.stringify([...documents]), new RegExp(TWIN_PASSWORD));
  t.deepEqual(ledger, []);
  const basic = { authorization: `Basic ${Buffer.from(`root:${TWIN_PASSWORD}`).toString('base64')}` };
  const path = '/redfish/v1/SessionService/Sessions';
  const sessions = await bmc.answer({ method: 'GET', path, headers: basic, body: Buffer.alloc(0) });
  t.like(JSON.parse(sessions === 'silent' ? '' : sessions.body), { 'Members@odata.count': 0 });
});

test('a wrong password and a URL that is none write nothing', async (t) => {
  const { url, config } = await startTwinBmc(t);
  const place = join(folder(t), 'none');
  const wrong = await nw(['bmc', 'record', url, place, '--user', config.username], 'wrong-password');
  t.is(wrong.code, 1);
  t.regex(wrong.stderr, /rejected the user name or the password; correct --user or its password/);
  t.notRegex(wrong.stderr, /wrong-password/);
  t.is((await nw(['bmc', 'record', '127.0.0.1', place, '--user', 'a'], 'b')).code, 2);
  t.false(existsSync(place));
});
