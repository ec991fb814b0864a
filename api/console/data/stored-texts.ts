/** Texts that the browser keeps for its reader. It may reject to: then they last until the page is left. */

export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function storeText(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Nothing depends on it.
  }
}
