/** The drawing of a graph. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { GraphDrawing } from '../../parts/graph/graph-drawing.tsx';
import { LiveContent } from '../../parts/live-content.tsx';

/** @param hash of a version; undefined: the current one */
export function DrawnDefinition({ name, hash }: { name: string; hash: string | undefined }) {
  const live = useLive(
    `machine ${name} ${hash}`,
    async () => (await client.get('/workflows/graphs/:name/machine', { params: { name }, query: { hash } })).body,
  );
  return <LiveContent live={live}>{(view) => <GraphDrawing view={view as never} />}</LiveContent>;
}
