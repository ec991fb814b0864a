/** This process under virtual time, and work that a daemon does in it. */
import { follow, followMachine } from '../../platform/lib/clock.ts';
import type { SeededRandom } from '../../platform/lib/seeded-random.ts';
import { HOUR_MS } from '../../vocabulary/units.ts';
import { MemoryNetwork } from './memory-network.ts';
import { stayOnThisThread } from './on-this-thread.ts';
import { VirtualTime } from './virtual-time.ts';

interface VirtualProcess {
  time: VirtualTime;
  network: MemoryNetwork;
}

/**
 * Until `use` has ended, the clock, the timers, the random numbers and the network of the process are virtual.
 * @param begin ms since 1970
 */
export async function inVirtualProcess<T>(
  begin: number,
  identity: SeededRandom,
  use: (process: VirtualProcess) => Promise<T>,
): Promise<T> {
  const [time, network] = [new VirtualTime(begin), new MemoryNetwork()];
  const restore = stayOnThisThread(identity);
  time.install();
  follow(begin);
  network.install();
  try {
    return await use({ time, network });
  } finally {
    network.uninstall();
    followMachine();
    time.uninstall();
    restore();
  }
}

/**
 * Work of a daemon, as of a request that has just arrived there.
 * @param daemon the owner of its timers @throws the error of the work
 */
export async function inDaemon<T>(time: VirtualTime, daemon: string, work: () => Promise<T>): Promise<T> {
  let end: Promise<T> | undefined;
  const begin = () => {
    const done = work();
    const settle = () => {
      end = done;
    };
    done.then(settle, settle);
  };
  time.add(0, begin, daemon);
  const last = time.now + HOUR_MS;
  await time.run(() => end !== undefined || time.now >= last);
  if (end === undefined) throw new Error(`${daemon} does not answer`);
  return end;
}
