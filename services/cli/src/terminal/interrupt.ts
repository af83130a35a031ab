/** Aborts at Ctrl-C or a signal to stop; a second one ends the process as usual. */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}
