// The door to ora, and how waiting looks: a live line on a terminal, one line per change elsewhere, nothing with --quiet. All on stderr.
import { uptimeMs } from '../../client/uptime.ts';
import { canAnimate, type Io } from '../io.ts';
import { shownBytes, shownDuration } from '../lists/columns.ts';
import { marksFor } from './marks.ts';
import { sentenceOn } from './wrapped.ts';

export interface State {
  readonly stage?: string; // a change of it is worth a line in a log
  readonly rows?: number | bigint;
  readonly bytes?: number | bigint;
  readonly fraction?: number; // 0 to 1
}

export interface Progress {
  update(state: State): void;
  /** Ends the live line; says the sentence if there is one. */
  done(sentence?: string): void;
  failed(sentence?: string): void;
}

export function progressOn(io: Pick<Io, 'stderr' | 'env'>, quiet: boolean, now: () => number = uptimeMs): (what: string) => Progress {
  if (quiet) return () => ({ update: () => {}, done: () => {}, failed: () => {} });
  return (what) => (canAnimate(io) ? liveLine : logLines)(what, io, now);
}

function liveLine(what: string, { stderr, env }: Pick<Io, 'stderr' | 'env'>, now: () => number): Progress {
  const marks = marksFor(env);
  const start = now();
  let latest: State | undefined;
  let ended = false;
  // Loaded only when there is something to wait for; until then the line is not missed.
  const line = Promise.all([import('ora'), import('./fit-progress.ts')]).then(([{ default: ora }, { fitProgress }]) => {
    const text = () => fitProgress(what, latest, { words: latest && saidOf(latest, now() - start), width: stderr.columns || 80, marks });
    const made = ora({ text: text(), stream: stderr, discardStdin: false, isSilent: false, isEnabled: true, spinner: marks.spinner });
    if (!ended) made.start();
    return { made, text };
  });
  const end = (sentence: string | undefined, mark: string) => {
    ended = true;
    void line.then(({ made }) => made.stop());
    stderr.write(`\r\x1b[2K${sentence ? `${sentenceOn(stderr, `${mark} ${sentence}`)}\n` : ''}`);
  };
  return {
    update(state) {
      latest = state;
      void line.then(({ made, text }) => {
        made.text = text();
      });
    },
    done: (sentence) => end(sentence, marks.ok),
    failed: (sentence) => end(sentence, marks.critical),
  };
}

function logLines(what: string, { stderr }: Pick<Io, 'stderr'>, now: () => number): Progress {
  const start = now();
  let last: string | undefined;
  const line = (sentence: string) => void stderr.write(`${sentence}\n`);
  return {
    update(state) {
      const step = `${state.stage ?? ''} ${Math.floor((state.fraction ?? 0) * 10)}`;
      if (step !== last) line(`${what}: ${saidOf(state, now() - start)}`);
      last = step;
    },
    done: (sentence) => sentence && line(sentence),
    failed: (sentence) => sentence && line(sentence),
  };
}

/** A state in words: stage, percent, rows, bytes, and how long it is likely to take. */
export function saidOf({ stage, rows, bytes, fraction }: State, elapsedMs: number): string {
  const left =
    fraction !== undefined && elapsedMs > 10_000 && fraction > 0.02 && fraction < 1 ? (elapsedMs / fraction) * (1 - fraction) : undefined;
  const parts = [
    stage,
    fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`,
    rows === undefined ? undefined : `${rows} ${Number(rows) === 1 ? 'row' : 'rows'}`,
    bytes === undefined ? undefined : shownBytes(bytes),
    left === undefined || left < 1000 ? undefined : `about ${shownDuration(Math.round(left / 1000) * 1000)} left`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
