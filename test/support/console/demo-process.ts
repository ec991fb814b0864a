/** `nw demo` as a process, and its daemon as its user sees it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import type { Scope } from '../ava/scope.ts';
import { Hearing } from '../servers/hearing.ts';

export interface DemoProcess {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** All that it printed. */
  readonly text: string;
  readonly token: string;
  get<T>(path: string): Promise<T>;
  /** Resolves when the process has ended. @returns its exit code; null: the signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Started with the commands of the page, on this folder; killed when its owner ends. */
export async function startDemo(t: Scope, data: string): Promise<DemoProcess> {
  const child = spawn(process.execPath, [packagePath('dist/nw.mjs'), 'demo', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => end(child, 'SIGKILL'));
  const heard = new Hearing<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => heard.add(text));
  const text = (await heard.until((all) => all.join('').includes('machines, seed'))).join('');
  const shown = (name: string) => new RegExp(`${name} +(\\S+)`).exec(text)?.[1] ?? '';
  const url = shown('Console').replace(/\/ui$/, '');
  const token = readFileSync(join(data, 'token'), 'utf8').trim();
  return {
    url,
    user: shown('User'),
    password: shown('Password'),
    text,
    token,
    async get<T>(path: string) {
      const answer = await fetch(`${url}/api/current${path}`, { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json()) as T;
    },
    end: (signal) => end(child, signal),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}

interface DemoWorkflow {
  id: string;
  node: string;
  injectableName: string;
  status: string;
  error: { code: string } | null;
  waiting?: boolean;
}

export interface DemoState {
  /** Machines that are discovered and classified. */
  classified: number;
  /** The newest workflow of a machine, without that of its discovery, or of a graph. */
  workflowOf(machine: string, graph?: string): DemoWorkflow | undefined;
  /** Ids by the names of the machines. */
  nodes: ReadonlyMap<string, string>;
}

/** The state of the demo, as the daemon has it. */
export async function demoState(demo: DemoProcess): Promise<DemoState> {
  const nodes = await demo.get<{ id: string; name: string; sku: string | null }[]>('/nodes?type=compute&$top=1000');
  const workflows = await demo.get<DemoWorkflow[]>('/workflows?$top=1000&sort=-createdAt');
  const ids = new Map(nodes.map(({ id, name }) => [name, id]));
  return {
    classified: nodes.filter(({ sku }) => sku !== null).length,
    nodes: ids,
    workflowOf: (machine, graph) =>
      workflows
        .filter(({ node }) => node === ids.get(machine))
        .find(({ injectableName }) => injectableName === (graph ?? injectableName) && injectableName !== DISCOVERY),
  };
}

/** Whether everything has happened that the page says. */
export function isDemoComplete({ classified, workflowOf }: DemoState): boolean {
  const [erased, installed, stuck, failed] = ['r01s01', 'r01s02', 'r01s03', 'r01s04'].map((name) => workflowOf(name));
  const commissioned = workflowOf('r01s05', 'Graph.Node.Commission');
  const haveSucceeded = [erased, installed, commissioned].every((workflow) => workflow?.status === 'succeeded');
  const hasEnded = haveSucceeded && failed?.status === 'failed';
  return classified === MACHINES && hasEnded && stuck !== undefined;
}

const DISCOVERY = 'Graph.SKU.Discovery';
const MACHINES = 40;
