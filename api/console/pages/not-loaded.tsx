/** Instead of a page whose code could not be loaded. */
import { useLocation } from 'preact-iso';
import { navigationEntryOf } from '../navigation.ts';
import { Heading } from '../parts/heading.tsx';
import { NotLoaded } from '../parts/load-when-shown.tsx';

export function NotLoadedPage() {
  const { path } = useLocation();
  return (
    <>
      <Heading>{navigationEntryOf(path)?.title ?? 'nodewright'}</Heading>
      <NotLoaded />
    </>
  );
}
