/** Resolves once it is saved that a command is being sent; rejects if it must not be sent. */
export type Commit = () => Promise<void>;
