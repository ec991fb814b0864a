/** The address of a record has the beginning of its id: it is replaced by that of the only record with it. */
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLive } from '../data/live.ts';
import { Heading } from './heading.tsx';
import { LiveContent } from './live-content.tsx';

interface CompletedIdProps {
  title: string;
  /** Such as `workflow`. */
  what: string;
  beginning: string;
  idsWith: (beginning: string) => Promise<string[]>;
  /** The page that lists all of them; the pages of each are below. */
  list: { path: string; title: string };
}

export function CompletedId({ title, what, beginning, idsWith, list }: CompletedIdProps) {
  const { query, route } = useLocation();
  const live = useLive(`${what} ids with ${beginning}`, () => idsWith(beginning));
  const [id, other] = live.value.value ?? [];
  useEffect(() => {
    if (id === undefined || other !== undefined) return;
    const search = new URLSearchParams(query).toString();
    route(`${list.path}/${id}${search === '' ? '' : `?${search}`}`, true);
  }, [id, other]);
  return (
    <>
      <Heading>{title}</Heading>
      <LiveContent live={live}>
        {(ids) =>
          ids.length === 1 ? null : (
            <p>
              {ids.length === 0 ? `No ${what} has` : `More than one ${what} has`} an id that begins with{' '}
              <code>{beginning}</code>. <a href={list.path}>{list.title}</a>
            </p>
          )
        }
      </LiveContent>
    </>
  );
}
