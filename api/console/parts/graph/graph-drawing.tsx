/** A graph as a drawing. The code for it is loaded when the first one is shown. */
import { lazy } from 'preact-iso';

export type { PickedItem } from './drawn-items.ts';

export const GraphDrawing = lazy(() => import('./laid-out-drawing.tsx').then(({ LaidOutDrawing }) => LaidOutDrawing));
