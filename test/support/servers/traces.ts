/** A receiver of spans by OTLP, and the SDK of the page for operators, which sends them there. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../../engine/vocabulary/package-path.ts';
import { folder } from '../ava/folder.ts';
import type { Scope } from '../ava/scope.ts';
import { blocksOf } from '../source/page-run.ts';
import { startReceiver } from './receiver.ts';

interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

interface Export {
  resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

/** The SDK sends each span after this time. */
const DELAY_MS = 50;

export async function startTracing(t: Scope) {
  const receiver = await startReceiver(t, () => 200);
  const home = folder(t);
  const [setup, variables] = blocksOf(readFileSync(packagePath('docs/operate/traces.md'), 'utf8')).map(
    ({ text }) => text,
  );
  const commands = `${setup}${variables}env`
    .replace(/^npm install .*$/m, `ln -s ${packagePath('node_modules')} node_modules`)
    .replaceAll('/etc/nodewright', home)
    .replaceAll('/opt/nodewright', packagePath('.'))
    .replace(/http:.*$/m, receiver.url);
  const { status, stdout, stderr } = spawnSync('bash', ['-euc', commands], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const set = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  const spans = () =>
    receiver.posted.all.flatMap(({ text }) =>
      (JSON.parse(text) as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  return {
    /** For the daemons. */
    env: {
      NODE_OPTIONS: set('NODE_OPTIONS'),
      OTEL_EXPORTER_OTLP_ENDPOINT: set('OTEL_EXPORTER_OTLP_ENDPOINT'),
      OTEL_BSP_SCHEDULE_DELAY: String(DELAY_MS),
    },
    spans,
    /** Resolves when spans with these names have arrived. */
    arrived: async (...names: string[]) =>
      void (await receiver.posted.until(() => names.every((name) => spans().some((span) => span.name === name)))),
  };
}
