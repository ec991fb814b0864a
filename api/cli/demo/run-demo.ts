/**
 * `nw demo`: a daemon on an empty folder, and a twin of forty machines in two racks, of which some are at work. A second start on
 * the folder continues it, with the same user and password.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { shippedModels } from '../../../engine/hardware/twin/read-model.ts';
import { messageOf } from '../../../engine/vocabulary/thrown-values.ts';
import { Client } from '../client.ts';
import { isOnPath } from '../on-path.ts';
import { inform, printableText, say } from '../terminal.ts';
import { lockFolder } from '../twin/lock-folder.ts';
import { runTwin } from '../twin/run-twin.ts';
import { openAccess } from './demo-access.ts';
import { nextFreePort, startDemoDaemon } from './demo-daemon.ts';
import { createSkus, demoFaults, storeImage } from './demo-site.ts';
import { launchStory } from './demo-story.ts';

const [MACHINES, SEED, BMC_PORT] = [40, 1, 8_000];
/** The address of the first machine's BMC. */
const FIRST_BMC = '127.1.1.1';

/** @throws CommandError */
export async function runDemo(data: string, speed: number, signal: AbortSignal): Promise<void> {
  const folder = resolve(data);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder('demo', folder);
  try {
    await runLocked(folder, speed, signal);
  } finally {
    lock.release();
  }
}

async function runLocked(folder: string, speed: number, signal: AbortSignal): Promise<void> {
  inform('Starting a daemon ...');
  const daemon = await startDemoDaemon(folder, signal);
  const stop = new AbortController();
  const end = () => stop.abort(new Error('the demo ends'));
  signal.addEventListener('abort', end, { once: true });
  void daemon.ended.then(end);
  try {
    const { user, password, token, tokenFile } = await openAccess(folder, daemon.url);
    const client = new Client({ url: daemon.url, token, ca: undefined });
    try {
      await createSkus(client);
      await storeImage(client);
      for (const line of greeting({ url: daemon.url, user, password, tokenFile })) say(line);
      const story = launchStory(client, daemon.south, stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) inform(printableText(`the demo could not launch its work: ${messageOf(error)}`));
      });
      const bmcPort = await nextFreePort(BMC_PORT, FIRST_BMC);
      await runTwin(twinPlan(join(folder, 'twin'), speed, daemon.south, bmcPort), client, stop.signal);
      await story;
    } finally {
      await client.close();
    }
  } finally {
    end();
    await daemon.stop();
  }
}

const twinPlan = (data: string, speed: number, south: string, bmcPort: number) => ({
  data,
  nodes: MACHINES,
  seed: SEED,
  ipmi: 0,
  models: [...shippedModels().values()],
  faults: demoFaults,
  speed,
  startsOn: true,
  racks: true,
  besideOthers: true,
  anyAddress: false,
  bmcPort,
  south,
});

interface Greeting {
  url: string;
  user: string;
  password: string;
  tokenFile: string;
}

/** In a checkout only npx finds it. */
const nw = process.env.npm_execpath === undefined && isOnPath('nw') ? 'nw' : 'npx nw';

const greeting = ({ url, user, password, tokenFile }: Greeting): string[] => [
  '',
  `  Console    ${url}/ui`,
  `  User       ${user}`,
  `  Password   ${password}`,
  '',
  '  Forty machines in two racks start, and are discovered. Within two minutes:',
  '    r01s01   its first drive is erased, with a certificate',
  '    r01s02   Ubuntu is installed',
  '    r01s03   waits: its BMC does not answer, and its circuit is open',
  '    r01s04   failed: its BMC rejected an update; a retry succeeds',
  '    r01s05   is commissioned: account, baseline, burn-in, Ubuntu',
  '    r02      gets firmware by a rollout, two machines at a time',
  '',
  '  Try in another terminal:',
  `    export NW_URL=${url} NW_TOKEN=$(cat ${tokenFile})`,
  `    ${nw} why r01s03`,
  `    ${nw} retry r01s04 --acknowledge update --watch`,
  `    ${nw} ps`,
  `    ${nw} run Graph.PowerOff.Node r01s10 --watch`,
  '',
  '  Ctrl-C ends it; the same command continues it.',
  '',
];
