/** `nw node obm|ibm list|set`: how the BMC of a node, or its running system, is reached. */
import type { Command } from 'commander';
import { ibmServices, obmServices } from '../../../engine/define/node.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting } from '../connection.ts';
import { onNode } from '../node-of.ts';
import { jsonFile } from '../option-values.ts';
import { showList } from '../output.ts';
import { askPassword } from '../prompts.ts';
import { inform } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

/** @param node the command `nw node` */
export function addNodeAccess(node: Command): void {
  const obm = node.command('obm').description('the out-of-band management of a node');
  connecting(obm.command('list <node>', { isDefault: true }))
    .description('lists the obms of a node')
    .action(listObms);
  connecting(obm.command('set <node>'))
    .description('sets the obm of a node for one service; asks for the password')
    .option('--service <service>', `one of ${obmServices.join(', ')}; of PDUs by --config`, 'ipmi-obm-service')
    .option('--host <host>', 'address of the BMC')
    .option('--user <name>', 'user of the BMC')
    .option('--password-stdin', 'reads the password from the standard input')
    .option('--config <file>', 'JSON with all of its configuration, instead of these options')
    .action(setObm);
  const ibm = node
    .command('ibm')
    .description('the in-band management of a node: by SSH, and of switches and PDUs by SNMP');
  connecting(ibm.command('list <node>', { isDefault: true }))
    .description('lists the ibms of a node')
    .action(listIbms);
  connecting(ibm.command('set <node>'))
    .description('sets the ibm of a node for one service; asks for the community, or the password')
    .option('--service <service>', `one of ${ibmServices.join(', ')}`, 'snmp-ibm-service')
    .option('--host <host>', 'address of the system')
    .option('--user <name>', 'user of SSH')
    .option('--password-stdin', 'reads the community, or the password, from the standard input')
    .option(
      '--config <file>',
      'JSON with all of its configuration, such as that of SNMP version 3, instead of these options',
    )
    .action(setIbm);
}

interface AccessFlags extends ConnectionOptions {
  service: string;
  host?: string;
  user?: string;
  passwordStdin?: boolean;
  config?: string;
}

type Access = GetAnswer<'/obms'>[number] | GetAnswer<'/ibms'>[number];

/** Outlets may be of several PDUs. */
function hostOf({ host, uri, outlets }: Record<string, unknown>): string {
  const hosts = (Array.isArray(outlets) ? outlets : []).map((outlet: { host: string }) => outlet.host);
  return String(host ?? uri ?? (hosts.length === 0 ? '-' : [...new Set(hosts)].join(', ')));
}

const show = (all: readonly Access[], { output }: ConnectionOptions): void =>
  showList(
    all,
    [
      { title: 'id', value: (one) => one.id },
      { title: 'service', value: ({ service }) => service },
      { title: 'host', value: ({ config }) => hostOf(config) },
      { title: 'user', value: ({ config }) => String(config.user ?? config.username ?? '-') },
    ],
    output,
  );

const listObms = (given: string, options: ConnectionOptions): Promise<void> =>
  onNode(given, options, async (client, { id }) => {
    const { body } = await client.get('/nodes/:identifier/obm', { params: { identifier: id } });
    show(body, options);
  });

const listIbms = (given: string, options: ConnectionOptions): Promise<void> =>
  onNode(given, options, async (client, { id: nodeId }) => {
    const { body } = await wholeList((query) => client.get('/ibms', { query: { ...query, nodeId } }));
    show(body as Access[], options);
  });

const setObm = (given: string, { service, ...flags }: AccessFlags): Promise<void> =>
  onNode(given, flags, async (client, { id, name }) => {
    const { host, user, config, passwordStdin = false } = flags;
    const needsNoPassword = config !== undefined || service === 'noop-obm-service';
    const password = needsNoPassword ? undefined : await askPassword(`Password of the BMC of ${name}`, passwordStdin);
    const settings = config === undefined ? { host, user, password } : jsonFile(config);
    const body = { service, config: settings } as never;
    await client.put('/nodes/:identifier/obm', { params: { identifier: id }, body });
    inform(`The obm ${service} of ${name} is set.`);
  });

const setIbm = (given: string, { service, ...flags }: AccessFlags): Promise<void> =>
  onNode(given, flags, async (client, { id: nodeId, name }) => {
    const config = flags.config === undefined ? await settingsOf(service, name, flags) : jsonFile(flags.config);
    await client.put('/ibms', { body: { nodeId, service, config } as never });
    inform(`The ibm ${service} of ${name} is set.`);
  });

type TypedFlags = Pick<AccessFlags, 'host' | 'user' | 'passwordStdin'>;

async function settingsOf(service: string, name: string, { host, user, passwordStdin = false }: TypedFlags) {
  if (service !== 'ssh-ibm-service')
    return { host, community: await askPassword(`Community of the SNMP agent of ${name}`, passwordStdin) };
  return { host, user, password: await askPassword(`Password of ${user ?? 'the user'} on ${name}`, passwordStdin) };
}
