import test from 'ava';
import { openDocumentState } from '../../../../engine/durable/live/documents.ts';
import type { LiveState } from '../../../../engine/durable/live/port.ts';
import { liveConformance } from '../../../conformance/live.ts';
import { MemoryStore } from '../../../support/engine/memory-store.ts';

let state: LiveState;
test.before(async () => {
  state = await openDocumentState(new MemoryStore());
});

liveConformance(test, () => state.workflows);
