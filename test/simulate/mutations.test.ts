/** Each fault that is put into the engine on purpose is found, by the rule that it breaks. */
import test from 'ava';
import { drawn } from '../drawn.mjs';
import { WAIT_MS } from '../support/ava/patience.ts';
import { findMutation } from './find-mutation.ts';
import { mutations } from './mutations.ts';
import { rules } from './oracle-rules.ts';

// Each takes some seconds.
for (const mutation of drawn(mutations, 1 / 3)) {
  test.serial(`${mutation.name} is found: ${rules[mutation.rule]}`, async (t) => {
    const { violation } = await findMutation(mutation, Math.max(60, WAIT_MS / 1_000));
    t.is(violation?.rule, mutation.rule, violation?.found);
  });
}
