/** The signals that end a command: SIGINT, as of Ctrl-C, and SIGTERM. */

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The second signal ends the process. @returns ends it: the first one does so, too */
export function onSignals(stop: () => void): () => void {
  const off = () => {
    for (const signal of signals) process.off(signal, first);
  };
  const first = () => {
    off();
    stop();
  };
  for (const signal of signals) process.on(signal, first);
  return off;
}

/** Returns a signal for work that ends by itself when it is aborted. */
export function signalToStop(): AbortSignal {
  const stop = new AbortController();
  onSignals(() => stop.abort(new Error('interrupted')));
  return stop.signal;
}
