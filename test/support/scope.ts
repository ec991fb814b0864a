/** Where what a test starts is put to be stopped: the test itself, or the whole file, for what serves all its tests. */
import test from 'ava';

export interface Scope {
  /** Called when the scope ends, the last first. */
  teardown(undo: () => unknown): void;
}

export function fileScope(): Scope {
  const undos: (() => unknown)[] = [];
  test.after.always(async () => {
    for (const undo of undos.reverse()) await undo();
  });
  return { teardown: (undo) => undos.push(undo) };
}
