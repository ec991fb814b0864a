/**
 * Chooses, for a value that fits none of several schemas, the errors of the schema that it comes nearest to: a value that is too
 * large in a field of one kind is not reported as a missing field of another kind.
 */
import type { ErrorObject } from 'ajv';
import { groupBy } from '../lib/group-by.ts';

/** A value of another shape, such as an object of another kind, is farther away than any number of wrong values. */
const OTHER_SHAPE = 1_000;
const ofShape: ReadonlySet<string> = new Set(['required', 'additionalProperties', 'type']);

/** @param errors all of them in Ajv's order: those of the schemas of an `anyOf` or `oneOf` stand directly before its own */
export function errorsOfNearest(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const remaining = new Set(errors);
  for (const [at, union] of errors.entries()) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue;
    const branches = groupBy(errorsBelow(errors, at), (error) => branchOf(error, union));
    const weights = branches.map(([, each]) => weightOf(each, union));
    const least = Math.min(...weights);
    const far = branches.filter((_, at) => (weights[at] ?? 0) > least);
    // It has the shape of none, or all are equally far: the messages about all of them say so.
    if (least >= OTHER_SHAPE || far.length === 0) continue;
    for (const error of [union, ...far.flatMap(([, each]) => each)]) remaining.delete(error);
  }
  return [...remaining];
}

/** A value may have thousands of errors: no union is compared with all of them. */
function errorsBelow(errors: readonly ErrorObject[], at: number): ErrorObject[] {
  const union = errors[at] as ErrorObject;
  let from = at;
  while (from > 0 && isBelow(errors[from - 1] as ErrorObject, union)) from -= 1;
  return errors.slice(from, at);
}

const isBelow = (error: ErrorObject, union: ErrorObject): boolean =>
  error.schemaPath.startsWith(`${union.schemaPath}/`) && `${error.instancePath}/`.startsWith(`${union.instancePath}/`);

const branchOf = ({ schemaPath }: ErrorObject, union: ErrorObject): string =>
  schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? '';

const weightOf = (errors: readonly ErrorObject[], { instancePath }: ErrorObject): number =>
  errors.reduce(
    (sum, error) => sum + (ofShape.has(error.keyword) && error.instancePath === instancePath ? OTHER_SHAPE : 1),
    0,
  );
