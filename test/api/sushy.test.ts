/** The Redfish session service with a third-party client: OpenStack's sushy. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needing } from '../support/ava/needs.ts';
import { WAIT_MS } from '../support/ava/patience.ts';
import { openApi, PASSWORD } from '../support/servers/api.ts';
import { pythonWith } from '../support/servers/python.ts';

const python = pythonWith('sushy');
const test = needing(python === undefined ? 'python3-sushy is not installed' : undefined);
const script = fileURLToPath(new URL('../support/bmcs/sessions.py', import.meta.url));

test.serial('sushy finds the session service, opens a session, reads it, and deletes it', async (t) => {
  const { port, as } = await openApi(t);
  await as('Administrator', 'sue');
  const args = ['-B', script, `http://127.0.0.1:${port}`, 'sue', PASSWORD];
  const { stdout } = await promisify(execFile)(python as string, args, { timeout: WAIT_MS });
  t.deepEqual(JSON.parse(stdout), {
    version: '1.6.0',
    timeout: 3_600,
    users: ['sue'],
    members: 1,
    after: 401,
    body: {},
  });
});
