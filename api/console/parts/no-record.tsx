/** Instead of a record that does not exist, or no longer. */
import { Heading } from './heading.tsx';

interface NoRecordProps {
  /** Such as `rollout`. */
  what: string;
  id: string;
  /** The noun for `id`. */
  by?: string;
  /** The page that lists all of them. */
  list: { path: string; title: string };
}

export const NoRecord = ({ what, id, by = 'id', list: { path, title } }: NoRecordProps) => (
  <>
    <Heading>No such {what}</Heading>
    <p>
      No {what} has the {by} <code>{id}</code>. <a href={path}>{title}</a>
    </p>
  </>
);
