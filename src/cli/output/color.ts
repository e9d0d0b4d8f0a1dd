// Decision about colour. Flags override the environment; without a terminal the default is off,
// also in CI.
import type { Resolved } from '../profiles/settings.ts';

type Stream = Pick<NodeJS.WriteStream, 'isTTY'>;

interface Said extends Pick<Resolved, 'winners'> {
  readonly settings: { readonly noColor?: boolean };
}

/**
 * Follows no-color.org, force-color.org, CLICOLOR_FORCE and TERM=dumb. SVCCTL_COLOR has the rank of
 * the flag, a profile does not.
 */
export function isColored(
  { winners, settings }: Said,
  env: NodeJS.ProcessEnv,
  stream: Stream,
): boolean {
  const { source = 'default', value = 'auto' } = winners.get('color') ?? {};
  if (settings.noColor) return false;
  const saidHere = source === 'flag' || source === 'environment';
  if (saidHere && value !== 'auto') return value === 'always';
  if (!saidHere) {
    if (env.NO_COLOR) return false;
    if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
    if (env.CLICOLOR_FORCE !== undefined && env.CLICOLOR_FORCE !== '0') return true;
    if (value !== 'auto') return value === 'always';
  }
  return Boolean(stream.isTTY) && env.TERM !== 'dumb';
}
