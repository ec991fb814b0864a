/** A graph as a drawing. The code for it is loaded when the first one is shown. */
import { loadWhenShown } from '../load-when-shown.tsx';

export type { PickedItem } from './drawn-items.ts';

export const GraphDrawing = loadWhenShown(() =>
  import('./laid-out-drawing.tsx').then(({ LaidOutDrawing }) => LaidOutDrawing),
);
