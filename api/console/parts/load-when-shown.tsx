/**
 * Parts whose code is loaded when they are first shown. A browser remembers a failed load, and a daemon of another version has
 * other files: so a part that could not be loaded says so, and loads the whole page again as soon as the daemon answers.
 */
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { connection } from '../data/live.ts';
import { RepeatedCall } from '../data/repeated-call.ts';
import { isTyping } from './is-typing.ts';

/** ms between two looks whether the daemon answers. */
const DAEMON_LOOK_MS = 2_000;
/** ms since the page was loaded, before it is loaded again: a file that is always missing must not make that a loop. */
const LOAD_AGAIN_MS = 10_000;

/** @param missing instead of the part, while it cannot be loaded */
export const loadWhenShown = <Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  missing: FunctionComponent = NotLoaded,
): FunctionComponent<Props> => lazy(() => load().catch(() => missing as FunctionComponent<Props>));

export function NotLoaded() {
  useEffect(() => {
    const reading = new RepeatedCall(loadAgain, DAEMON_LOOK_MS);
    reading.now();
    return () => reading.stop();
  }, []);
  return (
    <div class="problem" role="alert">
      <p>
        This could not be loaded
        {connection.value === 'away' && ', because the daemon does not answer'}. It is loaded again when the daemon
        answers.
      </p>
    </div>
  );
}

async function loadAgain(): Promise<void> {
  const isThere = await client.get('/login/user').then(
    () => true,
    () => false,
  );
  if (isThere && performance.now() > LOAD_AGAIN_MS && !isTyping(document.activeElement)) location.reload();
}
