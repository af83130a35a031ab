import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether a request's Authorization header carries the token. Compares digests in constant time, so that
 * neither length nor content of the token shows in the answer's time. No token: everybody may read.
 */
export function mayRead(token: string | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
