/** The time that work has taken on this thread: on a loaded machine less than the time that has passed. */

/** @returns ms of work since the call; never more than have passed, nor than the threads of this process have worked */
export function stopwatch(): () => number {
  const began = performance.now();
  const used = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(used);
    return Math.min(performance.now() - began, (user + system) / 1_000);
  };
}
