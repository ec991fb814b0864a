/** Lets the browser save a text, or bytes, as a file. */
export function saveFile(name: string, content: BlobPart | readonly BlobPart[], type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob(Array.isArray(content) ? content : [content as BlobPart], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
