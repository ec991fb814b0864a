/** The outputs of the commands of a workflow, as texts. */
import { useSignal } from '@preact/signals';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { NodeLink } from '../../parts/links.tsx';
import { MOST_TEXTS, type OutputText, outputTexts } from './output-texts.ts';
import type { ShownWorkflow } from './shown-workflow.ts';

/** Characters that are drawn of a text. */
const CHARACTERS_SHOWN = 20_000;

export function CommandOutputs({ workflow: { tasks, node } }: { workflow: ShownWorkflow }) {
  const texts = outputTexts(tasks);
  return (
    <>
      {texts.length === 0 && <p class="quiet">No task has kept what a command wrote.</p>}
      {texts.map((outputText) => (
        <OneOutput key={`${outputText.task} ${outputText.path}`} {...outputText} />
      ))}
      {texts.length === MOST_TEXTS && <p>There are more; the tab Data has all outputs.</p>}
      {node !== null && (
        <p class="quiet">
          Catalogs that commands made are on the page of the node: <NodeLink id={node} />
        </p>
      )}
    </>
  );
}

interface OneOutputProps extends OutputText {
  /** Below the heading of its task. */
  isInner?: true;
}

export function OneOutput({ task, path, text, exitCode, isInner }: OneOutputProps) {
  const most = useSignal(CHARACTERS_SHOWN);
  return (
    <section aria-label={`${task}: ${path}`}>
      {isInner ? (
        <p class="quiet">{path}</p>
      ) : (
        <h2>
          {task} <span class="quiet">{path}</span>
        </h2>
      )}
      <p class="quiet">
        {exitCode !== null && `exit code ${exitCode}, `}
        {countText(text.length, 'character')}
      </p>
      <div class="actions">
        <ActionButton run={() => navigator.clipboard.writeText(text)}>Copy</ActionButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys. */}
      <pre class="output" tabIndex={0}>
        {text.slice(0, most.value)}
      </pre>
      {text.length > most.value && (
        <button
          type="button"
          onClick={() => {
            most.value *= 4;
          }}
        >
          Show more
        </button>
      )}
    </section>
  );
}
