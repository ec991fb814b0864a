/** The lines of a machine's console, and the state of its capture. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FollowedLine } from '../../client/follow-events.ts';
import type { ConsoleCapture } from '../data/captured-console.ts';
import { Ago } from './time.tsx';

export function CaptureState({ capture: { state, since, error } }: { capture: ConsoleCapture }) {
  return (
    <>
      {state}
      {since !== null && (
        <>
          ; that began <Ago at={since} />
        </>
      )}
      {error !== null && `: ${error}`}
    </>
  );
}

/** Text only. New lines are in view unless the user has scrolled back. */
export function ConsoleLines({ lines }: { lines: readonly FollowedLine[] }) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const noteScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - 20;
  };
  if (lines.length === 0) return <p class="quiet">The machine has written nothing yet.</p>;
  return (
    <section aria-label="Lines of the console">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys */}
      <pre class="machine-console" ref={box} onScroll={noteScroll} tabIndex={0}>
        {lines.map(({ seq, at, text, kind }) => (
          <span key={seq} class={kind === 'note' ? 'quiet' : undefined} title={at}>
            {kind === 'note' ? `-- ${text}` : text}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}
