import test from 'ava';
import { type LeaseRecord, Leases } from '../../../../engine/platform/cluster/leases.ts';
import { fieldConformance, fieldOn, leaseConformance } from '../../../conformance/leases.ts';
import { reconcilerConformance } from '../../../conformance/reconcilers.ts';
import { embeddedStore } from '../../../support/engine/stores.ts';

const store = embeddedStore(test);
leaseConformance(test.serial, 'a field of a document', fieldOn(store));
fieldConformance(test.serial, store);
reconcilerConformance(test.serial, store);

test('periodic passes ask who holds their lease once while another process is heard, and take it from a silent one', async (t) => {
  const { record, questions, hold } = countedRecord('b 1');
  const silent = new Set<string>();
  const isHeard = async (id: string) => !silent.has(id);
  const leases = new Leases(() => record, 'a', { isHeard, isAlive: isHeard });
  for (let passes = 0; passes < 5; passes += 1) t.is(await leases.acquireForPasses('x'), undefined);
  t.is(questions(), 1);
  silent.add('b');
  hold(null);
  t.is(await leases.acquireForPasses('x'), undefined, 'the lease has changed since');
  t.not(await leases.acquireForPasses('x'), undefined);
});

test('periodic passes do not ask for a lease that a heartbeat has just confirmed, and learn that it is lost', async (t) => {
  const { record, questions, hold } = countedRecord(null);
  let heldHere: string | undefined;
  const isHeard = async () => true;
  const leases = new Leases(() => record, 'a', { isHeard, isAlive: isHeard, heldHere: () => heldHere });
  const lease = await leases.acquireForPasses('x');
  heldHere = (await record.holder()) ?? undefined;
  const before = questions();
  t.true(await lease?.renew());
  t.is(questions(), before);
  hold('b 2');
  heldHere = undefined;
  t.false(await lease?.renew());
  t.true(lease?.signal.aborted);
});

/** A record in memory that counts how often it is asked. */
function countedRecord(first: string | null) {
  let [holder, asked] = [first, 0];
  const record: LeaseRecord = {
    async holder() {
      asked += 1;
      return holder;
    },
    async change(from, to) {
      if (holder !== from) return false;
      holder = to;
      return true;
    },
  };
  const hold = (next: string | null) => {
    holder = next;
  };
  return { record, questions: () => asked, hold };
}
