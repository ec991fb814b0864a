/** `nw demo`: a daemon with forty simulated machines. */
import type { Command } from 'commander';
import { signalToStop } from '../on-signals.ts';

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
      await runDemo(data, SPEED, signalToStop());
    });
}
