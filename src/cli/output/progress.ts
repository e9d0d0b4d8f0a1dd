// Progress display and adapter for ora: a live line on a terminal, one line per change elsewhere,
// nothing with --quiet. All output goes to stderr.
import { uptimeMs } from '../../client/uptime.ts';
import { visibleLine } from '../../model/visible-text.ts';
import { canAnimate, type OutIo } from '../process/io.ts';
import { marksFor } from '../terminal/marks.ts';
import { control, rawStream } from '../terminal/terminal.ts';
import { sentenceOn } from '../terminal/wrapped.ts';
import { type Painter, plainPainter } from './painter.ts';
import { type ProgressState, partsOf } from './progress-state.ts';

export interface Progress {
  update(state: ProgressState): void;
  /** Ends the live line and prints the sentence, if there is one. */
  done(sentence?: string): void;
  failed(sentence?: string): void;
}

export function progressOn(
  io: Pick<OutIo, 'stderr' | 'env'>,
  quiet: boolean,
  painter: Painter = plainPainter,
  now: () => number = uptimeMs,
): (what: string) => Progress {
  if (quiet) return () => ({ update: () => {}, done: () => {}, failed: () => {} });
  return (what) => (canAnimate(io) ? liveLine(what, io, now, painter) : logLines(what, io, now));
}

function liveLine(
  what: string,
  { stderr, env }: Pick<OutIo, 'stderr' | 'env'>,
  now: () => number,
  painter: Painter,
): Progress {
  const marks = marksFor(env);
  const start = now();
  let latest: ProgressState | undefined;
  let ended = false;
  // Loaded only for an actual wait.
  const line = Promise.all([import('ora'), import('./fit-progress.ts')]).then(
    ([{ default: ora }, { fitProgress }]) => {
      const text = () =>
        fitProgress(visibleLine(what), latest, {
          said: latest && partsOf(latest, now() - start),
          width: stderr.columns || 80,
          marks,
        });
      const made = ora({
        text: text(),
        stream: rawStream(stderr),
        discardStdin: false,
        isSilent: false,
        isEnabled: true,
        spinner: marks.spinner,
        color: false,
      });
      if (!ended) made.start();
      return { made, text };
    },
  );
  const end = (sentence: string | undefined, mark: string, how: string) => {
    ended = true;
    void line.then(({ made }) => made.stop());
    stderr.write(
      `${control('\r')}${control('\x1b[2K')}${sentence ? markSentence(sentence, { mark, how, stderr, painter }) : ''}`,
    );
  };
  return {
    update(state) {
      latest = state;
      void line.then(({ made, text }) => {
        made.text = text();
      });
    },
    done: (sentence) => end(sentence, marks.ok, 'ok'),
    failed: (sentence) => end(sentence, marks.critical, 'critical'),
  };
}

function logLines(what: string, { stderr }: Pick<OutIo, 'stderr'>, now: () => number): Progress {
  const start = now();
  let last: string | undefined;
  const line = (sentence: string) => void stderr.write(`${visibleLine(sentence)}\n`);
  return {
    update(state) {
      const step = `${state.stage ?? ''} ${Math.floor((state.fraction ?? 0) * 10)}`;
      if (step !== last) line(`${what}: ${formatState(state, now() - start)}`);
      last = step;
    },
    done: (sentence) => sentence && line(sentence),
    failed: (sentence) => sentence && line(sentence),
  };
}

interface Ending {
  readonly mark: string;
  readonly how: string; // the state that sets the colour of the mark
  readonly stderr: OutIo['stderr'];
  readonly painter: Painter;
}

/** The final sentence of a wait, after its mark, wrapped for the terminal. */
export const markSentence = (sentence: string, { mark, how, stderr, painter }: Ending): string =>
  `${painter.state(mark, how)}${sentenceOn(stderr, `${mark} ${sentence}`).slice(mark.length)}\n`;

const formatState = (state: ProgressState, elapsedMs: number) =>
  partsOf(state, elapsedMs)
    .map(({ text }) => text)
    .join(', ');
