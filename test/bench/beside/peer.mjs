/**
 * One engine of the peers' bench, with its servers, in a process of its own that stays warm. Reads a command a line from
 * stdin, and answers a line of JSON: `{ stepsPerSec, cpuSec: { client, server } }` for a round, `{ ms }` for one workflow.
 * Ends, with its servers, when stdin does. The folder is a copy of that bench.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, file, variant, server] = process.argv.slice(2);
const load = (path) => import(join(folder, path));
const { startServer, PORTS } = await load('lib/servers.mjs');
const { cpuMs } = await load('lib/util.mjs');
const { default: make } = await load(`peers/${file}.mjs`);

const STEPS = 5;
const SETTLE_MS = 1_000;
const started = await startServer(server);
const peer = await make(variant).open({
  step: () => {},
  tag: process.pid.toString(36),
  C: 100,
  S: STEPS,
  pgUrl: started.url,
  ingressPort: PORTS.restateIngress,
  adminPort: PORTS.restateAdmin,
  svcPort: PORTS.restateSvc,
});
let count = 0;
const once = () => peer.run(`w${process.pid.toString(36)}x${(count++).toString(36)}`, STEPS);

const commands = {
  async round(runs, inFlight) {
    const [own, servers] = [process.cpuUsage(), cpuMs(started.pids)];
    const start = performance.now();
    let remaining = runs;
    const lane = async () => {
      while (remaining-- > 0) await once();
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    const seconds = (performance.now() - start) / 1_000;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const { user, system } = process.cpuUsage(own);
    const steps = runs * STEPS;
    const cpuSec = { client: (user + system) / 1_000 / steps, server: (cpuMs(started.pids) - servers) / steps };
    return { stepsPerSec: steps / seconds, cpuSec };
  },
  async idle() {
    const start = performance.now();
    await once();
    return { ms: performance.now() - start };
  },
};

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...numbers] = line.split(' ');
  say(await commands[command](...numbers.map(Number)));
}
await started.stop();
process.exit(0);
