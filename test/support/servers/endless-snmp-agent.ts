/** An SNMP agent of version 2c whose tables never end, on a free port of this machine. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../ava/scope.ts';

const COMMUNITY = 'public';
const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTETS = 0x04;
const OID = 0x06;
const RESPONSE = 0xa2;

const ZERO = Buffer.from([INTEGER, 1, 0]);

const tlv = (tag: number, ...parts: Buffer[]) => {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, 0x82, value.length >> 8, value.length & 0xff]), value]);
};

interface OddAnswer {
  /** Tag of the answer; absent: that of a response. */
  pdu?: number;
  /** Tag of the value; absent: that of a text. */
  type?: number;
  /** Further bytes of the object identifier. */
  tail?: Buffer;
}

/** @param instance returns the last arc of `sysDescr` in the answer of this number @param text its value */
export async function startEndlessAgent(
  t: Scope,
  instance: (answer: number) => number,
  text: string,
  { pdu: answerTag = RESPONSE, type = OCTETS, tail = Buffer.alloc(0) }: OddAnswer = {},
) {
  const host = '127.0.0.1';
  const socket = createSocket('udp4');
  let answer = 0;
  socket.on('message', (request, { port }) => {
    const pdu = request.indexOf(COMMUNITY) + COMMUNITY.length;
    // The length of the PDU has further bytes if the object identifier of the last answer was long.
    const length = request[pdu + 1] ?? 0;
    const at = pdu + 2 + (length > 0x80 ? length - 0x80 : 0);
    const id = request.subarray(at, at + 2 + (request[at + 1] ?? 0));
    const arc = instance(answer);
    answer += 1;
    // 1.3.6.1.2.1.1.1.x, with x in two groups of seven bits.
    const oid = Buffer.concat([Buffer.from([0x2b, 6, 1, 2, 1, 1, 1, 0x80 | (arc >> 7), arc & 0x7f]), tail]);
    const values = tlv(SEQUENCE, tlv(SEQUENCE, tlv(OID, oid), tlv(type, Buffer.from(text))));
    const version = Buffer.from([INTEGER, 1, 1]);
    const community = tlv(OCTETS, Buffer.from(COMMUNITY));
    socket.send(tlv(SEQUENCE, version, community, tlv(answerTag, id, ZERO, ZERO, values)), port, host);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  return { host, port: (socket.address() as AddressInfo).port, community: COMMUNITY };
}
