// Redirects: a Coordinator or Overlord that is not the leader redirects requests to the leader
// (307), including writes.
import { UnexpectedReply, Unreachable } from './errors.ts';
import { headerOf, type Outgoing, type Reply, type Send } from './message.ts';
import type { Observe } from './observe.ts';
import type { RetryClock } from './retry.ts';

const mostRedirects = 5;
const redirects = new Set([301, 302, 307, 308]);

/**
 * Follows redirects with method and body kept: RFC 9110, 15.4 requires it for 307 and 308, and
 * moved services intend it with 301 and 302. Throws UnexpectedReply for the sixth redirect, a loop,
 * and an invalid address.
 */
export function following(send: Send, observe: Observe, clock: RetryClock): Send {
  return async (outgoing) => {
    const end = clock.now() + outgoing.timeoutMs;
    const seen = new Set([outgoing.url.href]);
    let current: Outgoing = outgoing;
    for (;;) {
      const { url: asked } = current;
      const reply = await send(current).catch((error: unknown) => {
        throw current === outgoing ? error : afterRedirect(error, asked);
      });
      if (!redirects.has(reply.status)) return reply;
      await reply.discard();
      const url = targetOf(reply);
      if (seen.has(url.href))
        throw new UnexpectedReply(`The service redirects in a loop, back to [${url.href}]`, {
          hint: noLeaderHint,
        });
      if (seen.size > mostRedirects)
        throw new UnexpectedReply(`The service redirects more than ${mostRedirects} times`, {
          hint: noLeaderHint,
        });
      seen.add(url.href);
      observe({ kind: 'redirect', status: reply.status, from: current.url.href, to: url.href });
      current = { ...current, url, timeoutMs: end - clock.now() };
    }
  };
}

// The user has not written the address that failed.
const afterRedirect = (error: unknown, { origin, pathname }: URL): unknown =>
  error instanceof Unreachable
    ? new Unreachable(
        error.kind,
        `The service redirects to [${origin}${pathname}]: ${error.message}`,
        {
          hint: 'that may be a login page or another server of the cluster: check the URL, and that its host is known here',
          cause: error,
          reason: error.reason,
        },
      )
    : error;

const noLeaderHint = 'the servers may be electing a leader: try again in a moment';

function targetOf({ status, headers, url }: Reply): URL {
  const location = headerOf(headers, 'location');
  if (location === undefined)
    throw new UnexpectedReply(`The service answered ${status} without a location`);
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (target && (target.protocol === 'http:' || target.protocol === 'https:')) {
    target.username = ''; // who we are is for us to say
    target.password = '';
    target.hash = '';
    return target;
  }
  throw new UnexpectedReply(
    `The service redirects to [${location}], which is not an address of a service`,
  );
}
