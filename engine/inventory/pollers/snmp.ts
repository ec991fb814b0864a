/** Reads trees of an SNMP agent, by version 1, 2c or 3. */
import type Snmp from 'net-snmp';
import { ObmError } from '../../define/obm.ts';
import { withAgent } from '../../hardware/obm/snmp-session.ts';
import type { SnmpTarget } from '../../hardware/obm/snmp-settings.ts';
import { columnsOf, type SnmpInventory, snmpInventory } from './snmp-inventory.ts';
import { numberOf } from './snmp-names.ts';
import { snmpColumns } from './snmp-objects.ts';
import { snmpText } from './snmp-values.ts';

/** The values below one object, by object identifier. */
export interface SnmpTree {
  source: string;
  values: Record<string, string>;
}

/** Limit of one poll. */
const POLL_VALUES = 1_000;
/** Limit of one reading of a switch: it has some hundred interfaces. */
const INVENTORY_VALUES = 20_000;
/** Limit of one tree: an agent that never ends is left soon. */
const TREE_VALUES = 4_000;
const INVENTORY_CHARACTERS = 2_000_000;
/** An object identifier has 128 numbers of 32 bits at most (RFC 2578, 3.5). */
const OID_CHARACTERS = 128 * 11;
/** Objects per answer. */
const ROWS = 20;

/** @throws ObmError OBM_FAILED if the agent does not say what it is */
export async function readInventory(
  target: SnmpTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<SnmpInventory> {
  const trees = await readTrees(target, Object.values(snmpColumns), timeoutMs, signal, INVENTORY_VALUES);
  const texts = trees.flatMap(({ values }) => Object.entries(values).flat());
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters > INVENTORY_CHARACTERS)
    throw badAgent(target, `sends ${characters} characters, expected at most ${INVENTORY_CHARACTERS}`);
  const inventory = snmpInventory(columnsOf(trees.map(({ values }) => values)));
  if (Object.keys(inventory.snmp.system).length > 0) return inventory;
  throw badAgent(target, 'has no system group (1.3.6.1.2.1.1); let its community or user read it');
}

const badAgent = ({ host }: SnmpTarget, problem: string) =>
  new ObmError('OBM_FAILED', `the SNMP agent at ${host} ${problem}`, { retry: false });

/** @throws ObmError; the signal's reason if the signal fired */
export const readTrees = (
  target: SnmpTarget,
  oids: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
  limit = POLL_VALUES,
): Promise<SnmpTree[]> =>
  withAgent(target, { timeoutMs }, signal, async ({ snmp, session }) => {
    const trees: SnmpTree[] = [];
    let room = limit;
    for (const [source, oid] of oids.map((name) => [name, numberOf(name, snmp)] as const)) {
      const values = await readTree(session, oid, Math.min(room, TREE_VALUES), snmp);
      room -= Object.keys(values).length;
      trees.push({ source, values });
    }
    return trees;
  });

/** Returns the values below an object; of an object without any, its own. */
async function readTree(session: Snmp.Session, oid: string, room: number, snmp: typeof Snmp) {
  const values = new Map<string, string>();
  // An agent may repeat an object for ever.
  let answered = 0;
  const keep = (one: Snmp.Varbind) => {
    if (values.size >= room || one.oid.length > OID_CHARACTERS || snmp.isVarbindError(one)) return;
    values.set(one.oid, snmpText(one));
  };
  await new Promise<void>((resolve, reject) => {
    const feed = (varbinds: readonly Snmp.Varbind[]) => {
      for (const one of varbinds) keep(one);
      answered += varbinds.length;
      // True ends the walk; the type knows no other answer.
      return (answered >= room) as true;
    };
    session.subtree(oid, ROWS, feed, (error: Error | null) => (error ? reject(error) : resolve()));
  });
  if (values.size > 0) return Object.fromEntries(values);
  return new Promise<Record<string, string>>((resolve, reject) => {
    session.get([oid], (error: Error | null, varbinds: readonly Snmp.Varbind[] = []) => {
      // Version 1 answers that there is no such object with an error.
      if (error !== null && !(error instanceof snmp.RequestFailedError)) return reject(error);
      for (const one of varbinds) keep(one);
      resolve(Object.fromEntries(values));
    });
  });
}
