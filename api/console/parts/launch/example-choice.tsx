/** The examples of a graph, each of which fills the fields of its form. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskOptions } from '../../../client/launch-options.ts';
import { examplesIn } from '../../../client/option-examples.ts';
import { client } from '../../data/daemon-client.ts';

interface ExampleChoiceProps {
  graph: string;
  choose: (example: TaskOptions) => void;
}

export function ExampleChoice({ graph, choose }: ExampleChoiceProps) {
  const examples = useSignal<readonly TaskOptions[]>([]);
  useEffect(() => {
    let isShown = true;
    void client.get('/workflows/graphs/:name', { params: { name: graph } }).then(
      ({ body }) => {
        if (isShown) examples.value = examplesIn(body);
      },
      // The form is whole without them.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [graph]);
  if (examples.value.length === 0) return null;
  return (
    <div class="actions examples">
      {examples.value.map((example, index) => (
        <button
          type="button"
          key={JSON.stringify(example)}
          title={JSON.stringify(example)}
          onClick={() => choose(example)}
        >
          {examples.value.length === 1 ? 'Fill in the example of the graph' : `Fill in example ${index + 1}`}
        </button>
      ))}
    </div>
  );
}
