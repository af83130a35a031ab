import manifest from 'kafkajs/package.json' with { type: 'json' };
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

/** The one version whose lower layer was read and tested; it has been the last one since 2023. */
const KNOWN = '2.2.4';

let prepared = false;

/**
 * Refuses any other kafkajs than the one that was read, and takes out its endless timer: each connection
 * wakes every millisecond, with nothing to send, for as long as it is open (tulios/kafkajs#1751).
 */
export function prepareClient(): void {
  if (prepared) return;
  const { version } = manifest; // imported, so that a bundle holds it
  if (version !== KNOWN) {
    throw new Error(`kafkajs ${version} is installed. Install ${KNOWN}: the driver uses its lower layer.`);
  }
  const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function patched(this: RequestQueue): void {
    // Every path that makes a request wait puts it into `pending` first and then asks again.
    if (this.pending.length > 0) schedule.call(this);
  };
  prepared = true;
}
