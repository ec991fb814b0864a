/** The page Skus. */
export function SkusPage() {
  return <h1>Skus</h1>;
}
