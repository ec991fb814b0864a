/** The part of a drawing that is in view: zoomed and moved, and never beyond the drawing. */

export interface Size {
  width: number;
  height: number;
}

/** `scale`: px of the screen per px of the drawing; `x`, `y`: the place of the drawing at the top left. */
export interface ViewWindow {
  x: number;
  y: number;
  scale: number;
}

const MAX_SCALE = 3;
const MIN_SCALE = 0.01;
/** Texts of 12 px have at least 11 then. */
const READABLE = 11 / 12;
/** px between the drawing and the edge. */
const SCREEN_MARGIN = 8;

/** The whole drawing; a small one is not enlarged. */
export function fittingWindow(drawing: Size, screen: Size): ViewWindow {
  const fits = (length: number, room: number) => room / (length + 2 * SCREEN_MARGIN);
  const most = Math.min(fits(drawing.width, screen.width), fits(drawing.height, screen.height));
  const scale = clampedTo(most, MIN_SCALE, 1);
  return within({ x: -Infinity, y: -Infinity, scale }, drawing, screen);
}

/** @param at a place on the screen that stays where it is */
export function zoomedWindow(
  from: ViewWindow,
  factor: number,
  at: { x: number; y: number },
  drawing: Size,
  screen: Size,
) {
  const scale = clampedTo(from.scale * factor, MIN_SCALE, MAX_SCALE);
  const x = from.x + at.x / from.scale - at.x / scale;
  const y = from.y + at.y / from.scale - at.y / scale;
  return within({ x, y, scale }, drawing, screen);
}

/** @param by px of the screen */
export const movedWindow = (from: ViewWindow, by: { x: number; y: number }, drawing: Size, screen: Size): ViewWindow =>
  within({ ...from, x: from.x + by.x / from.scale, y: from.y + by.y / from.scale }, drawing, screen);

/** The whole drawing if its text can be read then; else a part of it, from the top left. */
export function readableWindow(drawing: Size, screen: Size): ViewWindow {
  const whole = fittingWindow(drawing, screen);
  return whole.scale >= READABLE ? whole : within({ x: 0, y: 0, scale: 1 }, drawing, screen);
}

/** Has the box in the middle, as far as the drawing reaches; of one that is too large, the top left. */
export function centredWindow(from: ViewWindow, box: Size & { x: number; y: number }, drawing: Size, screen: Size) {
  const before = (length: number, room: number) => Math.max(SCREEN_MARGIN, (room - length) / 2);
  const x = box.x - before(box.width, screen.width / from.scale);
  const y = box.y - before(box.height, screen.height / from.scale);
  return within({ ...from, x, y }, drawing, screen);
}

/** Moves as little as shows the box. */
export function showing(from: ViewWindow, box: Size & { x: number; y: number }, drawing: Size, screen: Size) {
  const viewSize = { width: screen.width / from.scale, height: screen.height / from.scale };
  const x = clampedTo(from.x, box.x + box.width + SCREEN_MARGIN - viewSize.width, box.x - SCREEN_MARGIN);
  const y = clampedTo(from.y, box.y + box.height + SCREEN_MARGIN - viewSize.height, box.y - SCREEN_MARGIN);
  return within({ ...from, x, y }, drawing, screen);
}

function within({ x, y, scale }: ViewWindow, drawing: Size, screen: Size): ViewWindow {
  return {
    x: inOne(x, drawing.width, screen.width / scale),
    y: inOne(y, drawing.height, screen.height / scale),
    scale,
  };
}

/** A drawing that is smaller than the screen is in its middle, in each direction. */
function inOne(at: number, drawn: number, viewLength: number): number {
  if (viewLength >= drawn + 2 * SCREEN_MARGIN) return (drawn - viewLength) / 2;
  return clampedTo(at, -SCREEN_MARGIN, drawn + SCREEN_MARGIN - viewLength);
}

/** A lower end above the upper end counts. */
const clampedTo = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
