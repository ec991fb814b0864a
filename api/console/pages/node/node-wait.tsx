/** The workflow that holds a node, and why it does not continue. */

import { usualTime } from '../../../client/usual-time.ts';
import { client } from '../../data/daemon-client.ts';
import { type ShownNode, useOfNode } from '../../data/node-records.ts';
import { WorkflowLink } from '../../parts/links.tsx';
import { LiveContent } from '../../parts/live-content.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { Took, Until } from '../../parts/time.tsx';

export function NodeWait({ node: { id, active } }: { node: ShownNode }) {
  if (active === null) return <p class="quiet">No workflow runs on the node.</p>;
  return (
    <section class="callout" aria-label="The workflow on the node">
      <p>
        <WorkflowLink id={active.id} text={active.name} /> has run on the node for{' '}
        <Took from={active.since} to={null} />
        {active.label !== null && `, at ${active.label}`}
      </p>
      <Waits id={id} />
    </section>
  );
}

function Waits({ id }: { id: string }) {
  const read = async () => (await client.get('/nodes/:identifier/why', { params: { identifier: id } })).body;
  const live = useOfNode('why', id, read, true);
  return (
    <LiveContent live={live}>
      {({ waits, suggestions, holder }) => (
        <>
          {waits.map(({ label, detail, since, dueAt, then, usualMs }) => (
            <p key={`${label} ${detail}`}>
              {label !== null && <strong>{label}: </strong>}
              <Sentence text={detail} />
              {since !== null && (
                <>
                  , for <Took from={since} to={null} /> now
                </>
              )}
              {dueAt !== null && (
                <>
                  , ends <Until at={dueAt} />
                  {then !== null && (
                    <>
                      : <Sentence text={then} />
                    </>
                  )}
                </>
              )}
              {usualMs !== null && `, usually ${usualTime(usualMs)}`}
            </p>
          ))}
          {suggestions.length > 0 && holder !== null && (
            <p class="quiet">
              Suggestions: <Sentence text={suggestions.map(({ text }) => text).join('; ')} /> (
              <WorkflowLink id={holder.workflow} text="on its page" />)
            </p>
          )}
        </>
      )}
    </LiveContent>
  );
}
