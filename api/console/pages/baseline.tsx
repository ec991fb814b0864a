/** One baseline: who differs from it, its content, and the rollout that changes that. `/baselines/new` creates one. */
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { useSkuNames } from '../data/sku-names.ts';
import { Heading } from '../parts/heading.tsx';
import { inShort } from '../parts/in-short.ts';
import { LiveContent } from '../parts/live-content.tsx';
import { NeedsRight } from '../parts/needs-right.tsx';
import { NoRecord } from '../parts/no-record.tsx';
import { RemoveButton } from '../parts/remove-button.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago } from '../parts/time.tsx';
import { BaselineEditor } from './baselines/baseline-editor.tsx';
import { BringNodes } from './baselines/bring-nodes.tsx';
import { DriftTable } from './baselines/drift-table.tsx';
import { type Baseline, contentText } from './baselines/shown-baseline.ts';
import '../styles/skus.css';

const addressOf = (id: string): string => `/ui/baselines/${encodeURIComponent(id)}`;

export function BaselinePage() {
  const { id = '' } = useRoute().params;
  return id === 'new' ? <NewBaseline /> : <ShownBaseline id={id} />;
}

function NewBaseline() {
  const { route } = useLocation();
  return (
    <>
      <Heading>New baseline</Heading>
      <NeedsRight owner={null} group="fleet">
        <BaselineEditor done={(id) => route(addressOf(id))} />
      </NeedsRight>
    </>
  );
}

function ShownBaseline({ id }: { id: string }) {
  const live = useLive(
    `baseline ${id}`,
    async () => (await client.get('/baselines/:id', { params: { id } })).body,
    () => false,
  );
  return (
    <LiveContent
      live={live}
      missing={<NoRecord what="baseline" id={id} list={{ path: '/ui/baselines', title: 'All baselines' }} />}
    >
      {(baseline) => <OneBaseline baseline={baseline} reload={live.reload} />}
    </LiveContent>
  );
}

function OneBaseline({ baseline, reload }: { baseline: Baseline; reload: () => void }) {
  const { route } = useLocation();
  const skus = useSkuNames();
  const { id, name, sku, updatedAt } = baseline;
  const remove = async () => {
    await client.remove('/baselines/:id', { params: { id } });
    route('/ui/baselines');
  };
  return (
    <>
      <Heading>{name}</Heading>
      <p>
        {contentText(baseline)} for the nodes of{' '}
        <a href={`/ui/skus/${encodeURIComponent(sku)}`}>{inShort(skus.value.get(sku) ?? sku)}</a>, changed{' '}
        <Ago at={updatedAt} />
      </p>
      <div class="actions">
        <NeedsRight owner={null}>
          <BringNodes id={id} />
        </NeedsRight>
        <NeedsRight owner={null} group="fleet" method="DELETE">
          <RemoveButton what={`baseline ${inShort(name)}`} run={remove}>
            <p>Rollouts that it has proposed stay as they are.</p>
          </RemoveButton>
        </NeedsRight>
      </div>
      <Tabs
        label={`About ${name}`}
        tabs={[
          { name: 'drift', title: 'Drift', content: () => <DriftTable id={id} /> },
          {
            name: 'content',
            title: 'Content',
            content: () => (
              <NeedsRight owner={null} group="fleet" method="PATCH">
                <BaselineEditor key={updatedAt} baseline={baseline} done={reload} />
              </NeedsRight>
            ),
          },
        ]}
      />
    </>
  );
}
