/** Starts work on chosen nodes: one launch on all of them, or a rollout in phases. */
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { DialogButton } from '../dialog-button.tsx';
import { RolloutForm } from '../rollout/rollout-form.tsx';
import { LaunchButton } from './launch-button.tsx';
import type { LaunchFormProps } from './launch-form.tsx';
import { isTooMany, TOO_MANY } from './launch-reason.ts';

interface LaunchOnChoiceProps {
  nodes: NonNullable<LaunchFormProps['nodes']>;
  deselect: () => void;
}

export function LaunchOnChoice({ nodes, deselect }: LaunchOnChoiceProps) {
  const areBusy = nodes.every(({ active = null }) => active !== null);
  const reason = isTooMany(nodes) ? TOO_MANY : areBusy ? 'All selected nodes are busy.' : undefined;
  return (
    <>
      <button type="button" onClick={deselect}>
        Select none
      </button>
      <strong role="status">{nodes.length} selected</strong>
      <LaunchButton kind="main" title={`Launch on ${countText(nodes.length, 'node')}`} nodes={nodes} reason={reason}>
        Launch…
      </LaunchButton>
      <DialogButton
        text="Roll out…"
        title={`Roll out on ${countText(nodes.length, 'node')}`}
        reason={isTooMany(nodes) ? TOO_MANY : undefined}
      >
        {() => <RolloutForm nodes={nodes.map(({ id }) => id)} />}
      </DialogButton>
    </>
  );
}
