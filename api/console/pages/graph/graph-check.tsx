/** The findings of the daemon when it explores the graph. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { GraphFindings } from '../../parts/graph-findings.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

export function GraphCheck({ name }: { name: string }) {
  const live = useLive(
    `check ${name}`,
    async () => (await client.post('/workflows/graphs/:name/check', { params: { name } })).body,
  );
  return <LiveContent live={live}>{(findings) => <GraphFindings findings={findings} />}</LiveContent>;
}
