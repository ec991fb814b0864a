/**
 * Judges a certificate of erased drives without the service: `npm run certificate -- verify certificate.json --key key.json`.
 * Exit codes: 0 it holds, 1 it does not, 2 it could not be judged.
 *
 * 1. The signature says that nothing was changed; the key says who signed. Without a key of one's own the one in the file
 *    is taken, and then only the first is known.
 * 2. What is shown to people has to be what was signed.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { calculateJwkThumbprint, type FlattenedJWS, flattenedVerify, importJWK, type JWK } from 'jose';

export interface Judged {
  certificate: Certificate;
  /** RFC 7638. */
  thumbprint: string;
  /** Whether it was signed with the key that was asked for. */
  pinned: boolean;
}

interface Certificate {
  workflow?: { id?: string };
  node?: { id?: string } | null;
  operator?: string | null;
  /** Absent in one that was issued before it was noted. */
  agent?: { knownBy?: string };
  issuedAt?: string;
  sanitized?: boolean;
  drives?: { devName?: string; serial?: string; result?: string; level?: string | null; method?: string }[];
}

interface File {
  certificate: unknown;
  jws: FlattenedJWS;
  key: JWK;
}

const TYPE = 'nodewright.sanitization';

/** @param text of the file @param own the key that it has to be signed with @throws Error that says why it does not hold */
export async function judge(text: string, own?: JWK): Promise<Judged> {
  const { certificate, jws, key } = JSON.parse(text) as File;
  const pinned = own ?? key;
  const thumbprint = await calculateJwkThumbprint(pinned);
  const { payload } = await flattenedVerify(jws, await importJWK(pinned, 'EdDSA'), { algorithms: ['EdDSA'] }).catch(
    () => {
      throw new Error(`the signature is not one of the key ${thumbprint}`);
    },
  );
  const signed = JSON.parse(new TextDecoder().decode(payload)) as Certificate & { type?: unknown };
  if (signed.type !== TYPE) throw new Error(`found ${JSON.stringify(signed.type)}, expected the type ${TYPE}`);
  if (!isDeepStrictEqual(signed, certificate)) throw new Error('what it shows is not what was signed');
  return { certificate: signed, thumbprint, pinned: own !== undefined };
}

function told({ certificate, thumbprint, pinned }: Judged): string {
  const { workflow, node, operator, agent, issuedAt, drives = [] } = certificate;
  const each = drives.map(
    ({ devName, serial, result, level, method }) =>
      `  ${devName} ${serial || '(no serial)'}: ${result}${level ? `, ${level}` : ''} (${method})`,
  );
  return [
    `The signature holds. Key ${thumbprint}${pinned ? '' : ', as the file itself says: compare it with that of the service'}`,
    `workflow ${workflow?.id}, node ${node?.id}, operator ${operator ?? 'unknown'}, issued ${issuedAt}`,
    `The agent that reports this was known by: ${agent?.knownBy ?? 'the certificate does not tell'}`,
    ...each,
  ].join('\n');
}

/** @returns the exit code */
export async function main(args: readonly string[], say: (line: string) => void): Promise<number> {
  const [command, file, flag, keyFile] = args;
  if (command !== 'verify' || file === undefined || (flag !== undefined && (flag !== '--key' || !keyFile))) {
    say('usage: npm run certificate -- verify <certificate.json> [--key <key.json>]');
    return 2;
  }
  let text: string;
  let own: JWK | undefined;
  try {
    text = readFileSync(file, 'utf8');
    own = keyFile === undefined ? undefined : (JSON.parse(readFileSync(keyFile, 'utf8')) as JWK);
  } catch (error) {
    say((error as Error).message);
    return 2;
  }
  try {
    say(told(await judge(text, own)));
    return 0;
  } catch (error) {
    say(`The certificate does not hold: ${(error as Error).message}`);
    return 1;
  }
}

if (process.argv[1]?.endsWith('certificate-check.ts')) {
  process.exitCode = await main(process.argv.slice(2), (line) => console.log(line));
}
