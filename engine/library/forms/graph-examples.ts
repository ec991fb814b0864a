/** The examples of a graph as its definition shows them: options of a launch, which people begin with. */
import type { GraphMeta, Tasks } from '../../define/graph.ts';
import type { JsonObject } from '../../vocabulary/json.ts';
import { isSecret } from '../../vocabulary/secret-names.ts';
import { messageOf } from '../../vocabulary/thrown-values.ts';
import { Rejection } from '../options/rejection.ts';

/** Examples of a graph that are shown, and bytes of each: all of them are in every list of graphs. */
const MOST_EXAMPLES = 10;
const MOST_BYTES = 16_384;

/**
 * Returns the options of each example that has some. Secrets are left out: a user who began with one would give it to a machine.
 * @throws Rejection: an example is no JSON
 */
export function shownExamples({ examples = [] }: Pick<GraphMeta<Tasks>, 'examples'>): JsonObject[] {
  const texts = examples.slice(0, MOST_EXAMPLES).map(({ options = {} }) => textOf(options));
  const offeredTexts = texts.filter((text) => text !== '{}' && Buffer.byteLength(text) <= MOST_BYTES);
  return [...new Set(offeredTexts)].map((text) => JSON.parse(text) as JsonObject);
}

function textOf(options: object): string {
  try {
    return JSON.stringify(options, (key, value) => (isSecret(key, value) ? undefined : value));
  } catch (error) {
    throw new Rejection(`an example that is no JSON: ${messageOf(error)}`, 'options as a launch has them', {
      place: 'examples',
    });
  }
}
