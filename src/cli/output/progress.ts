// Progress display and adapter for ora: a live line on a terminal, one line per change elsewhere,
// JSON lines for programs, nothing with --quiet. All output goes to stderr.
import { uptimeMs } from '../../client/uptime.ts';
import { formatJson } from '../../model/json.ts';
import { visibleLine } from '../../model/visible-text.ts';
import type { Settings } from '../process/flags.ts';
import { canAnimate, type OutIo } from '../process/io.ts';
import { marksFor } from '../terminal/marks.ts';
import { control, rawStream } from '../terminal/terminal.ts';
import { sentenceOn } from '../terminal/wrapped.ts';
import { type Painter, plainPainter } from './painter.ts';
import { type Leg, ProgressMeter } from './progress-meter.ts';
import { type ProgressState, partsOf } from './progress-state.ts';

export interface Progress {
  update(state: ProgressState): void;
  /** Ends the live line and prints the sentence, if there is one. */
  done(sentence?: string): void;
  failed(sentence?: string): void;
}

/**
 * `afterMs`: nothing is shown of a shorter wait. `isOptional`: logs do not show it. `leg`: the wait
 * is a part of a longer one.
 */
export interface ProgressHow {
  readonly afterMs?: number;
  readonly isOptional?: boolean;
  readonly leg?: Leg | undefined;
}

export type StartProgress = (what: string, how?: ProgressHow) => Progress;

type Wish = Partial<Pick<Settings, 'progress' | 'quiet'>>;

export function progressOn(
  io: Pick<OutIo, 'stderr' | 'env'>,
  { quiet = false, progress: form = 'auto' }: Wish,
  painter: Painter = plainPainter,
  now: () => number = uptimeMs,
): StartProgress {
  if (form === 'none' || (quiet && form !== 'json')) return () => silent;
  return (what, { afterMs = 0, isOptional = false, leg } = {}) => {
    const meter = new ProgressMeter(what, now, leg);
    if (form === 'json') return jsonLines(meter, io, now, { afterMs, leg });
    if (canAnimate(io)) return liveLine(meter, io, painter, afterMs);
    return isOptional ? silent : logLines(meter, io, now, afterMs);
  };
}

const silent: Progress = { update: () => {}, done: () => {}, failed: () => {} };

const repaintMs = 500; // the elapsed time advances between two states

function liveLine(
  meter: ProgressMeter,
  { stderr, env }: Pick<OutIo, 'stderr' | 'env'>,
  painter: Painter,
  afterMs: number,
): Progress {
  const marks = marksFor(env);
  let hasState = false;
  let ended = false;
  let shown: Promise<{ stop(): void; paint(): void }> | undefined;
  // Loaded only for an actual wait.
  const show = () =>
    Promise.all([import('ora'), import('./fit-progress.ts')]).then(
      ([{ default: ora }, { fitProgress }]) => {
        const text = () => {
          const reading = meter.read();
          return fitProgress(visibleLine(reading.what), reading, {
            said: hasState || afterMs > 0 ? partsOf(reading) : undefined,
            width: stderr.columns || 80,
            marks,
          });
        };
        const made = ora({
          text: text(),
          stream: rawStream(stderr),
          discardStdin: false,
          isSilent: false,
          isEnabled: true,
          spinner: marks.spinner,
          color: false,
        });
        const paint = () => {
          made.text = text();
        };
        const repainting = setInterval(paint, repaintMs).unref();
        if (!ended) made.start();
        const stop = () => {
          clearInterval(repainting);
          made.stop();
        };
        return { stop, paint };
      },
    );
  const begin = () => {
    shown ??= show();
  };
  const waiting = afterMs > 0 ? setTimeout(begin, afterMs).unref() : undefined;
  if (waiting === undefined) begin();
  const end = (sentence: string | undefined, mark: string, how: string) => {
    if (ended) return;
    ended = true;
    clearTimeout(waiting);
    void shown?.then(({ stop }) => stop());
    const cleared = shown ? `${control('\r')}${control('\x1b[2K')}` : '';
    const said = sentence ? markSentence(sentence, { mark, how, stderr, painter }) : '';
    if (cleared + said !== '') stderr.write(cleared + said);
  };
  return {
    update(state) {
      hasState = true;
      meter.update(state);
      void shown?.then(({ paint }) => paint());
    },
    done: (sentence) => end(sentence, marks.ok, 'ok'),
    failed: (sentence) => end(sentence, marks.critical, 'critical'),
  };
}

const quietMs = 2000; // between two lines that differ only in the share

function logLines(
  meter: ProgressMeter,
  { stderr }: Pick<OutIo, 'stderr'>,
  now: () => number,
  afterMs: number,
): Progress {
  const startMs = now();
  let last: { readonly stage: string; readonly tenth: number; readonly atMs: number } | undefined;
  const line = (sentence: string) => void stderr.write(`${visibleLine(sentence)}\n`);
  return {
    update(state) {
      meter.update(state);
      const atMs = now();
      if (atMs - startMs < afterMs) return;
      const reading = meter.read();
      const { stage = '', fraction = 0, what } = reading;
      const tenth = Math.floor(fraction * 10);
      const isNew = last?.stage !== stage || (tenth !== last.tenth && atMs - last.atMs >= quietMs);
      if (!isNew) return;
      last = { stage, tenth, atMs };
      line(
        `${what}: ${partsOf(reading)
          .map(({ text }) => text)
          .join(', ')}`,
      );
    },
    done: (sentence) => sentence && line(sentence),
    failed: (sentence) => sentence && line(sentence),
  };
}

const betweenMs = 500;

// One object per line; the last one of a wait has the state `done` or `failed`.
function jsonLines(
  meter: ProgressMeter,
  { stderr }: Pick<OutIo, 'stderr'>,
  now: () => number,
  { afterMs, leg }: { readonly afterMs: number; readonly leg: Leg | undefined },
): Progress {
  const startMs = now();
  const share = leg?.to ?? 1;
  let last: { readonly stage: string | undefined; readonly atMs: number } | undefined;
  const write = (state: 'running' | 'done' | 'failed', message?: string) => {
    const { elapsedMs, leftMs, ...reading } = meter.read();
    const line = {
      progress: state === 'done' && share < 1 ? 'running' : state,
      ...reading,
      elapsedMs: Math.round(elapsedMs),
      ...(leftMs !== undefined && state !== 'done' && { leftMs: Math.round(leftMs) }),
      ...(state === 'done' && { fraction: share }),
      ...(message !== undefined && { message }),
    };
    stderr.write(`${formatJson(line)}\n`);
  };
  let ended = false;
  const end = (state: 'done' | 'failed') => (sentence?: string) => {
    if (ended) return;
    ended = true;
    if (last || sentence !== undefined) write(state, sentence);
  };
  return {
    update(state) {
      meter.update(state);
      const atMs = now();
      if (atMs - startMs < afterMs) return;
      if (last && last.stage === state.stage && atMs - last.atMs < betweenMs) return;
      last = { stage: state.stage, atMs };
      write('running');
    },
    done: end('done'),
    failed: end('failed'),
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
