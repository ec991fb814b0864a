/** An address without a page. */
export function NotFound() {
  return (
    <>
      <h1>No such page</h1>
      <p>
        <a href="/ui">Overview</a>
      </p>
    </>
  );
}
