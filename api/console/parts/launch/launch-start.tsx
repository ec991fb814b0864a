/** The last step of a launch: bounds for several nodes, the confirmation of what destroys data, and the button. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { isDestructive } from '../../../client/destruction.ts';
import type { TaskOptions } from '../../../client/launch-options.ts';
import { client } from '../../data/daemon-client.ts';
import type { LaunchNode, PlanOfNode } from '../../data/plan-data.ts';
import { PLANS } from '../../data/plan-data.ts';
import { ActionButton } from '../action-button.tsx';
import { ConfirmName, isTyped } from '../confirm-name.tsx';
import { Field } from '../field.tsx';
import { Destruction } from './destruction.tsx';

/** Nodes of one batch. */
const BATCH_NODES = 10_000;

export interface LaunchStartProps {
  graph: string;
  nodes: readonly LaunchNode[];
  options: TaskOptions;
  plans: readonly PlanOfNode[] | undefined;
  warning: string | undefined;
  /** The plans are those of these options. */
  isReady: boolean;
}

export function LaunchStart({ graph, nodes, options, plans = [], warning, isReady }: LaunchStartProps) {
  const { route } = useLocation();
  const typed = useSignal('');
  const concurrency = useSignal('');
  const maxFailures = useSignal('');
  const [node] = nodes;
  const isMany = nodes.length > 1;
  const isTooMany = nodes.length > BATCH_NODES;
  // If there are many nodes, those without a plan may still be accepted.
  const isRejected = !isMany && plans.some(({ plan }) => plan.rejections.length > 0);
  // Nodes of further SKUs are not planned for.
  const isAsked = warning !== undefined || plans.length >= PLANS || plans.some(({ plan }) => isDestructive(plan));
  const name = isMany ? String(nodes.length) : (node?.name ?? graph);
  const start = async () => {
    const body = { name: graph, options };
    if (isMany) {
      const bounds = { ...boundOf('concurrency', concurrency.value), ...boundOf('maxFailures', maxFailures.value) };
      const batch = { ...body, nodes: nodes.map(({ id }) => id), ...bounds };
      route(`/ui/batches/${(await client.post('/nodes/workflows', { body: batch })).body.id}`);
    } else if (node === undefined) route(workflowAddress((await client.post('/workflows', { body })).body.id));
    else {
      const params = { identifier: node.id };
      route(workflowAddress((await client.post('/nodes/:identifier/workflows', { params, body })).body.id));
    }
  };
  return (
    <div class="start">
      {isMany && (
        <div class="bounds">
          <NumberField label="Active at a time" hint="Empty: all at the same time" value={concurrency} />
          <NumberField label="Stop after failures" hint="Empty: never" value={maxFailures} />
        </div>
      )}
      <Destruction plans={plans} count={nodes.length} />
      {isAsked && (
        <ConfirmName
          name={name}
          typed={typed}
          hint={warning ?? 'This graph destroys data.'}
          {...(isMany && { words: `the number of nodes (${name})` })}
        />
      )}
      <ActionButton
        kind={isAsked ? 'danger' : 'main'}
        run={start}
        disabled={!isReady || isRejected || isTooMany || (isAsked && !isTyped(typed, name))}
        reason={isTooMany ? `A batch has at most ${BATCH_NODES} nodes: narrow the filter.` : undefined}
      >
        {isMany ? `Launch on ${nodes.length} nodes` : 'Launch'}
      </ActionButton>
    </div>
  );
}

const workflowAddress = (id: string): string => `/ui/workflows/${encodeURIComponent(id)}`;

const boundOf = (key: 'concurrency' | 'maxFailures', text: string) => (text === '' ? {} : { [key]: Number(text) });

interface NumberFieldProps {
  label: string;
  hint: string;
  value: { value: string };
}

const NumberField = ({ label, hint, value }: NumberFieldProps) => (
  <Field label={label} hint={hint}>
    <input
      type="number"
      min={1}
      max={10_000}
      onInput={({ currentTarget }) => {
        value.value = currentTarget.value;
      }}
    />
  </Field>
);
