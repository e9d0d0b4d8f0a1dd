// Limits per caller: rates, sizes and times.
import { requestLimits } from '../../model/limits.ts';

export interface Limits {
  readonly maxBodyBytes: number;
  readonly headersMs: number; // until the last header of a request has arrived
  readonly requestMs: number; // until the last byte of its body has arrived
  readonly handlerMs: number; // until the reply, unless the endpoint has a deadline of its own
  // Until the Router receives more of another role's reply; 0 means no limit
  readonly routerReadMs: number;
  readonly stalledMs: number; // a reply that is not read for this time is aborted
  // An idle connection is closed after this time, as with `druid.server.http.maxIdleTime` (Druid:
  // configuration)
  readonly idleMs: number;
  readonly closingMs: number; // for pending replies when the service stops
  // Gzip for callers on this machine, too: a reply of a million rows then takes 1.5 times as long
  readonly packsForLoopback: boolean;
}

export const defaultLimits: Limits = {
  maxBodyBytes: requestLimits.bodyBytes.most,
  headersMs: 20_000,
  requestMs: 120_000,
  handlerMs: 300_000,
  routerReadMs: 900_000,
  stalledMs: 600_000,
  idleMs: 300_000,
  closingMs: 3000,
  packsForLoopback: false,
};

export const maxHeaderBytes = requestLimits.headerBytes.most;
