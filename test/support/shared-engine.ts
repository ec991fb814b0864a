/** One engine for all tests of a file: opened by the first that needs it, closed after the last. */
import type { ConfigFile } from '../../engine/config/config.ts';
import { openEngine, type TestEngine } from './engine.ts';
import { fileScope } from './file-scope.ts';

export function sharedEngine(config: ConfigFile = {}): () => Promise<TestEngine> {
  const file = fileScope();
  let opened: Promise<TestEngine> | undefined;
  const open = async () => {
    const it = await openEngine(config);
    file.teardown(() => it.close());
    return it;
  };
  return () => {
    opened ??= open();
    return opened;
  };
}
