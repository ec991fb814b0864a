/** `nw demo`: a daemon with forty simulated machines. */
import type { Command } from 'commander';

interface DemoOptions {
  data: string;
}

/** An hour of the field is a minute. */
const SPEED = 60;

export function addDemoCommand(root: Command): void {
  root
    .command('demo')
    .description('runs a daemon and forty simulated machines at work, to look at and to try')
    .option('--data <folder>', 'files of the demo, kept over restarts', './demo-data')
    .action(async ({ data }: DemoOptions) => {
      const { runDemo } = await import('../demo/run-demo.ts');
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));
      await runDemo(data, SPEED, stop.signal);
    });
}
