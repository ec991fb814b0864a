/** Definitions that could not be loaded: the daemon serves their last good versions, if there are any. */
import { client } from '../../data/daemon-client.ts';
import { useLive } from '../../data/live.ts';
import { Time } from '../../parts/time.tsx';

interface LoadError {
  file: string;
  found: string;
  expected: string;
  message: string;
  at: string;
}

export function LoadErrors() {
  const { value } = useLive(
    'load errors',
    async () => (await client.get('/workflows/graphs', { query: { errors: true } })).body as unknown as LoadError[],
  );
  const errors = value.value ?? [];
  if (errors.length === 0) return null;
  return (
    <section class="problem" aria-label="Definitions that could not be loaded">
      <h2>{errors.length === 1 ? 'One definition' : `${errors.length} definitions`} could not be loaded</h2>
      <ul>
        {errors.map(({ file, message, at }) => (
          <li key={`${file} ${message}`}>
            <code>{file}</code> {message}{' '}
            <span class="quiet">
              since <Time at={at} />
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet">The last good version of each, if there is one, stays in use.</p>
    </section>
  );
}
