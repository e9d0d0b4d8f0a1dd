// Colours of a stream, or plain text when colours are off. chalk is loaded on first use.
import type { Winner } from '../profiles/settings.ts';
import { isColored } from './color.ts';

export interface Painter {
  /** The first word of a message, as in `error:` or `hint:`. */
  label(sentence: string): string;
  /** A state in its colour, or another text in the colour of a state. */
  state(text: string, meant?: string): string;
  /** A heading. */
  strong(text: string): string;
}

export const plainPainter: Painter = {
  label: (text) => text,
  state: (text) => text,
  strong: (text) => text,
};

export async function painterOn(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  resolved: Parameters<typeof isColored>[0],
  env: NodeJS.ProcessEnv,
): Promise<Painter> {
  if (!isColored(resolved, env, stream)) return plainPainter;
  const { paintLabel, paintState, strong } = await import('../terminal/style.ts');
  return { label: paintLabel, state: paintState, strong };
}

/** The painter for use before settings are resolved, or when they cannot be; ignores profiles. */
export function earlyPainterOn(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  { color, noColor }: { readonly color?: unknown; readonly noColor?: unknown },
  env: NodeJS.ProcessEnv,
): Promise<Painter> {
  const value = color ?? env.SVCCTL_COLOR;
  const winner: Winner =
    color === undefined
      ? { value, source: 'environment', from: 'SVCCTL_COLOR' }
      : { value, source: 'flag', from: '--color' };
  return painterOn(
    stream,
    { winners: new Map(value ? [['color', winner]] : []), settings: { noColor: noColor === true } },
    env,
  );
}
