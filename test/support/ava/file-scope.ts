/** An owner for resources that all tests of a file share. */
import test from 'ava';
import { OwnScope, type Scope } from './scope.ts';

export function fileScope(): Scope {
  const scope = new OwnScope();
  test.after.always(() => scope.close());
  return scope;
}
