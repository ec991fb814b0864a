/** An address without a page. */
import { Heading } from '../parts/heading.tsx';
export function NotFound() {
  return (
    <>
      <Heading>No such page</Heading>
      <p>
        <a href="/ui">Overview</a>
      </p>
    </>
  );
}
