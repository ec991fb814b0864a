/** Lines on a terminal that are replaced in place, by listr2. */
import { DefaultRenderer, figures, Listr, type ListrTaskWrapper, type SimpleRenderer } from 'listr2';

type Wrapper = ListrTaskWrapper<unknown, typeof DefaultRenderer, typeof SimpleRenderer>;

export interface LiveView {
  title: string;
  lines: readonly string[];
}

/** How it ends: the sign of the title. */
export type LiveEnd = 'succeeded' | 'failed' | 'continues';

export const icons = { done: figures.tick, failed: figures.cross, open: figures.pointerSmall, none: '·' };

/** Other lines of the terminal stay free for the title and for what was there before. */
const OTHER_LINES = 3;

/** ms; times advance without a change. */
const TICK_MS = 1_000;

/**
 * Shows a view until the work ends.
 * @param view called at least once a second
 * @param work calls `redraw` when the view has changed, and returns how it ends
 */
export async function showLive(view: () => LiveView, work: (changed: () => void) => Promise<LiveEnd>): Promise<void> {
  let failure: unknown;
  const task = async (_: unknown, wrapper: Wrapper): Promise<void> => {
    const redraw = () => show(wrapper, view());
    const timer = setInterval(redraw, TICK_MS);
    redraw();
    let end: LiveEnd = 'continues';
    try {
      end = await work(redraw);
    } catch (error) {
      failure = error;
    } finally {
      clearInterval(timer);
      redraw();
    }
    if (end === 'continues') wrapper.skip(wrapper.title);
    // Its renderer shows the sign of a failure for an error.
    if (end === 'failed') throw new Error(wrapper.title);
  };
  const list = new Listr(
    { title: view().title, task, rendererOptions: { outputBar: true, persistentOutput: true } },
    {
      renderer: DefaultRenderer,
      registerSignalListeners: false,
      exitOnError: false,
      rendererOptions: { formatOutput: 'truncate', icon: { OUTPUT: ' ' } },
    },
  );
  await list.run();
  if (failure !== undefined) throw failure;
}

function show(wrapper: Wrapper, { title, lines }: LiveView): void {
  const room = Math.max(1, (process.stdout.rows ?? 24) - OTHER_LINES);
  const hidden = lines.length > room ? [`... and ${lines.length - room + 1} more`] : [];
  wrapper.title = title;
  wrapper.output = [...lines.slice(0, hidden.length > 0 ? room - 1 : room), ...hidden].join('\n');
}
