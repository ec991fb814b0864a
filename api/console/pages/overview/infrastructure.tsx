/** The parts that the daemon needs, in one line: a symbol and a word for each. */
import type { ComponentChildren } from 'preact';
import { DAY_MS } from '../../../../engine/vocabulary/units.ts';
import type { ShownSummary } from '../../data/read-summary.ts';
import { countText } from '../../parts/count-texts.ts';
import { Ago } from '../../parts/time.tsx';

interface Part {
  name: string;
  state: 'good' | 'warn' | 'bad' | 'off';
  text: ComponentChildren;
  path?: string;
}

const symbols: Record<Part['state'], string> = { good: '✓', warn: '!', bad: '✗', off: '–' };

export function Infrastructure({ summary }: { summary: ShownSummary }) {
  return (
    <ul class="infrastructure" aria-label="Infrastructure">
      {partsOf(summary).map(({ name, state, text, path }) => (
        <li key={name} class={state}>
          <span aria-hidden="true">{symbols[state]}</span> {path === undefined ? text : <a href={path}>{text}</a>}
        </li>
      ))}
    </ul>
  );
}

const BACKUP_DAYS = 7;
const [LITTLE, VERY_LITTLE] = [20, 10];
/** Deliveries that may wait for a moment although all receivers work. */
const DELIVERIES = 100;

function partsOf({ stores, broker, backlog, disk, backup }: ShownSummary): Part[] {
  const free = Math.round((100 * disk.freeBytes) / disk.totalBytes);
  const { lastAt } = backup;
  const isOld = lastAt === null || Date.now() - Date.parse(lastAt) > BACKUP_DAYS * DAY_MS;
  return [
    { name: 'stores', state: stores === 'up' ? 'good' : 'bad', text: `stores ${stores}` },
    brokerPart(broker, backlog.events),
    { name: 'queue', state: 'good', text: `${countText(backlog.queue, 'job')} queued` },
    {
      name: 'hooks',
      state: backlog.hooks > DELIVERIES ? 'warn' : 'good',
      text: `${countText(backlog.hooks, 'hook delivery', 'hook deliveries')} pending`,
      path: '/ui/hooks',
    },
    { name: 'disk', state: free < VERY_LITTLE ? 'bad' : free < LITTLE ? 'warn' : 'good', text: `${free} % disk free` },
    {
      name: 'backup',
      state: isOld ? 'warn' : 'good',
      text: lastAt === null ? 'no backup yet' : ['last backup ', <Ago key="at" at={lastAt} />],
    },
  ];
}

/** Without a broker no event waits for it. */
function brokerPart(broker: ShownSummary['broker'], events: number): Part {
  if (broker === 'none') return { name: 'broker', state: 'off', text: 'no broker configured' };
  const pending = events === 0 ? '' : `, ${countText(events, 'event')} pending`;
  return { name: 'broker', state: broker === 'up' ? 'good' : 'bad', text: `broker ${broker}${pending}` };
}
