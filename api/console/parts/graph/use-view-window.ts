/** The window of a drawing in the page: how large it is, and what of the drawing it shows. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DrawnItem } from './drawn-items.ts';
import {
  centredWindow,
  fittingWindow,
  movedWindow,
  readableWindow,
  type Size,
  showing,
  type ViewWindow,
  zoomedWindow,
} from './view-window.ts';

/** px of the screen */
const LOWEST = 120;
/** Fraction of the height of the page. */
const TALLEST = 0.6;

interface ViewWindowControls {
  /** Reference to the element that shows the drawing. */
  place: RefObject<HTMLElement | null>;
  /** px */
  height: ReadonlySignal<number>;
  viewBox: ReadonlySignal<string>;
  /** Shows the whole drawing. */
  showAll(): void;
  /** @param at px from the window's top left, which stay; absent: its middle */
  zoom(factor: number, at?: { x: number; y: number }): void;
  /** @returns whether there was more to show */
  move(x: number, y: number): boolean;
  /** Moves until the item is in view. */
  reveal(item: DrawnItem): void;
}

/** @param first is in view at the beginning */
export function useViewWindow(
  { width = 0, height = 0 }: Partial<Size>,
  first: DrawnItem | undefined,
): ViewWindowControls {
  const drawing: Size = { width, height };
  const place = useRef<HTMLElement>(null);
  const screen = useSignal<Size>({ width: 0, height: 0 });
  const viewWindow = useSignal<ViewWindow>({ x: 0, y: 0, scale: 1 });
  /** Until the reader has zoomed or moved it. */
  const isWhole = useRef(true);
  const reveal = (item: DrawnItem) => {
    viewWindow.value = showing(viewWindow.value, item, drawing, screen.value);
  };
  /** The window is as tall as the whole drawing: the reader wants to see all of it. */
  const isTall = useRef(false);
  const measure = () => {
    const clientWidth = place.current?.clientWidth ?? 0;
    const widest = { width: clientWidth, height: Number.MAX_VALUE };
    const { scale } = isTall.current ? fittingWindow(drawing, widest) : readableWindow(drawing, widest);
    const needed = Math.ceil(height * scale) + 20;
    const most = isTall.current ? needed : innerHeight * TALLEST;
    screen.value = { width: clientWidth, height: Math.max(LOWEST, Math.min(most, needed)) };
  };
  const showAll = () => {
    [isWhole.current, isTall.current] = [true, true];
    measure();
    viewWindow.value = fittingWindow(drawing, screen.value);
  };
  const move = (x: number, y: number): boolean => {
    const next = movedWindow(viewWindow.value, { x, y }, drawing, screen.value);
    const hasMoved = next.x !== viewWindow.value.x || next.y !== viewWindow.value.y;
    if (hasMoved) [viewWindow.value, isWhole.current] = [next, false];
    return hasMoved;
  };
  const begin = () => {
    const opened = readableWindow(drawing, screen.value);
    viewWindow.value = first === undefined ? opened : centredWindow(opened, first, drawing, screen.value);
  };
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    [isWhole.current, isTall.current] = [true, false];
    const measureAgain = () => {
      measure();
      if (isTall.current && isWhole.current) viewWindow.value = fittingWindow(drawing, screen.value);
      else if (isWhole.current) begin();
      else move(0, 0);
    };
    measureAgain();
    const observer = new ResizeObserver(measureAgain);
    observer.observe(element);
    return () => observer.disconnect();
  }, [width, height]);
  // It follows the workflow until the reader looks elsewhere.
  useLayoutEffect(() => {
    if (isWhole.current && first !== undefined && screen.peek().width > 0) reveal(first);
  }, [first?.id]);
  return {
    place,
    height: useComputed(() => screen.value.height),
    viewBox: useComputed(() => {
      const { x, y, scale } = viewWindow.value;
      return `${x} ${y} ${screen.value.width / scale} ${screen.value.height / scale}`;
    }),
    showAll,
    zoom(factor, at = { x: screen.value.width / 2, y: screen.value.height / 2 }) {
      isWhole.current = false;
      viewWindow.value = zoomedWindow(viewWindow.value, factor, at, drawing, screen.value);
    },
    move,
    reveal,
  };
}
