/** A record for people: simple values as rows, and what is nested as a tree that unfolds. */
import { Fact } from './fact.tsx';
import { inShort } from './in-short.ts';
import { JsonTree } from './json-tree.tsx';
import { partedEntries, wordsOfName } from './parted-entries.ts';

interface ValueRowsProps {
  /** Absent: it is below another one. */
  title?: string;
  /** Without content nothing is shown. */
  value: unknown;
}

export function ValueRows({ title, value }: ValueRowsProps) {
  const { simple, nested } = partedEntries(value);
  if (simple.length + nested.length === 0) return null;
  return (
    <section aria-label={title}>
      {title !== undefined && <h3>{title}</h3>}
      {simple.length > 0 && (
        <dl class="facts rows">
          {simple.map(([name, text]) => (
            <Fact key={name} name={wordsOfName(name)} isLong>
              {inShort(text)}
            </Fact>
          ))}
        </dl>
      )}
      {nested.map(([name, inner]) => (
        <details key={name}>
          <summary>{wordsOfName(name)}</summary>
          <JsonTree label={title === undefined ? name : `${title}: ${name}`} value={inner} />
        </details>
      ))}
    </section>
  );
}
