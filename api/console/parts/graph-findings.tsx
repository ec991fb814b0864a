/** Findings about a graph: errors with their places, warnings with their codes, and what was explored. */
import { warningNotes } from '../../../engine/vocabulary/warning-codes.ts';
import type { PostAnswer } from '../../client/requests.ts';

export type ShownGraphFindings = PostAnswer<'/workflows/graphs/check'>;

export function GraphFindings({ findings }: { findings: ShownGraphFindings }) {
  const { ok, errors, warnings, explored } = findings;
  return (
    <div class="findings">
      <p role="status" class={`tone ${ok ? 'succeeded' : 'failed'}`}>
        {ok ? 'The graph is accepted.' : 'The graph is rejected.'}
      </p>
      {errors.length > 0 && (
        <ul aria-label="Errors">
          {errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {explored !== null && (
        <p>
          {explored.configurations} configurations were explored: {explored.ends} ends, {explored.succeeded} succeeded
          and {explored.failed} failed.
        </p>
      )}
      {warnings.length > 0 && (
        <ul aria-label="Warnings">
          {warnings.map(({ code, message }) => (
            <li key={`${code} ${message}`}>
              {message} <code>{code}</code>
              {warningNotes.includes(code) && <span class="quiet"> (a note)</span>}
            </li>
          ))}
        </ul>
      )}
      {ok && warnings.length === 0 && <p class="quiet">Every path can end, and every state and label is reached.</p>}
    </div>
  );
}
