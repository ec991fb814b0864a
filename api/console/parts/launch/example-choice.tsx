/** The examples of a graph, each of which fills the fields of its form. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskOptions } from '../../../client/launch-options.ts';
import { examplesIn } from '../../../client/option-examples.ts';
import { client } from '../../data/daemon-client.ts';

interface ExampleChoiceProps {
  examples: readonly TaskOptions[];
  choose: (example: TaskOptions) => void;
}

export const ExampleChoice = ({ examples, choose }: ExampleChoiceProps) =>
  examples.length === 0 ? null : (
    <div class="actions examples">
      {examples.map((example, index) => (
        <button
          type="button"
          key={JSON.stringify(example)}
          title={JSON.stringify(example)}
          onClick={() => choose(example)}
        >
          {examples.length === 1 ? 'Fill in the example of the graph' : `Fill in example ${index + 1}`}
        </button>
      ))}
    </div>
  );

/** @returns undefined until they are read */
export function useExamples(graph: string): ReadonlySignal<readonly TaskOptions[] | undefined> {
  const examples = useSignal<readonly TaskOptions[] | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    void client
      .get('/workflows/graphs/:name', { params: { name: graph } })
      // The form is whole without them.
      .then(
        ({ body }) => examplesIn(body),
        (): TaskOptions[] => [],
      )
      .then((read) => {
        if (isShown) examples.value = read;
      });
    return () => {
      isShown = false;
    };
  }, [graph]);
  return examples;
}
