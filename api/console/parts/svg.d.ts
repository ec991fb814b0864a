/** An icon, as the build reads it. */
declare module 'lucide-static/icons/*.svg' {
  const shapes: import('./icon.tsx').IconShapes;
  export default shapes;
}
