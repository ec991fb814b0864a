/** An error as the daemon words it: the sentence, its code, and each violation with its path. */
import { RequestError } from '../data/request-error.ts';
import { CopyableText } from './copyable.tsx';
import { Sentence } from './sentence.tsx';

export function Problem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const requestError = error instanceof RequestError ? error : new RequestError(0, { message: String(error) });
  const { message, code, violations, requestId } = requestError;
  return (
    <div class="problem" role="alert">
      <p>
        <Sentence text={message} /> {code !== undefined && <code>{code}</code>}
      </p>
      {violations.length > 0 && (
        <ul>
          {violations.map(({ path, message: text }) => (
            <li key={`${path} ${text}`}>
              {path !== '' && <code>{path}</code>} <Sentence text={text} />
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p class="quiet">
          Request <CopyableText text={requestId} /> in the log of the daemon
        </p>
      )}
    </div>
  );
}
