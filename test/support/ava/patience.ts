/**
 * The limit of each wait of a test. It ends a wait that will never be over, and judges no speed: a wait that is over
 * in time costs nothing, so the limit is generous, and grows with the load of the machine.
 */
import { availableParallelism, loadavg } from 'node:os';

/** On a machine with nothing else to do, which runs six to eight files of tests at a time. */
const BASE_MS = 120_000;
const MOST = 4;

/** How many times slower than `test/run.mjs` expects this machine was when the run began. */
const { NODEWRIGHT_TEST_SLOWNESS: slowness = '1' } = process.env;
const load = loadavg()[0]! / availableParallelism() / 2;

/** How many times slower this machine may be than a quiet one: also for limits that the product promises on that. */
export const SLOWER = Math.min(MOST, Math.max(1, Number(slowness), load));

/** ms */
export const WAIT_MS = Math.round(BASE_MS * SLOWER);
