/** The facts of a machine that never change: place, addresses, serial numbers. Computed from the seed, so they are not stored. */
import { createHash } from 'node:crypto';
import type { Model } from './model.ts';

export interface MachineFacts {
  /** Such as `r01s01`: rack and slot. */
  name: string;
  /** Counted from 0, in the whole twin. */
  index: number;
  /** Its BMC speaks IPMI only, by `ipmi_sim`. */
  isIpmi: boolean;
  /** Such as `r01`; a rack has two PDUs, `p01a` for its lower half and `p01b`. */
  rack: string;
  /** From 1, in the rack. */
  slot: number;
  pdu: string;
  /** The address of the PDU, in 127/8. */
  pduAddress: string;
  /** Its number on the PDU, from 1. */
  outlet: number;
  model: Model;
  /** The address of the BMC, in 127/8. */
  bmcAddress: string;
  /** The address from which its systems ask, in 127/8. */
  address: string;
  /** A MAC for each NIC of the model. */
  macs: string[];
  bmcMac: string;
  serial: string;
  uuid: string;
}

const SLOTS_PER_RACK = 20;
const OUTLETS_PER_PDU = SLOTS_PER_RACK / 2;
/** The last byte of the addresses of a rack's PDUs. */
const PDU_HOSTS = { a: 101, b: 102 };
/** The third byte of an address is the rack, from 1 to this number. */
const RACKS_PER_BYTE = 250;
const HOSTS_FROM = 100;
/** A machine has up to 16 MACs: the digit after `02:7`. */
const BMC_NIC = 15;

export function factsOfMachine(seed: number, index: number, model: Model, isIpmi = false): MachineFacts {
  const rack = Math.floor(index / SLOTS_PER_RACK) + 1;
  const slot = (index % SLOTS_PER_RACK) + 1;
  const [block, row] = [Math.floor((rack - 1) / RACKS_PER_BYTE), ((rack - 1) % RACKS_PER_BYTE) + 1];
  const hash = createHash('sha256').update(`${seed} ${index}`).digest('hex');
  const mac = (nic: number) => `02:7${nic.toString(16)}:${macOfSeed(seed)}:${hexOf(index >> 8)}:${hexOf(index & 0xff)}`;
  const two = (number: number) => String(number).padStart(2, '0');
  const half = slot <= OUTLETS_PER_PDU ? 'a' : 'b';
  return {
    name: `r${two(rack)}s${two(slot)}`,
    index,
    isIpmi,
    rack: `r${two(rack)}`,
    slot,
    pdu: `p${two(rack)}${half}`,
    pduAddress: `127.${1 + block}.${row}.${PDU_HOSTS[half]}`,
    outlet: half === 'a' ? slot : slot - OUTLETS_PER_PDU,
    model,
    bmcAddress: `127.${1 + block}.${row}.${slot}`,
    address: `127.${HOSTS_FROM + 1 + block}.${row}.${slot}`,
    macs: model.nics.map((_, nic) => mac(nic)),
    bmcMac: mac(BMC_NIC),
    serial: hash.slice(0, 7).toUpperCase(),
    uuid: `${hash.slice(8, 16)}-${hash.slice(16, 20)}-4${hash.slice(21, 24)}-8${hash.slice(25, 28)}-${hash.slice(28, 40)}`,
  };
}

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');

/** The third and the fourth byte of each MAC of this seed. */
const macOfSeed = (seed: number): string => {
  const digest = createHash('sha256').update(`macs ${seed}`).digest('hex');
  return `${digest.slice(0, 2)}:${digest.slice(2, 4)}`;
};

/** Whether the MAC is one of the twin's with this seed. */
export const isOwnMac = (seed: number, mac: string): boolean =>
  new RegExp(`^02:7[0-9a-f]:${macOfSeed(seed)}:`).test(mac.toLowerCase());
