/** The machines of graphs, for drawing. A version never changes, so each is read once. */
import type { MachineView } from '../../../engine/vocabulary/machine-shape.ts';
import { client } from './daemon-client.ts';

const CACHED_MACHINES = 50;
const machines = new Map<string, Promise<MachineView>>();

/** @param hash of a version @throws RequestError 404 for one that is gone */
export function machineOf(name: string, hash: string): Promise<MachineView> {
  const key = `${name} ${hash}`;
  const cachedMachine = machines.get(key);
  if (cachedMachine !== undefined) return cachedMachine;
  const [oldest] = machines.keys();
  if (machines.size >= CACHED_MACHINES && oldest !== undefined) machines.delete(oldest);
  const read = client.get('/workflows/graphs/:name/machine', { params: { name }, query: { hash } });
  const machine = read.then(({ body }) => body);
  machines.set(key, machine);
  machine.catch(() => machines.delete(key));
  return machine;
}
