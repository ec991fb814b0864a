/** Resources for all tests of a file: made when the first test needs them, ended after the last. */
import type { ConfigFile } from '../../../engine/platform/config/config.ts';
import { fileScope } from '../ava/file-scope.ts';
import type { Scope } from '../ava/scope.ts';
import { openEngine, type TestEngine } from '../engine/engine.ts';

/** @param make called once, with the owner of what it makes */
export function shared<T>(make: (file: Scope) => Promise<T>): () => Promise<T> {
  const file = fileScope();
  let made: Promise<T> | undefined;
  return () => {
    made ??= make(file);
    return made;
  };
}

export const sharedEngine = (config: ConfigFile = {}): (() => Promise<TestEngine>) =>
  shared(async (file) => {
    const it = await openEngine(config);
    file.teardown(() => it.close());
    return it;
  });
