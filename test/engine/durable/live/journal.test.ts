import test from 'ava';
import { openJournalState } from '../../../../engine/durable/live/journal-state.ts';
import type { LiveState } from '../../../../engine/durable/live/port.ts';
import { openEmbeddedStore } from '../../../../engine/platform/store/embedded.ts';
import { liveConformance } from '../../../conformance/live.ts';
import { pairsConformance } from '../../../conformance/pairs.ts';
import { folder } from '../../../support/ava/folder.ts';
import { OwnScope, type Scope } from '../../../support/ava/scope.ts';

async function openState(t: Scope) {
  const store = await openEmbeddedStore({ dataDir: folder(t) });
  t.teardown(() => store.close());
  const state = await openJournalState(store, (what, error) => {
    throw new Error(what, { cause: error });
  });
  t.teardown(() => state.close());
  return { store, state };
}

const scope = new OwnScope();
let shared: LiveState;
test.before(async () => {
  shared = (await openState(scope)).state;
});
test.after.always(() => scope.close());

liveConformance(test, () => shared.workflows);
pairsConformance(test, () => shared);
