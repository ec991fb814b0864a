/** The health of a node, as a word with a symbol. */
import type { HealthState } from '../../../engine/vocabulary/states.ts';

const looks: Record<HealthState, { symbol: string; kind: string }> = {
  ok: { symbol: '✓', kind: 'succeeded' },
  warning: { symbol: '!', kind: 'waiting' },
  critical: { symbol: '✗', kind: 'failed' },
  unknown: { symbol: '–', kind: 'skipped' },
};

export const Health = ({ of }: { of: HealthState }) => (
  <span class={`status ${looks[of].kind}`}>
    <span aria-hidden="true">{looks[of].symbol}</span> {of}
  </span>
);
