/**
 * A self-signed certificate for https endpoints without a configured one. Node signs but does not build certificates,
 * so the necessary part of ASN.1 (RFC 5280, section 4.1) is implemented here.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../engine/vocabulary/thrown-values.ts';
import { DAY_MS } from '../../engine/vocabulary/units.ts';

// Valid for ten years, because there is no renewal. Deleting the two files makes a new pair at the next start.
const VALID_MS = 3_650 * DAY_MS;

/**
 * Returns the pair in `dataDir`, creating it if absent. All endpoints of a process share it.
 * @param hosts names and addresses that clients may use, in addition to those of this machine; invalid ones are ignored
 */
export async function selfSignedPair(
  dataDir: string,
  hosts: readonly string[] = [],
): Promise<{ cert: Buffer; key: Buffer }> {
  const [certPath, keyPath] = [join(dataDir, 'https-cert.pem'), join(dataDir, 'https-key.pem')];
  try {
    return { cert: await readFile(certPath), key: await readFile(keyPath) };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const { cert, key } = makePair(new Date(), hosts);
  await mkdir(dataDir, { recursive: true });
  await writeFile(keyPath, key, { mode: 0o600 });
  await writeFile(certPath, cert, { mode: 0o600 });
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}

function makePair(now: Date, hosts: readonly string[]): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey, now, hosts);
  const der = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function toBeSigned(publicKey: KeyObject, now: Date, hosts: readonly string[]): Buffer {
  const name = sequence(set(sequence(oid('550403'), utf8('nodewright'))));
  // Valid from a day ago: clients' clocks differ.
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
    tlv(0xa3, sequence(alternativeNames(hosts))),
  );
}

/** Clients match the host against these names only. */
function alternativeNames(hosts: readonly string[]): Buffer {
  const ownAddresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  const all = [...new Set(['localhost', hostname(), '127.0.0.1', '::1', ...ownAddresses, ...hosts])];
  const names = all.filter((host) => /^(?=.*[A-Za-z])[A-Za-z0-9.-]{1,253}$/.test(host));
  const addresses = all.flatMap((host) => bytesOf(host) ?? []);
  return sequence(
    oid('551d11'),
    tlv(
      0x04,
      sequence(
        ...names.map((name) => tlv(0x82, Buffer.from(name, 'ascii'))),
        ...addresses.map((address) => tlv(0x87, address)),
      ),
    ),
  );
}

/** An address in its binary form. @returns undefined for a name, and for addresses that other machines cannot use */
function bytesOf(address: string): Buffer | undefined {
  if (['0.0.0.0', '::'].includes(address) || address.toLowerCase().startsWith('fe80:')) return undefined;
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  if (!isIPv6(address)) return undefined;
  // URL normalizes to parts of at most four digits with one gap; a trailing IPv4 address becomes two parts.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parts = (text = '') => (text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16)));
  const gap = after === undefined ? 0 : 8 - parts(before).length - parts(after).length;
  const words = [...parts(before), ...Array<number>(gap).fill(0), ...parts(after)];
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

/** Encodes tag, length and value, the only structure of DER. */
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

/** UTCTime up to 2049, GeneralizedTime after that, as RFC 5280 requires. */
function time(at: number): Buffer {
  const text = `${new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
  return new Date(at).getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(text.slice(2), 'ascii'))
    : tlv(0x18, Buffer.from(text, 'ascii'));
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
