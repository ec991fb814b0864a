/**
 * Restate and nodewright on services in one run, in alternation. Restate is measured by the bench of the peers, which is
 * a project of its own: `BENCH_PEERS`, by default `../shared/peers-bench`, relative to this project. It is copied, and
 * its packages are installed into the copy.
 *
 * 1. Both do the same work: 1,000 workflows of five tasks that do nothing, each step saved before the next one, 100 in
 *    flight, after 200 to warm up; in a new process, with new servers.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../engine/vocabulary/package-path.ts';
import { hear } from './broker.ts';
import { startDaemon } from './daemon.ts';
import { driver } from './driver.ts';
import { type Figure, least, median, Skipped } from './figure.ts';
import { chainFolder } from './ours.ts';
import { cpu, ROUNDS, type Round, rate, ratio, round } from './rounds.ts';
import { type Services, withServices } from './services.ts';
import { Watch } from './watch.ts';

const FOLDER = resolve(packageRoot, process.env.BENCH_PEERS ?? '../shared/peers-bench');
const RESTATE = ['--reps', '1', '--only', 'restate-workflow/4p', '--cells', 'b1000'];
const WARM_UP = 200;
const RUNS = 1_000;
const TIMEOUT_MS = 300_000;

export const peers: Figure = async (place) => {
  if (!existsSync(join(FOLDER, 'run.mjs'))) {
    throw new Skipped("the peers' bench is not beside the project; name its folder in BENCH_PEERS");
  }
  const folder = join(place.folder('peers'), 'bench');
  spawnSync('cp', ['-r', '--no-preserve=mode', FOLDER, folder]);
  await run('npm', ['ci', '--ignore-scripts'], folder);
  const [restate, inProcess, http]: [Round[], Round[], Round[]] = [[], [], []];
  for (let at = 0; at < ROUNDS; at++) {
    restate.push(await restateRound(folder, at));
    const own = place.folder(`peers-${at}`);
    inProcess.push(await withServices((services) => inProcessRound(services, join(own, 'engine'))));
    http.push(await withServices((services) => httpRound(services, join(own, 'daemon'))));
  }
  const throughput = ({ stepsPerSec }: Round) => stepsPerSec;
  const names = (rounds: readonly Round[]) => Object.keys(rounds[0]?.cpuSec ?? {});
  return [
    rate('AOF always: nodewright, in process', inProcess),
    rate('AOF always: nodewright, over HTTP', http),
    rate('Restate, 4 partitions', restate),
    cpu('AOF always: nodewright, all processes', inProcess, names(inProcess)),
    cpu('Restate, all processes', restate, names(restate)),
    ratio('AOF always: beside Restate, in process', [inProcess, restate], throughput, least(1.5)),
    {
      name: 'AOF always: beside Restate, over HTTP',
      value: median(http.map((our, at) => throughput(our) / throughput(restate[at] as Round))),
      unit: 'x',
    },
  ];
};

interface Cell {
  failed?: boolean;
  err?: string;
  r?: { stepsPerS: number; stepCountMismatch?: object; cpu: { clientMsPerStep: number; serverMsPerStep: number } };
}

async function restateRound(folder: string, at: number): Promise<Round> {
  const out = join('results', `restate-${at}.jsonl`);
  await run(process.execPath, ['run.mjs', ...RESTATE, '--out', out], folder);
  const { r, err } = JSON.parse(readFileSync(join(folder, out), 'utf8')) as Cell;
  if (r === undefined || r.stepCountMismatch !== undefined)
    throw new Error(`Restate's cell failed: ${err ?? 'steps are missing'}`);
  return { stepsPerSec: r.stepsPerS, cpuSec: { client: r.cpu.clientMsPerStep, server: r.cpu.serverMsPerStep } };
}

/** A new process, as for Restate. */
async function inProcessRound({ config, pids }: Services, folder: string): Promise<Round> {
  mkdirSync(folder, { recursive: true });
  const task = JSON.stringify({ folder, config, pids, warmUp: WARM_UP, runs: RUNS });
  const output = await run(process.execPath, ['--import=tsx', 'test/bench/peer-cell.ts', task], packageRoot);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Round;
}

async function httpRound({ config, clocks }: Services, folder: string): Promise<Round> {
  const hearing = await hear(config.amqp, 'graph.finished.#');
  const daemon = await startDaemon(folder, 100, { ...config, graphs: [chainFolder(folder)] });
  try {
    const drive = await driver(new Watch(hearing), daemon);
    const side = drive({ daemon }, clocks);
    await round({ ...side, runs: WARM_UP });
    return await round({ ...side, runs: RUNS });
  } finally {
    await daemon.stop();
    await hearing.close();
  }
}

/** Returns its output; ends it with all its servers when it takes too long or the bench ends. */
async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(end, TIMEOUT_MS);
  process.once('exit', end);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((done, failed) => child.once('error', failed).once('close', done));
  clearTimeout(timer);
  process.off('exit', end);
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}: ${output.slice(-1_000)}`);
  return output;
}
