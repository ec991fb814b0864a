/** The keys of lines that a user adds and removes: they identify lines in the page only. */

let last = 0;

export function nextLineKey(): number {
  last += 1;
  return last;
}
