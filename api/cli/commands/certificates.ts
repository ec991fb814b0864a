/** `nw certificates`, `nw certificate`: certificates of erased drives. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { JWK } from 'jose';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { GetAnswer } from '../../client/requests.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { nodeOf } from '../node-of.ts';
import { count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';

type Certificate = GetAnswer<'/certificates'>[number];

const drivesText = ({ drives }: Certificate): string =>
  drives.map(({ devName, serial, level, result }) => `${devName} ${serial || 'unknown'} ${level ?? result}`).join('; ');

const columns: TableColumn<Certificate>[] = [
  { title: 'workflow', value: ({ workflow }) => workflow },
  { title: 'node', value: ({ node, name }) => name ?? node },
  { title: 'sanitized', value: ({ sanitized }) => (sanitized ? 'all' : 'not all') },
  { title: 'drives', value: drivesText },
  { title: 'issued', value: ({ issuedAt }) => shownTime(issuedAt) },
  { title: 'graph', value: ({ graph }) => graph, wide: true },
];

interface ListFlags extends ConnectionOptions {
  node?: string;
  serial?: string;
  limit?: number;
}

export function addCertificateCommands(root: Command): void {
  connecting(root.command('certificates'))
    .description('lists the certificates of erased drives, newest first')
    .option('--node <node>', 'only of this node')
    .option('--serial <number>', 'only those that name a drive with this serial number')
    .option('--limit <number>', 'records; by default all', count)
    .action(list);
  const certificate = root.command('certificate').description('certificates of erased drives');
  connecting(certificate.command('get <workflow>')).description('writes the certificate of a workflow').action(get);
  connecting(certificate.command('key')).description('writes the public key of the service').action(key);
  certificate
    .command('verify <file>')
    .description('verifies a certificate without the service; exit code 2: it could not be verified')
    .option('--key <file>', 'public key of the service; without it, only integrity is proved')
    .action(verify);
}

const list = ({ node, serial, limit, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const filter = {
      ...(node !== undefined && { node: (await nodeOf(client, node)).id }),
      ...(serial !== undefined && { serial }),
    };
    const { body, total } = await wholeList(
      (query) => client.get('/certificates', { query }),
      { sort: '-issuedAt', ...filter },
      limit,
    );
    showList(body, columns, options.output, total);
  });

const get = (id: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/workflows/:id/certificate', { params: { id } });
    say(JSON.stringify(body, null, 2));
  });

const key = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/certificates/key');
    say(JSON.stringify(body, null, 2));
  });

async function verify(file: string, { key: keyFile }: { key?: string }): Promise<void> {
  const text = readText(file);
  const expectedKey = keyFile === undefined ? undefined : keyOf(readText(keyFile), keyFile);
  const { certificateText, checkCertificate } = await import('../certificate-check.ts');
  const checked = await checkCertificate(text, expectedKey).catch((error: unknown) => {
    throw new CommandError(`The certificate is invalid: ${messageOf(error)}`);
  });
  say(certificateText(checked));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(messageOf(error), EXIT.usage);
  }
}

function keyOf(text: string, file: string): JWK {
  try {
    return JSON.parse(text) as JWK;
  } catch (error) {
    throw new CommandError(`${file}: ${messageOf(error)}`, EXIT.usage);
  }
}
