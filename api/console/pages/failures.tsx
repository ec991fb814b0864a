/** Failed and stuck workflows by their cause: the nodes of each, what they have in common, and what to do with all of them. */
import { useLocation } from 'preact-iso';
import { countText } from '../../../engine/vocabulary/count-texts.ts';
import { client } from '../data/daemon-client.ts';
import { useLive } from '../data/live.ts';
import { Heading } from '../parts/heading.tsx';
import { LiveContent } from '../parts/live-content.tsx';
import { FailureCard } from './failures/failure-card.tsx';
import '../styles/rollouts.css';

const MAX_FAILURES = 100;

const views = {
  open: {
    title: 'Open',
    query: { addressed: false },
    empty: 'No open failure: all workflows of the last seven days succeeded, or their failures are addressed.',
  },
  stuck: {
    title: 'Stuck',
    query: { stuck: true },
    empty: 'No workflow is stuck: none waits much longer than usual, or without an end.',
  },
  all: { title: 'Open and addressed', query: {}, empty: 'No workflow failed in the last seven days.' },
} as const;

type View = keyof typeof views;

const addressOf = (view: View, cause?: string): string => {
  const search = new URLSearchParams({ ...(view !== 'open' && { view }), ...(cause !== undefined && { cause }) });
  return `/ui/failures${search.size === 0 ? '' : `?${search}`}`;
};

export function FailuresPage() {
  const { query, route } = useLocation();
  const view: View = query.view === 'stuck' || query.view === 'all' ? query.view : 'open';
  const { query: filter, empty } = views[view];
  const read = () => client.get('/failures', { query: { ...filter, $top: MAX_FAILURES } });
  const live = useLive(`failures ${view}`, read, ({ type, action }) =>
    view === 'stuck' ? type === 'graph' : action === 'finished',
  );
  return (
    <>
      <Heading>Failures</Heading>
      <nav class="saved-views" aria-label="Views">
        <ul>
          {(Object.keys(views) as View[]).map((name) => (
            <li key={name}>
              <a href={addressOf(name)} aria-current={name === view ? 'page' : undefined}>
                {views[name].title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <LiveContent live={live}>
        {({ body, total = body.length }) => (
          <>
            <p class="quiet" role="status">
              {total === 0 ? empty : `${countText(total, 'cause')}${view === 'stuck' ? '' : ' in the last seven days'}`}
            </p>
            {body.map((failure) => (
              <FailureCard
                key={failure.id}
                failure={failure}
                reload={live.reload}
                isOpen={query.cause === failure.id}
                open={(isOpen) => {
                  const isShown = query.cause === failure.id;
                  if (isOpen !== isShown) route(addressOf(view, isOpen ? failure.id : undefined), true);
                }}
              />
            ))}
          </>
        )}
      </LiveContent>
    </>
  );
}
