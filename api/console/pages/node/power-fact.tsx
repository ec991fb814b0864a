/** The power of a node as its BMC last reported it, and the question to the BMC. */
import { signal } from '@preact/signals';
import type { GetAnswer } from '../../../client/requests.ts';
import { client } from '../../data/daemon-client.ts';
import type { ShownNode } from '../../data/node-records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Fact } from '../../parts/fact.tsx';
import { StatePill } from '../../parts/state-pill.tsx';
import { Ago } from '../../parts/time.tsx';

type Reading = Pick<GetAnswer<'/nodes/:identifier/power'>, 'state' | 'at'>;

/** The last answer that was asked for here: the header and the tab of a node show the same. */
const lastAnswer = signal<{ node: string; reading: Reading } | undefined>(undefined);

export const PowerFact = ({ node }: { node: ShownNode }) =>
  node.obms.length === 0 ? null : (
    <Fact name="Power">
      <PowerAnswer node={node} />
    </Fact>
  );

export function PowerAnswer({ node: { id, power } }: { node: ShownNode }) {
  const ask = async () => {
    const { body } = await client.get('/nodes/:identifier/power', { params: { identifier: id } });
    lastAnswer.value = { node: id, reading: body };
  };
  const answer = lastAnswer.value?.node === id ? lastAnswer.value.reading : undefined;
  const latest = laterOf(answer, power);
  return (
    <>
      {latest === undefined ? (
        <span class="quiet">not asked yet</span>
      ) : (
        <>
          <StatePill of={latest.state} /> <Ago at={latest.at} />
        </>
      )}{' '}
      <ActionButton run={ask}>Ask now</ActionButton>
    </>
  );
}

function laterOf(answer: Reading | undefined, stored: Reading | undefined): Reading | undefined {
  if (answer === undefined || stored === undefined) return answer ?? stored;
  return answer.at < stored.at ? stored : answer;
}
