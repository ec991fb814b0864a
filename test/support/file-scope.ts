/** For what serves all tests of a file. */
import test from 'ava';
import { OwnScope, type Scope } from './scope.ts';

export function fileScope(): Scope {
  const scope = new OwnScope();
  test.after.always(() => scope.close());
  return scope;
}
