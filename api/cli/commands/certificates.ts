/** `nw certificates`, `nw certificate`: certificates of erased drives. */

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { JWK } from 'jose';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import type { GetAnswer, ListQuery } from '../../client/requests.ts';
import { writeArchive } from '../archive-file.ts';
import type { Client } from '../client.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { beginningWith, idsOf } from '../id-of.ts';
import { nodeOf } from '../node-of.ts';
import { count } from '../option-values.ts';
import { showList, type TableColumn } from '../output.ts';
import { shownTime } from '../shown-time.ts';
import { printableText, say } from '../terminal.ts';
import { wholeList } from '../whole-list.ts';
import { nodeInstead } from '../workflow-of.ts';

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
  rollout?: string;
  batch?: string;
  limit?: number;
  zip?: string;
}

export function addCertificateCommands(root: Command): void {
  connecting(root.command('certificates'))
    .description('lists the certificates of erased drives, newest first')
    .option('--node <node>', 'only of this node')
    .option('--serial <number>', 'only those that name a drive with this serial number')
    .option('--rollout <id>', 'only of workflows that this rollout launched')
    .option('--batch <id>', 'only of workflows that this batch launched')
    .option('--limit <number>', 'records; by default all', count)
    .option('--zip <file>', 'writes them as an archive with an index and the public keys, for auditors')
    .action(list);
  const certificate = root.command('certificate').description('certificates of erased drives');
  connecting(certificate.command('get <workflow>'))
    .description('writes the certificate of a workflow, or the newest of a node')
    .action(get);
  connecting(certificate.command('key')).description('writes the public key of the service').action(key);
  certificate
    .command('verify <files...>')
    .description('verifies certificates without the service; exit code 2: they could not be verified')
    .option('--key <file>', 'public key or keys of the service; without it, only integrity is proved')
    .action(verify);
}

const list = ({ node, serial, rollout, batch, limit, zip, ...options }: ListFlags): Promise<void> =>
  withClient(options, async (client) => {
    const filter = {
      ...(node !== undefined && { node: (await nodeOf(client, node)).id }),
      ...(serial !== undefined && { serial }),
      ...(rollout !== undefined && { rollout: await idsOf(client, 'rollout', rollout) }),
      ...(batch !== undefined && { batch: await idsOf(client, 'batch', batch) }),
    };
    if (zip !== undefined) {
      await writeArchive(client, '/certificates/archive', filter, zip);
      return say(printableText(zip));
    }
    const { body, total } = await wholeList(
      (query) => client.get('/certificates', { query }),
      { sort: '-issuedAt', ...filter },
      limit,
    );
    showList(body, columns, options.output, total);
  });

/** @param given the id of a workflow, or its beginning; or a node: then its newest */
async function certifiedWorkflow(client: Client, given: string): Promise<string> {
  const newestCertificates = async (query: ListQuery) =>
    (await client.get('/certificates', { query: { sort: '-issuedAt', $top: 1, ...query } })).body;
  const look = async ({ 'id.prefix': beginning, $top }: ListQuery) => {
    const body = await newestCertificates({ 'workflow.prefix': beginning, $top });
    return { body: body.map(({ workflow }) => ({ id: workflow })) };
  };
  const match = await beginningWith(look, given);
  if (match !== undefined) return match.id;
  const [certificate] = await newestCertificates({ node: (await nodeInstead(client, given)).id });
  if (certificate !== undefined) return certificate.workflow;
  throw new CommandError(`${printableText(given)} has no certificate; nw certificates lists them`);
}

const get = (given: string, options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const params = { id: await certifiedWorkflow(client, given) };
    const { body } = await client.get('/workflows/:id/certificate', { params });
    say(JSON.stringify(body, null, 2));
  });

const key = (options: ConnectionOptions): Promise<void> =>
  withClient(options, async (client) => {
    const { body } = await client.get('/certificates/key');
    say(JSON.stringify(body, null, 2));
  });

async function verify(files: string[], { key: keyFile }: { key?: string }): Promise<void> {
  const texts = files.map(readText);
  const expectedKeys = keyFile === undefined ? [] : keysOf(readText(keyFile), keyFile);
  const { certificateText, checkCertificate } = await import('../certificate-check.ts');
  const results = await Promise.allSettled(texts.map((text) => checkCertificate(text, ...expectedKeys)));
  const [only] = results;
  if (files.length === 1 && only?.status === 'fulfilled') return say(certificateText(only.value));
  if (files.length === 1 && only?.status === 'rejected')
    throw new CommandError(`The certificate is invalid: ${messageOf(only.reason)}`);
  const wrong = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? [] : [`${files[index]}: ${messageOf(result.reason)}`],
  );
  if (wrong.length > 0)
    throw new CommandError(
      `${wrong.length} of ${countText(files.length, 'certificate')} ${wrong.length === 1 ? 'is' : 'are'} invalid:\n${wrong.join('\n')}`,
    );
  const whose = keyFile === undefined ? 'the keys in the files: compare them with those of the service' : keyFile;
  say(`${files.length === 1 ? '1 certificate is' : `${files.length} certificates are`} valid, by ${whose}`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(messageOf(error), EXIT.usage);
  }
}

/** @param text a JWK, or a JWK Set as `GET /certificates/keys` answers */
function keysOf(text: string, file: string): JWK[] {
  try {
    const parsed = JSON.parse(text) as JWK & { keys?: JWK[] };
    return parsed.keys ?? [parsed];
  } catch (error) {
    throw new CommandError(`${file}: ${messageOf(error)}`, EXIT.usage);
  }
}
