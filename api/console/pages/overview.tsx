/** The state of everything at a glance: first what needs a person, then figures, racks and the infrastructure. */

import { useSignal } from '@preact/signals';
import { useLive } from '../data/live.ts';
import { liveNodes, useNodeList } from '../data/node-list.ts';
import { MINUTES, type Rates, readRates } from '../data/rates.ts';
import { readSummary } from '../data/read-summary.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { loadWhenShown } from '../parts/load-when-shown.tsx';
import { Figures } from './overview/figures.tsx';
import { Infrastructure } from './overview/infrastructure.tsx';
import { Needs } from './overview/needs.tsx';
import { NextSteps } from './overview/next-steps.tsx';
import { RackMap } from './overview/rack-map.tsx';
import { readNeeds } from './overview/read-needs.ts';
import '../styles/overview.css';

const Chart = loadWhenShown(() => import('../parts/chart.tsx').then(({ Chart: chart }) => chart));

export function Overview() {
  useNodeList();
  const summary = useLive('summary', readSummary, concernsWork);
  const needs = useLive('needs', readNeeds, concernsWork);
  const rates = useLive('rates', readRates, concernsWork);
  const hasNoNode = liveNodes.value.value?.length === 0;
  return (
    <>
      <Heading>Overview</Heading>
      {hasNoNode && (
        <>
          <h2>Next steps</h2>
          <NextSteps />
        </>
      )}
      <h2>Needs you</h2>
      <LiveContent live={needs}>
        {(records) => <Needs needs={records} summary={summary.value.value} reload={needs.reload} />}
      </LiveContent>
      <h2>Now</h2>
      <LiveContent live={rates}>
        {(course) =>
          needs.value.value !== undefined && (
            <Figures summary={summary.value.value} rates={course} needs={needs.value.value} />
          )
        }
      </LiveContent>
      {!hasNoNode && (
        <>
          <h2>Racks</h2>
          <LiveContent live={liveNodes}>{(nodes) => <RackMap nodes={nodes} />}</LiveContent>
        </>
      )}
      <LiveContent live={summary}>
        {(record) => <Infrastructure summary={record} failingHooks={needs.value.value?.hooks.length ?? 0} />}
      </LiveContent>
      <LiveContent live={rates}>{(course) => <LastHour rates={course} />}</LiveContent>
    </>
  );
}

/** The chart is loaded when it is wanted. */
function LastHour({ rates: { times, started, finished } }: { rates: Rates }) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>Workflows that started and ended in each of the last {MINUTES} minutes</summary>
      {isOpen.value && (
        <Chart
          label={`${sum(started)} workflows started and ${sum(finished)} ended in the last ${MINUTES} minutes`}
          times={times}
          bars={{ title: 'ended', color: '--quiet', values: finished }}
          line={{ title: 'started', color: '--accent', values: started }}
        />
      )}
    </details>
  );
}

const concernsWork = ({ type }: { type: string }): boolean => ['graph', 'node', 'rollout', 'ticket'].includes(type);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
