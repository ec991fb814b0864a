/** Loops until it fails, with one activity per round: always busy, at whatever moment its daemon is killed. */
import { defineGraph, FAILED } from '../../../engine/define/index.ts';
import noop from '../../../tasks/noop.ts';

const { createMachine } = defineGraph({
  injectableName: 'Graph.Bench.Rounds',
  friendlyName: 'Round and round',
  tasks: { act: noop },
  options: { act: { delay: 300 } },
});

export default createMachine({
  id: 'Graph.Bench.Rounds',
  initial: 'acting',
  states: {
    acting: { invoke: { src: 'act', onDone: { target: 'acting', reenter: true }, onError: 'failed' } },
    failed: { type: 'final', tags: [FAILED] },
  },
});
