/** The parts that the daemon needs, in one quiet line: a dot and words for each. */
import type { ComponentChildren } from 'preact';
import { countText } from '../../../../engine/vocabulary/count-texts.ts';
import { useProcesses } from '../../data/heard-processes.ts';
import type { ShownSummary } from '../../data/read-summary.ts';
import { toneOf } from '../../data/shown-states.ts';
import { Ago } from '../../parts/time.tsx';
import { stateOfService } from './service-state.ts';

interface Part {
  /** Its tone. */
  state: string;
  text: ComponentChildren;
  path: string;
}

interface InfrastructureProps {
  summary: ShownSummary;
  /** Hooks whose receiver takes no delivery. */
  failingHooks: number;
}

export function Infrastructure({ summary, failingHooks }: InfrastructureProps) {
  const alive = useProcesses().value.value?.filter(({ isSilent }) => !isSilent).length ?? 0;
  const daemons: Part = {
    state: 'ok',
    text: countText(alive, 'daemon process', 'daemon processes'),
    path: '/ui/admin?tab=daemons',
  };
  return (
    <ul class="infrastructure" aria-label="Infrastructure">
      {[...partsOf(summary, failingHooks), ...(alive > 0 ? [daemons] : [])].map(({ state, text, path }) => (
        <li key={path + String(text)} class={toneOf(state)}>
          <a href={path}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

function partsOf(summary: ShownSummary, failingHooks: number): Part[] {
  const { stores, broker, backlog, backup } = summary;
  const { disk, freePercent, hasOldBackup } = stateOfService(summary);
  const daemons = '/ui/admin?tab=daemons';
  return [
    { state: stores === 'up' ? 'ok' : 'critical', text: `stores ${stores}`, path: daemons },
    { state: brokerStates[broker], text: broker === 'none' ? 'no broker' : `broker ${broker}`, path: daemons },
    { state: 'ok', text: `${countText(backlog.queue, 'job')} queued`, path: daemons },
    {
      state: failingHooks > 0 ? 'critical' : 'ok',
      text: `${countText(backlog.hooks, 'hook delivery', 'hook deliveries')} waiting`,
      path: '/ui/hooks',
    },
    { state: disk, text: `${freePercent} % of the disk free`, path: '/ui/admin?tab=config' },
    {
      state: hasOldBackup ? 'warning' : 'ok',
      text: backup.lastAt === null ? 'no backup' : ['backup ', <Ago key="at" at={backup.lastAt} />],
      path: '/ui/admin?tab=config',
    },
  ];
}

const brokerStates: Record<ShownSummary['broker'], string> = { none: 'skipped', up: 'ok', down: 'critical' };
