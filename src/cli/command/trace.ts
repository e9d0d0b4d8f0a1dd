// Trace of requests and replies on stderr for --verbose and --debug. Callers remove secrets first.
import type { Headers } from '../../client/message.ts';
import type { Observe } from '../../client/observe.ts';
import { visibleLine } from '../../model/visible-text.ts';
import type { Settings } from '../process/flags.ts';
import type { Io } from '../process/io.ts';

export function tracerOf({ verbose, debug }: Settings, io: Pick<Io, 'stderr'>): Observe {
  const say = (line: string) => void io.stderr.write(`${visibleLine(line)}\n`);
  const headersIn = (mark: string, headers: Headers) => {
    if (debug)
      for (const [name, value] of Object.entries(headers))
        say(`${mark} ${name}: ${[value].flat().join(', ')}`);
  };
  return (event) => {
    if (event.kind === 'warning') return say(`warning: ${event.message}`);
    if (!verbose && !debug) return;
    switch (event.kind) {
      case 'request':
        say(
          `> ${event.method} ${event.url}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`,
        );
        return headersIn('>', event.headers);
      case 'reply':
        say(
          `< ${event.status} ${event.statusText} in ${Math.round(event.ms)} ms${event.queryId ? `, query id ${event.queryId}` : ''}`,
        );
        return headersIn('<', event.headers);
      case 'failure':
        return say(`< ${event.error.message} after ${Math.round(event.ms)} ms`);
      case 'retry':
        return say(`* ${event.reason}: again in ${Math.round(event.delayMs)} ms`);
      case 'redirect':
        return say(`* ${event.status} from ${event.from} to ${event.to}`);
    }
  };
}
