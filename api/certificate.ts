/**
 * A certificate signed by itself, for https endpoints that were given none. Node signs but does not build
 * certificates, so the little ASN.1 that one needs (RFC 5280, section 4.1) is written here.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

const DAY_MS = 24 * 3_600_000;
// Nobody renews it by hand: it holds for ten years. Removing the two files makes a new pair at the next start.
const VALID_MS = 3_650 * DAY_MS;

/** The pair kept in `dataDir`, made when it is not there yet. Two endpoints of one process share it. */
export async function selfSignedPair(dataDir: string): Promise<{ cert: Buffer; key: Buffer }> {
  const [certPath, keyPath] = [join(dataDir, 'https-cert.pem'), join(dataDir, 'https-key.pem')];
  try {
    return { cert: await readFile(certPath), key: await readFile(keyPath) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const { cert, key } = makePair(new Date());
  await mkdir(dataDir, { recursive: true });
  await writeFile(keyPath, key, { mode: 0o600 });
  await writeFile(certPath, cert, { mode: 0o600 });
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}

function makePair(now: Date): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey, now);
  const der = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function toBeSigned(publicKey: KeyObject, now: Date): Buffer {
  const name = sequence(set(sequence(oid('550403'), utf8('nodewright'))));
  // A day early: clocks of clients differ.
  const validity = sequence(time(now.getTime() - DAY_MS), time(now.getTime() + VALID_MS));
  const serial = tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)]));
  const version3 = tlv(0xa0, tlv(0x02, Buffer.from([2])));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  return sequence(
    version3,
    serial,
    ecdsaWithSha256,
    name,
    validity,
    name,
    key,
    tlv(0xa3, sequence(alternativeNames())),
  );
}

/** Clients look for the host here, and nowhere else. */
function alternativeNames(): Buffer {
  const names = [...new Set(['localhost', hostname()])].map((name) => tlv(0x82, Buffer.from(name, 'ascii')));
  const addresses = [Buffer.from([127, 0, 0, 1]), Buffer.concat([Buffer.alloc(15), Buffer.from([1])])];
  return sequence(oid('551d11'), tlv(0x04, sequence(...names, ...addresses.map((address) => tlv(0x87, address)))));
}

/** Tag, length, value: all that DER is. */
function tlv(tag: number, value: Buffer): Buffer {
  const size = value.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

const sequence = (...parts: Buffer[]): Buffer => tlv(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => tlv(0x31, Buffer.concat(parts));
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'));
const bitString = (bits: Buffer): Buffer => tlv(0x03, Buffer.concat([Buffer.from([0]), bits]));

/** UTCTime up to 2049, GeneralizedTime after it, as RFC 5280 asks. */
function time(at: number): Buffer {
  const text = `${new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
  return new Date(at).getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(text.slice(2), 'ascii'))
    : tlv(0x18, Buffer.from(text, 'ascii'));
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
