/** A drawing, once it is laid out; and the same as a list, for those who do not see it. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { GraphLayout } from '../../../client/graph-layout.ts';
import { Problem } from '../problem.tsx';
import type { DrawingProps } from './drawing-props.ts';
import { DrawingWindow } from './drawing-window.tsx';
import { GraphOutline } from './graph-outline.tsx';
import { layoutKey, layoutOf } from './layout-worker.ts';
import { useRowWidth } from './use-row-width.ts';
import '../../styles/graph.css';

export function LaidOutDrawing(props: DrawingProps) {
  const { view, unfolded = [] } = props;
  const key = layoutKey(view, unfolded);
  const layout = useSignal<GraphLayout | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  const place = useRef<HTMLDivElement>(null);
  const width = useRowWidth(place);
  useEffect(() => {
    if (width === undefined) return;
    let isShown = true;
    problem.value = undefined;
    layoutOf(view, unfolded, width).then(
      (graphLayout) => {
        if (isShown) layout.value = graphLayout;
      },
      (error: unknown) => {
        if (isShown) [layout.value, problem.value] = [undefined, error];
      },
    );
    return () => {
      isShown = false;
    };
  }, [key, width]);
  return (
    <div class="drawing" ref={place}>
      {layout.value !== undefined && <DrawingWindow {...props} layout={layout.value} />}
      {layout.value === undefined && problem.value === undefined && <p class="quiet">Drawing the graph</p>}
      <Problem error={problem.value} />
      <GraphOutline {...props} isOpen={problem.value !== undefined} />
    </div>
  );
}
