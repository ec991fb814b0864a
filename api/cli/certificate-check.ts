/**
 * Verifies a drive erasure certificate without the service.
 *
 * 1. The signature proves integrity; the key proves the signer. If the verifier gives no key, the key in
 *    the file is used, which proves integrity only. Of several keys, the one that the signature names is used.
 * 2. The readable part must equal the signed payload.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  type FlattenedJWS,
  flattenedVerify,
  importJWK,
  type JWK,
} from 'jose';

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

/**
 * @param text of the file
 * @param expectedKeys one of them must have signed; none: the key in the file
 * @throws Error with the reason why it is invalid
 */
export async function checkCertificate(text: string, ...expectedKeys: JWK[]): Promise<CheckedCertificate> {
  const { certificate, jws, key } = JSON.parse(text) as File;
  const { kid } = decodeProtectedHeader(jws);
  const [usedKey = key] = expectedKeys.toSorted((one, other) => Number(other.kid === kid) - Number(one.kid === kid));
  const thumbprint = await calculateJwkThumbprint(usedKey);
  const { payload } = await flattenedVerify(jws, await importJWK(usedKey, 'EdDSA'), { algorithms: ['EdDSA'] }).catch(
    () => {
      throw new Error(`the signature was not made with the key ${thumbprint}`);
    },
  );
  const signed = JSON.parse(new TextDecoder().decode(payload)) as Certificate & { type?: unknown };
  if (signed.type !== TYPE) throw new Error(`found ${JSON.stringify(signed.type)}, expected the type ${TYPE}`);
  if (!isDeepStrictEqual(signed, certificate)) throw new Error('the readable part differs from the signed payload');
  return { certificate: signed, thumbprint, pinned: expectedKeys.length > 0 };
}

/** Returns the report of what was verified. */
export function certificateText({ certificate, thumbprint, pinned }: CheckedCertificate): string {
  const { workflow, node, operator, agent, issuedAt, drives = [] } = certificate;
  const driveLines = drives.map(
    ({ devName, serial, result, level, method }) =>
      `  ${devName} ${serial || '(no serial)'}: ${result}${level ? `, ${level}` : ''} (${method})`,
  );
  return [
    `The signature is valid. Key ${thumbprint}${pinned ? '' : ', taken from the file itself: compare it with the key of the service'}`,
    `workflow ${workflow?.id}, node ${node?.id}, operator ${operator ?? 'unknown'}, issued ${issuedAt}`,
    `The reporting agent was identified by: ${agent?.knownBy ?? 'not recorded in the certificate'}`,
    ...driveLines,
  ].join('\n');
}
