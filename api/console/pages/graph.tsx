/** The page Graph. */
export function GraphPage() {
  return <h1>Graph</h1>;
}
