/** Definitions that could not be loaded, and what the daemon serves of them. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { GraphLink } from '../../parts/links.tsx';
import { Time } from '../../parts/time.tsx';

interface LoadError {
  file: string;
  found: string;
  expected: string;
  message: string;
  at: string;
  served: string | null;
}

export function LoadErrors() {
  const { value } = useLive(
    'load errors',
    async () => (await client.get('/workflows/graphs', { query: { errors: true } })).body as LoadError[],
  );
  const errors = value.value ?? [];
  if (errors.length === 0) return null;
  return (
    <section class="problem" aria-label="Definitions that could not be loaded">
      <h2>{errors.length === 1 ? 'One definition' : `${errors.length} definitions`} could not be loaded</h2>
      <ul>
        {errors.map(({ file, message, at, served }) => (
          <li key={`${file} ${message}`}>
            <code>{file}</code> {message}{' '}
            <span class="quiet">
              since <Time at={at} />; <ServedVersion name={served} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ServedVersion({ name }: { name: string | null }) {
  if (name === null) return <>no version of it is served</>;
  return <>the last good version of {name.startsWith('Graph.') ? <GraphLink name={name} /> : name} is served</>;
}
