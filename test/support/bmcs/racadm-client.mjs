/**
 * A stand-in for Dell's racadm, which cannot be installed from a package archive: the same words and texts, but it speaks Redfish to
 * the iDRAC. `racadm -r HOST[:PORT] -u USER -p PASSWORD COMMAND ...`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const [SYSTEM, MANAGER] = ['/redfish/v1/Systems/System.Embedded.1', '/redfish/v1/Managers/iDRAC.Embedded.1'];
const JOB = 'JID_561235100730';
const LOOK_MS = 100;

const [, , , address, , user, , password, ...words] = process.argv;
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

function fail(text) {
  console.log(`ERROR: ${text}`);
  process.exit(1);
}

/** An iDRAC of a twin may be without TLS. */
async function exchange(path, options) {
  for (const scheme of ['https', 'http']) {
    const answer = await fetch(`${scheme}://${address}${path}`, options).catch(() => undefined);
    if (answer !== undefined) return answer;
  }
  return fail('Unable to connect to RAC at specified IP address.');
}

async function ask(method, path, body, headers = { 'content-type': 'application/json' }) {
  const sent = body instanceof FormData ? { body } : body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await exchange(path, { method, ...sent, headers: { authorization, ...sent.headers } });
  const text = await answer.text();
  if (answer.status === 401) fail('Login failed - invalid username or password');
  if (answer.status >= 300) fail(`RAC917 : ${text.slice(0, 200)}`);
  return { status: answer.status, monitor: answer.headers.get('location'), json: text === '' ? {} : JSON.parse(text) };
}

const after = (flag) => words[words.indexOf(flag) + 1];
const patch = (path, attributes) => ask('PATCH', path, { Attributes: attributes });
const setBios = (attributes) => patch(`${SYSTEM}/Bios/Settings`, attributes);
const setManager = (attributes) => patch(`${MANAGER}/Oem/Dell/DellAttributes/iDRAC.Embedded.1`, attributes);
const cycle = () => ask('POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, { ResetType: 'ForceRestart' });

async function inventory() {
  const { json } = await ask('GET', '/redfish/v1/UpdateService/FirmwareInventory');
  console.log('-------------------------SOFTWARE INVENTORY------------------------\n');
  for (const { '@odata.id': path } of json.Members) {
    const { json: one } = await ask('GET', path);
    const fqdd = one.Id === 'BIOS' ? 'BIOS.Setup.1-1' : one.Id === 'BMC' ? 'iDRAC.Embedded.1-1' : `${one.Id}.1-1`;
    console.log(`ComponentType = FIRMWARE\nElementName = ${one.Name}\nFQDD = ${fqdd}\nInstallationDate = NA`);
    console.log(`Current Version = ${one.Version}\n${'-'.repeat(67)}\n`);
  }
}

async function exportSettings() {
  const { json } = await ask('GET', `${SYSTEM}/Bios`);
  const lines = Object.entries(json.Attributes).map(
    ([name, value]) => `  <Attribute Name="${name}">${value}</Attribute>\n`,
  );
  if (!words.includes('-l'))
    writeFileSync(after('-f'), `<SystemConfiguration>\n${lines.join('')}</SystemConfiguration>\n`);
  console.log(`RAC976: Export configuration XML file operation initiated. Use "racadm jobqueue view -i ${JOB}"`);
}

async function importSettings() {
  if (words.includes('-l')) fail('RAC1054: The specified share cannot be read.');
  const found = [...readFileSync(after('-f'), 'utf8').matchAll(/<Attribute Name="([^"]+)">([^<]*)</g)];
  await setBios(Object.fromEntries(found.map(([, name, value]) => [name, value])));
  if (words.includes('Forced')) await cycle();
  console.log(`RAC977: Import configuration XML file operation initiated. Use "racadm jobqueue view -i ${JOB}"`);
}

async function update() {
  const file = after('-f');
  const form = new FormData();
  form.append('UpdateParameters', new Blob([JSON.stringify({ Targets: [] })], { type: 'application/json' }));
  form.append('UpdateFile', new Blob([readFileSync(file)]), basename(file));
  const { monitor } = await ask('POST', '/redfish/v1/UpdateService/update-multipart', form);
  while ((await ask('GET', new URL(monitor, `https://${address}`).pathname)).status === 202) await setTimeout(LOOK_MS);
  console.log(`RAC1118: Firmware update operation initiated. Use "racadm jobqueue view -i ${JOB}"`);
  process.exitCode = 48;
}

async function set() {
  const [, name, value] = words;
  if (name === '-f') return importSettings();
  const [root, group, ...rest] = name.split('.');
  const word = { 0: 'Disabled', 1: 'Enabled' }[value] ?? value;
  await (root === 'BIOS'
    ? setBios({ [rest.join('.')]: value })
    : setManager({ [`${group}.1.${rest.join('.')}`]: word }));
  console.log('[Key=]\nObject value modified successfully');
}

async function jobqueue() {
  if (words[1] === 'view')
    console.log(`[Job ID=${JOB}]\nJob Name=Job\nStatus=Completed\nMessage=[PR19: Job completed successfully.]`);
  else {
    if (words.includes('pwrcycle')) await cycle();
    console.log(`Commit JID = ${JOB}\nReboot JID = RID_000000000001`);
  }
}

const commands = {
  swinventory: inventory,
  get: exportSettings,
  set,
  jobqueue,
  update,
  serveraction: cycle,
  async systemerase() {
    if (words[1] !== 'bios') fail(`RAC1143: the component ${words[1]} is not there.`);
    await ask('POST', `${SYSTEM}/Bios/Actions/Bios.ResetBios`, {});
    await cycle();
  },
  setniccfg: () =>
    setManager({
      'IPv4Static.1.Address': words[2],
      'IPv4Static.1.Netmask': words[3],
      'IPv4Static.1.Gateway': words[4],
    }),
};

console.log('Security Alert: Certificate is invalid - self signed certificate');
console.log('Continuing execution. Use -S option for racadm to stop execution on certificate-related errors.');
await (commands[words[0]] ?? (() => fail(`RAC906: invalid subcommand ${words[0]}`)))();
