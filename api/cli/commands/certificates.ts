/** `nw certificate`: certificates of erased drives. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { JWK } from 'jose';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { type ConnectionOptions, connecting, withClient } from '../connection.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { say } from '../terminal.ts';

export function addCertificateCommands(root: Command): void {
  const certificate = root.command('certificate').description('certificates of erased drives');
  connecting(certificate.command('get <workflow>')).description('writes the certificate of a workflow').action(get);
  connecting(certificate.command('key')).description('writes the public key of the service').action(key);
  certificate
    .command('verify <file>')
    .description('verifies a certificate without the service; exit code 2: it could not be verified')
    .option('--key <file>', 'public key of the service; without it, only integrity is proved')
    .action(verify);
}

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
