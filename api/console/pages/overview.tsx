/** The state of everything at a glance: first what needs a person, then figures that lead to their lists. */
import { lazy } from 'preact-iso';
import { useLive } from '../data/live.ts';
import { MINUTES, readRates } from '../data/rates.ts';
import { readSummary } from '../data/read-summary.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { Figures } from './overview/figures.tsx';
import { Infrastructure } from './overview/infrastructure.tsx';
import { Needs } from './overview/needs.tsx';
import { readNeeds } from './overview/read-needs.ts';
import '../styles/overview.css';

const Chart = lazy(() => import('../parts/chart.tsx').then(({ Chart: chart }) => chart));

export function Overview() {
  const summary = useLive('summary', readSummary, concernsWork);
  const needs = useLive('needs', readNeeds, concernsWork);
  const rates = useLive('rates', readRates, concernsWork);
  return (
    <>
      <Heading>Overview</Heading>
      <LiveContent live={needs}>
        {(needyWorkflows) => <Figures summary={summary.value.value} needs={needyWorkflows} />}
      </LiveContent>
      <LiveContent live={summary}>{(summaryRecord) => <Infrastructure summary={summaryRecord} />}</LiveContent>
      <h2>Needs attention</h2>
      <LiveContent live={needs}>{(needyWorkflows) => <Needs needs={needyWorkflows} />}</LiveContent>
      <h2>Workflows that started and ended in each of the last {MINUTES} minutes</h2>
      <LiveContent live={rates}>
        {({ times, started, finished }) => (
          <Chart
            label={`${sum(started)} workflows started and ${sum(finished)} ended in the last ${MINUTES} minutes`}
            times={times}
            bars={{ title: 'ended', color: '--quiet', values: finished }}
            line={{ title: 'started', color: '--accent', values: started }}
          />
        )}
      </LiveContent>
    </>
  );
}

const concernsWork = ({ type }: { type: string }): boolean => type === 'graph' || type === 'node';
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
