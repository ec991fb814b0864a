/** Starts work on chosen nodes: one launch on all of them, or a rollout in phases. */
import { countText } from '../count-texts.ts';
import { DialogButton } from '../dialog-button.tsx';
import { RolloutForm } from '../rollout/rollout-form.tsx';
import { LaunchButton } from './launch-button.tsx';
import type { LaunchFormProps } from './launch-form.tsx';

interface LaunchOnChoiceProps {
  nodes: NonNullable<LaunchFormProps['nodes']>;
  deselect: () => void;
}

/** Nodes of one batch. */
const MAX_BATCH = 10_000;

export function LaunchOnChoice({ nodes, deselect }: LaunchOnChoiceProps) {
  const isMany = nodes.length > MAX_BATCH;
  return (
    <>
      <button type="button" onClick={deselect}>
        Select none
      </button>
      <strong role="status">
        {nodes.length} selected{isMany && `; a batch has at most ${MAX_BATCH}`}
      </strong>
      <LaunchButton kind="main" title={`Launch on ${countText(nodes.length, 'node')}`} nodes={nodes} disabled={isMany}>
        Launch…
      </LaunchButton>
      <DialogButton text="Roll out…" title={`Roll out on ${countText(nodes.length, 'node')}`} disabled={isMany}>
        {() => <RolloutForm nodes={nodes.map(({ id }) => id)} />}
      </DialogButton>
    </>
  );
}
