/** A receiver of spans by OTLP, and the ways in which a daemon sends them there: by its key, or by the SDK of the page. */
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

export async function startTracing(t: Scope, by: 'key' | 'own SDK' = 'key') {
  const receiver = await startReceiver(t, () => 200);
  const delay = { OTEL_BSP_SCHEDULE_DELAY: String(DELAY_MS) };
  const spans = () =>
    receiver.posted.all.flatMap(({ text }) =>
      (JSON.parse(text) as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  return {
    /** For the daemons. */
    env: by === 'key' ? delay : { ...delay, ...variablesOfPage(t, receiver.url) },
    config: by === 'key' ? { otlp: receiver.url } : {},
    spans,
    /** Resolves when spans with these names have arrived. */
    arrived: async (...names: string[]) =>
      void (await receiver.posted.until(() => names.every((name) => spans().some((span) => span.name === name)))),
  };
}

/** Follows the page for an SDK of one's own. */
function variablesOfPage(t: Scope, url: string) {
  const home = folder(t);
  const [setup, variables] = blocksOf(readFileSync(packagePath('docs/operate/traces.md'), 'utf8'))
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);
  const commands = `${setup}${variables}env`
    .replace(/^npm install .*$/m, `ln -s ${packagePath('node_modules')} node_modules`)
    .replaceAll('/etc/nodewright', home)
    .replaceAll('/opt/nodewright', packagePath('.'))
    .replace(/http:.*$/m, url);
  const { status, stdout, stderr } = spawnSync('bash', ['-euc', commands], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const set = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  return { NODE_OPTIONS: set('NODE_OPTIONS'), OTEL_EXPORTER_OTLP_ENDPOINT: set('OTEL_EXPORTER_OTLP_ENDPOINT') };
}
