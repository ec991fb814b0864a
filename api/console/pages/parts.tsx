/** The parts that pages are made of, each in its states: for those who change them. Served from a checkout only. */
import type { ComponentChildren } from 'preact';
import { allStates } from '../data/shown-states.ts';
import { Heading } from '../parts/heading.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { StatePill } from '../parts/state-pill.tsx';
import { Ago, Time, Took, Until } from '../parts/time.tsx';
import { ControlParts } from './parts/control-parts.tsx';
import { TableParts } from './parts/table-parts.tsx';

const MINUTE_MS = 60_000;
const timeIn = (minutes: number): string => new Date(Date.now() + minutes * MINUTE_MS).toISOString();

export function PartsPage() {
  return (
    <>
      <Heading>Parts</Heading>
      <Part title="States">
        <p class="actions">
          {allStates.map((state) => (
            <StatePill key={state} of={state} />
          ))}
        </p>
      </Part>
      <Part title="Type">
        <p>
          Body, with <code>code</code>, <a href="/ui">the overview</a>, <strong>what matters</strong> and{' '}
          <span class="quiet">what does not</span>.
        </p>
        <h3>Heading of a section</h3>
      </Part>
      <Part title="Controls">
        <ControlParts />
      </Part>
      <Part title="Tables">
        <TableParts />
      </Part>
      <Part title="Times">
        <p>
          <Time at={timeIn(-5)} />, <Time at={null} />, <Ago at={timeIn(-90)} />, <Until at={timeIn(3)} />,{' '}
          <Took from={timeIn(-2)} to={timeIn(0)} />
        </p>
      </Part>
      <Part title="Data">
        <JsonTree
          label="A record"
          value={{ name: 'r01s01', drives: [{ sizeBytes: 4e12, isFailed: false }], sku: null }}
        />
        <Sparkline values={[1, 4, 2, 8, 5, 7]} />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
