// Limits per caller: rates, sizes and times.
import { requestLimits } from '../../model/limits.ts';

export interface Limits {
  readonly maxBodyBytes: number;
  readonly headersMs: number; // until the last header of a request is there
  readonly requestMs: number; // until the last byte of its body is there
  readonly handlerMs: number; // until it is answered, unless the endpoint has a deadline of its own
  // Until the Router has more of an answer of another role; 0 is for ever
  readonly routerReadMs: number;
  readonly stalledMs: number; // a reply of which nothing is read for so long is given up
  // A connection without a request is closed after so long, as `druid.server.http.maxIdleTime` says
  // (Druid: configuration)
  readonly idleMs: number;
  readonly closingMs: number; // for replies under way when the service stops
  // Gzip for callers on this machine too: a million rows take them 1.5 times as long
  readonly packsForLoopback: boolean;
}

export const usualLimits: Limits = {
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
