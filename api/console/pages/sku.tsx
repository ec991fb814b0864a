/** The page SKU. */
export function SkuPage() {
  return <h1>SKU</h1>;
}
