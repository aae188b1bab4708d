// Keeps the screen on while a page is visible, where the browser allows it: only over HTTPS or on the machine itself.

/**
 * Begins to keep the screen on. A browser ends it when the page is hidden, or the battery is low.
 * @type {() => void}
 */
export function keepScreenOn() {
  const { wakeLock } = navigator;
  if (!wakeLock) return;
  const request = () => {
    if (document.visibilityState === 'visible') wakeLock.request('screen').catch(() => {});
  };
  document.addEventListener('visibilitychange', request);
  request();
}
