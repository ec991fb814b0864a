/**
 * Verifies a drive erasure certificate without the service:
 * `npm run certificate -- verify certificate.json --key key.json`.
 * Exit codes: 0 valid, 1 invalid, 2 could not be verified.
 *
 * 1. The signature proves integrity; the key proves the signer. Without a key of the verifier's own, the key in the
 *    file is used, which proves integrity only.
 * 2. The readable part must equal the signed payload.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { calculateJwkThumbprint, type FlattenedJWS, flattenedVerify, importJWK, type JWK } from 'jose';
import { messageOf } from '../engine/define/thrown.ts';

export interface CheckedCertificate {
  certificate: Certificate;
  /** RFC 7638. */
  thumbprint: string;
  /** True if it was signed with the given key. */
  pinned: boolean;
}

interface Certificate {
  workflow?: { id?: string };
  node?: { id?: string } | null;
  operator?: string | null;
  /** Absent in certificates issued before the field existed. */
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

/** @param text of the file @param own the required key @throws Error with the reason why it is invalid */
export async function checkCertificate(text: string, own?: JWK): Promise<CheckedCertificate> {
  const { certificate, jws, key } = JSON.parse(text) as File;
  const pinned = own ?? key;
  const thumbprint = await calculateJwkThumbprint(pinned);
  const { payload } = await flattenedVerify(jws, await importJWK(pinned, 'EdDSA'), { algorithms: ['EdDSA'] }).catch(
    () => {
      throw new Error(`the signature was not made with the key ${thumbprint}`);
    },
  );
  const signed = JSON.parse(new TextDecoder().decode(payload)) as Certificate & { type?: unknown };
  if (signed.type !== TYPE) throw new Error(`found ${JSON.stringify(signed.type)}, expected the type ${TYPE}`);
  if (!isDeepStrictEqual(signed, certificate)) throw new Error('the readable part differs from the signed payload');
  return { certificate: signed, thumbprint, pinned: own !== undefined };
}

function told({ certificate, thumbprint, pinned }: CheckedCertificate): string {
  const { workflow, node, operator, agent, issuedAt, drives = [] } = certificate;
  const each = drives.map(
    ({ devName, serial, result, level, method }) =>
      `  ${devName} ${serial || '(no serial)'}: ${result}${level ? `, ${level}` : ''} (${method})`,
  );
  return [
    `The signature is valid. Key ${thumbprint}${pinned ? '' : ', taken from the file itself: compare it with the key of the service'}`,
    `workflow ${workflow?.id}, node ${node?.id}, operator ${operator ?? 'unknown'}, issued ${issuedAt}`,
    `The reporting agent was identified by: ${agent?.knownBy ?? 'not recorded in the certificate'}`,
    ...each,
  ].join('\n');
}

/** Returns the exit code. */
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
    say(messageOf(error));
    return 2;
  }
  try {
    say(told(await checkCertificate(text, own)));
    return 0;
  } catch (error) {
    say(`The certificate is invalid: ${messageOf(error)}`);
    return 1;
  }
}

if (process.argv[1]?.endsWith('certificate-check.ts')) {
  process.exitCode = await main(process.argv.slice(2), (line) => console.log(line));
}
