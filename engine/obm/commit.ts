/** Resolves when it is saved that a command goes out now; rejects when it must not go out. */
export type Commit = () => Promise<void>;
