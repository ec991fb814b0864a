/** The values of SNMP objects as texts. */

/** ASN.1 tag of Counter64, which arrives as bytes. */
const COUNTER64 = 0x46;
const OPAQUE = 0x44;
const CHARACTERS = 1_024;
const MAC_BYTES = 6;

/** Columns with physical addresses, which may look like texts by chance. */
const PHYSICAL = [
  // ifPhysAddress, atPhysAddress, ipNetToMediaPhysAddress, ipNetToPhysicalPhysAddress
  ...['1.3.6.1.2.1.2.2.1.6', '1.3.6.1.2.1.3.1.1.2', '1.3.6.1.2.1.4.22.1.2', '1.3.6.1.2.1.4.35.1.4'],
  // dot1dBaseBridgeAddress, dot1dTpFdbAddress
  ...['1.3.6.1.2.1.17.1.1', '1.3.6.1.2.1.17.4.3.1.1'],
];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns numbers in decimals, MACs with colons, texts as they are, and other bytes in hexadecimal. */
export function snmpText({ oid, type, value }: { oid: string; type?: number; value?: unknown }): string {
  if (!Buffer.isBuffer(value)) return String(value).slice(0, CHARACTERS);
  if (type === COUNTER64) return BigInt(`0x${value.toString('hex') || '0'}`).toString();
  if (type === OPAQUE) return value.toString('hex').slice(0, CHARACTERS);
  return bytesText(
    value,
    PHYSICAL.some((column) => oid.startsWith(`${column}.`)),
  ).slice(0, CHARACTERS);
}

function bytesText(bytes: Buffer, isPhysical: boolean): string {
  const isAscii = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  if (isPhysical || (bytes.length === MAC_BYTES && !isAscii)) return bytes.toString('hex').replace(/..(?=.)/g, '$&:');
  const text = decodedText(bytes);
  return text !== undefined && /^[\p{L}\p{N}\p{P}\p{S}\s]*$/u.test(text) ? text : bytes.toString('hex');
}

/** @returns undefined for bytes that are no text */
function decodedText(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
