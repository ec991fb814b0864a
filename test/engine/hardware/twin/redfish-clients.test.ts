/**
 * The BMC of a twin's machine with the Redfish tools of others: DMTF's service validator, DMTF's redfishtool, and
 * OpenStack's sushy. The validator reads the schemas from a folder: `.ci/run` lays them there.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addLogEntry } from '../../../../engine/hardware/twin/machine/bmc-log.ts';
import { packagePath } from '../../../../engine/vocabulary/package-path.ts';
import { folder } from '../../../support/ava/folder.ts';
import { needing } from '../../../support/ava/needs.ts';
import { WAIT_MS } from '../../../support/ava/patience.ts';
import type { Scope } from '../../../support/ava/scope.ts';
import { modelNames, type ServedTwin, startTwinBmc, TWIN_PASSWORD } from '../../../support/bmcs/twin-bmc.ts';
import { pythonWith } from '../../../support/servers/python.ts';
import { serveImages } from '../../../support/servers/source.ts';
import { checker } from '../../../support/source/deployment.ts';

const run = promisify(execFile);

const schemas = packagePath('node_modules/.cache/nodewright/redfish-schemas');
const validator = checker('rf_service_validator');
const noValidator =
  validator === undefined
    ? 'rf_service_validator (redfish-service-validator on PyPI) is not installed'
    : existsSync(join(schemas, 'ServiceRoot_v1.xml'))
      ? undefined
      : `${schemas} has no schemas of Redfish`;
const validatorScript = fileURLToPath(new URL('../../../support/bmcs/service-validator.py', import.meta.url));
const redfishtool = checker('redfishtool');
const python = pythonWith('sushy');

/** A machine that has something in each of its collections. */
async function busyTwin(t: Scope, model: string): Promise<ServedTwin> {
  const twin = await startTwinBmc(t, { model, speed: 1 });
  const { state, url, config } = twin;
  addLogEntry(state.bmc, { at: Date.now(), severity: 'Warning', message: 'Fan 1 is slow', sensor: 'Fan1' });
  const authorization = `Basic ${Buffer.from(`${config.username}:${TWIN_PASSWORD}`).toString('base64')}`;
  const post = async (path: string, body: object) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const { ok } = await fetch(`${url}/redfish/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!ok) throw new Error(`POST ${path} failed`);
  };
  const image = { ImageURI: `${await serveImages(t, 'bios-2.0.bin')}/bios-2.0.bin` };
  await post('UpdateService/Actions/UpdateService.SimpleUpdate', image);
  await post('EventService/Subscriptions', { Destination: 'http://127.0.0.1/', Protocol: 'Redfish', Context: 'c' });
  await post('AccountService/Accounts', { UserName: 'reader', Password: 'read-only-1', RoleId: 'ReadOnly' });
  return twin;
}

const validated = needing(noValidator, 'redfish');
const withSushy = needing(python === undefined ? 'python3-sushy is not installed' : undefined);
const withTool = needing(redfishtool === undefined ? 'redfishtool is not installed' : undefined, 'redfish');

for (const model of modelNames) {
  validated.serial(`${model}: DMTF's service validator finds no failure`, async (t) => {
    const { url, config } = await busyTwin(t, model);
    const args = ['-B', validatorScript, '-r', url, '-u', config.username, '-p', TWIN_PASSWORD, '--skipschema'];
    const place = ['--schema_directory', schemas, '--logdir', folder(t), '--collectionlimit', 'Memory', '2'];
    const { stdout } = await run(join(dirname(validator ?? ''), 'python3'), [...args, ...place], {
      timeout: WAIT_MS,
      maxBuffer: 16_000_000,
    });
    const [, pass, , fail] = /\|\s+(\d+)\s+\|\s+(\d+)\s+\|\s+(\d+)\s+\|\s+(\d+)\s+\|/.exec(stdout) ?? [];
    t.true(Number(pass) > 1_000, stdout.slice(-2_000));
    t.is(fail, '0', stdout.slice(-2_000));
  });

  withSushy.serial(`${model}: sushy switches, boots, reads, inserts, and updates`, async (t) => {
    const { url, config, machine, ledger } = await startTwinBmc(t, { model, speed: 60 });
    const script = fileURLToPath(new URL('../../../support/bmcs/redfish-client.py', import.meta.url));
    const images = await serveImages(t, 'installer.iso', 'bmc-9.1.bin');
    const args = ['-B', script, url, config.username, TWIN_PASSWORD, images];
    const { stdout } = await run(python ?? '', args, { timeout: WAIT_MS });
    const { facts } = machine;
    t.deepEqual(JSON.parse(stdout), {
      before: 'Off',
      boot: ['Pxe', 'Once'],
      on: true,
      off: true,
      processors: facts.model.processor.sockets,
      macs: facts.macs,
      drives: facts.model.drives.length,
      pending: true,
      inserted: true,
      ejected: true,
      firmware: facts.model.firmware.length + 2,
      task: 'Running',
      sessions: [config.username],
    });
    // The update may end in the meantime.
    const commands = ledger.filter((line) => !line.endsWith(', BMC'));
    t.deepEqual(commands, [
      `power reset On: done, ${config.username}`,
      `power reset ForceOff: done, ${config.username}`,
      `update BMC from bmc-9.1.bin: begun, ${config.username}`,
    ]);
  });

  withTool.serial(`${model}: redfishtool reads and switches it`, async (t) => {
    const { url, config, machine, state } = await startTwinBmc(t, { model, speed: 60 });
    const { system } = machine.facts.model.ids;
    const tool = async (auth: string, ...words: string[]) => {
      const place = ['-r', url.slice('http://'.length), '-u', config.username, '-p', TWIN_PASSWORD];
      const { stdout } = await run(redfishtool ?? '', [...place, '-A', auth, '-S', 'Never', ...words], {
        timeout: WAIT_MS,
      });
      return stdout;
    };
    for (const auth of ['Basic', 'Session']) {
      const { Members: members } = JSON.parse(await tool(auth, 'Systems'));
      t.is(members.length, 1);
    }
    await tool('Basic', 'Systems', '-I', system, 'setBootOverride', 'Once', 'Pxe');
    t.like(state.bmc.override, { target: 'Pxe', enabled: 'Once' });
    await tool('Session', 'Systems', '-I', system, 'reset', 'On');
    t.not(state.power.is, 'Off');
    const { Attributes: attributes } = JSON.parse(
      await tool('Basic', 'raw', 'GET', `/redfish/v1/Systems/${system}/Bios`),
    );
    t.is(Object.keys(attributes).length, machine.facts.model.bios.attributes.length);
    await tool('Basic', 'AccountService', 'adduser', 'reader', 'read-only-1', 'ReadOnly');
    t.is(state.bmc.accounts.at(-1)?.user, 'reader');
  });
}
