/** The difference of two versions, line by line, as `nw graph diff` has it. */
import { graphDifference } from '../../../client/graph-difference.ts';
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { LiveContent } from '../../parts/live-content.tsx';

/** Lines that are shown. */
const LINES = 2_000;

interface VersionDifferenceProps {
  name: string;
  old: string;
  new: string;
}

export function VersionDifference({ name, old, new: newer }: VersionDifferenceProps) {
  const live = useLive(`difference ${name} ${old} ${newer}`, () => graphDifference(client, name, { old, new: newer }));
  return (
    <>
      <h2>
        From {old.slice(0, 12)} to {newer.slice(0, 12)}
      </h2>
      <LiveContent live={live}>
        {({ patch, isSameText }) =>
          isSameText ? (
            <p>Only code differs: tasks, actions or guards. Compare the files of the graph.</p>
          ) : (
            <PatchLines lines={patch.split('\n').slice(4)} />
          )
        }
      </LiveContent>
    </>
  );
}

const kinds: Record<string, string> = { '+': 'added', '-': 'removed', '@': 'place' };

const PatchLines = ({ lines }: { lines: readonly string[] }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys. */}
    <section class="patch" aria-label="Difference" tabIndex={0}>
      {lines.slice(0, LINES).map((line, at) => (
        <div key={at} class={kinds[line[0] ?? ''] ?? ''}>
          {line}
        </div>
      ))}
    </section>
    {lines.length > LINES && <p class="quiet">The first {LINES} lines; nw graph diff shows all.</p>}
  </>
);
