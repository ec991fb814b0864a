/** Suggestions about a wait: requests as buttons, pages as links. */
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { NeedsRight } from '../../parts/needs-right.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { CancelButton } from './cancel-button.tsx';
import { sendCommand, type WorkflowCommand } from './send-command.ts';
import type { ShownWorkflow } from './shown-workflow.ts';

type Suggestion = GetAnswer<'/workflows/:id/why'>['suggestions'][number];

interface WhySuggestionsProps {
  workflow: ShownWorkflow;
  suggestions: readonly Suggestion[];
  reload: () => void;
}

const commands: readonly string[] = ['resume', 'release', 'retry-now'] satisfies WorkflowCommand[];

export function WhySuggestions({ workflow, suggestions, reload }: WhySuggestionsProps) {
  if (suggestions.length === 0) return null;
  return (
    <>
      <h2>Suggestions</h2>
      <ul class="suggestions">
        {suggestions.map((suggestion) => (
          <li key={`${suggestion.text} ${suggestion.path}`}>
            <NeedsRight method={suggestion.method ?? 'GET'}>
              <OneSuggestion workflow={workflow} suggestion={suggestion} reload={reload} />
            </NeedsRight>
          </li>
        ))}
      </ul>
    </>
  );
}

interface OneSuggestionProps {
  workflow: ShownWorkflow;
  suggestion: Suggestion;
  reload: () => void;
}

function OneSuggestion({ workflow, suggestion: { action, text, method, path = '' }, reload }: OneSuggestionProps) {
  const page = pageOf(path, method);
  if (page !== undefined)
    return (
      <a href={page}>
        <Sentence text={text} />
      </a>
    );
  if (method === 'GET' || method === undefined) return <Sentence text={text} />;
  if (action === 'cancel')
    return (
      <CancelButton workflow={workflow} reload={reload}>
        <Sentence text={text} />
      </CancelButton>
    );
  if (action === 'notify') return <Sentence text={`${text}: by the box at the top of the page`} />;
  const [, host] = /\/bmcs\/([^/]+)\/circuit$/.exec(path) ?? [];
  const run = async () => {
    if (method === 'DELETE' && host !== undefined)
      await client.remove('/bmcs/:id/circuit', { params: { id: decodeURIComponent(host) } });
    else if (commands.includes(action)) await sendCommand(workflow.id, action as WorkflowCommand);
    reload();
  };
  return (
    <ActionButton run={run}>
      <Sentence text={text} />
    </ActionButton>
  );
}

/** The page of the console for a record that can be read. */
function pageOf(path: string, method: string | undefined): string | undefined {
  if (method !== 'GET') return undefined;
  const [, node] = /\/nodes\/([^/?]+)$/.exec(path) ?? [];
  if (node !== undefined) return `/ui/nodes/${node}`;
  const [, workflow] = /\/workflows\/([^/?]+)\/history$/.exec(path) ?? [];
  if (workflow !== undefined) return `/ui/workflows/${workflow}?tab=history`;
  return /\/workflows\/graphs\b/.test(path) ? '/ui/graphs' : undefined;
}
