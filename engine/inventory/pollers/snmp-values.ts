/** The values of SNMP objects as texts. */
import { storableBeginning } from '../../vocabulary/texts.ts';

/** ASN.1 tag of Counter64, which arrives as bytes. */
const COUNTER64 = 0x46;
/** One byte more than its value has, for the sign. */
const COUNTER64_BYTES = 9;
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

/** Returns numbers in decimals, MACs with colons, texts as they are, and other bytes in hexadecimal. An agent may send 64 KiB. */
export const snmpText = (varbind: VarbindValue): string => storableBeginning(wholeText(varbind), CHARACTERS);

interface VarbindValue {
  oid: string;
  type?: number;
  value?: unknown;
}

function wholeText({ oid, type, value }: VarbindValue): string {
  if (!Buffer.isBuffer(value)) return String(value);
  if (type === COUNTER64 && value.length <= COUNTER64_BYTES)
    return BigInt(`0x${value.toString('hex') || '0'}`).toString();
  if (type === COUNTER64 || type === OPAQUE) return value.toString('hex');
  return bytesText(
    value,
    PHYSICAL.some((column) => oid.startsWith(`${column}.`)),
  );
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
