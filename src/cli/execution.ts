// One run of a command, or repeated runs under --watch: contexts, output, and the plan of a dry
// run.
import { lacksArgument } from './check-arguments.ts';
import type { ProfileAnswer } from './command/across-profiles.ts';
import type { Command, Context } from './command/command.ts';
import { confirm } from './command/confirm.ts';
import { connectionOf } from './command/connection.ts';
import { type PlannedMessage, planColumns } from './command/dry-run.ts';
import { tracerOf } from './command/trace.ts';
import { type Ask, askerOf } from './input/prompt.ts';
import { isColored } from './output/color.ts';
import { createOutput, type OpenOutput, type OutputSettings } from './output/output.ts';
import type { Painter } from './output/painter.ts';
import { progressOn } from './output/progress.ts';
import { DryRunEnds } from './process/errors.ts';
import { type ExitCode, exitCodes } from './process/exit-codes.ts';
import { type Io, mayPage, type Sink } from './process/io.ts';
import type { Resolved } from './profiles/settings.ts';
import type { Interrupts } from './terminal/interrupt.ts';
import { sentencesOn } from './terminal/wrapped.ts';

export type CommandInput = Parameters<Command['run']>[1];

export interface ExecutionParts {
  readonly command: Command;
  readonly input: CommandInput;
  readonly pages: Context['pages'];
  readonly io: Io;
  readonly interrupts: Interrupts;
  readonly profiles: readonly [Resolved, ...Resolved[]]; // all are queried
  readonly across: typeof import('./command/across-profiles.ts') | undefined; // where there are several
  readonly painter: Painter; // of stderr
  readonly report: (error: unknown) => ExitCode;
}

interface Watched {
  readonly stdout: Sink;
  readonly words: Pick<OutputSettings, 'quiet' | 'isNews'>;
}

export class Execution {
  readonly #parts: ExecutionParts;
  readonly #plan: PlannedMessage[] | undefined; // the requests that a dry run holds back
  readonly #effects: string[] = []; // of a dry run, as sentences
  readonly #writes: boolean;
  readonly #ask: Ask;
  readonly #asked: readonly ProfileAnswer[]; // their connections are shared by repeated runs

  constructor(parts: ExecutionParts) {
    const { command, io, profiles } = parts;
    this.#parts = parts;
    this.#writes = (command.writes ?? 'none') !== 'none';
    const [first] = profiles;
    const isColorful = isColored(first, io.env, io.stderr);
    this.#ask = askerOf(io, first.settings.noInput, isColorful);
    this.#plan = first.settings.dryRun && this.#writes ? [] : undefined;
    this.#asked = profiles.map((resolved) => {
      const context = this.#contextOf(resolved);
      return {
        profile: String(resolved.profileName),
        ask: async (out) => (await this.#runCommand({ ...context, out })) ?? exitCodes.done,
      };
    });
  }

  /** Runs the command, with --watch until it is interrupted. Throws the errors of the command. */
  async run(): Promise<ExitCode> {
    const { settings } = this.#parts.profiles[0];
    return settings.watch === undefined
      ? this.#once(mayPage(this.#parts.io, settings.noPager))
      : this.#watch(settings.watch);
  }

  async #once(paging: boolean, watched?: Watched): Promise<ExitCode> {
    const { io, painter, profiles } = this.#parts;
    const [{ settings }] = profiles;
    const plan = this.#plan;
    const color = isColored(profiles[0], io.env, io.stdout);
    const isSilent = () => plan !== undefined && plan.length > 0;
    const out = createOutput(
      { ...settings, ...watched?.words, color, painter, paging, isSilent },
      watched ? { ...io, stdout: watched.stdout } : io,
    );
    const code = await this.#answer(out)
      .catch(unlessDry(plan))
      .catch(async (error: unknown) => {
        // Print the messages and changes from before the failure first, then the error.
        await out
          .changes(false)
          .then(out.close)
          .catch(() => undefined);
        throw error;
      });
    await out.changes(this.#writes);
    await out.close();
    if (plan) {
      const all = { where: undefined, columns: undefined, sort: undefined, limit: undefined };
      await showPlan(
        plan,
        this.#effects,
        createOutput({ ...settings, ...all, color, painter, paging }, io),
      );
    }
    return code ?? exitCodes.done;
  }

  async #watch(seconds: number): Promise<ExitCode> {
    const { io, interrupts, profiles } = this.#parts;
    const [{ settings }] = profiles;
    const { repaints, watch } = await import('./output/watch.ts');
    const isDocument = settings.output === 'json' || settings.output === 'yaml';
    const quiet = settings.quiet || repaints(io); // words on stderr would disturb the screen
    let before = new Set<string>();
    const ask = async (stdout: Sink) => {
      const said = new Set<string>();
      const isNews = (sentence: string) => Boolean(said.add(sentence)) && !before.has(sentence);
      const code = await this.#once(false, { stdout, words: { quiet, isNews } });
      before = said;
      return code;
    };
    return watch(ask, { seconds, isDocument, signal: interrupts.signal, io });
  }

  async #answer(out: OpenOutput): Promise<ExitCode> {
    const { across, report } = this.#parts;
    const [first] = this.#asked;
    if (!first) return exitCodes.done;
    return across ? across.acrossProfiles(this.#asked, out, report) : first.ask(out);
  }

  // Only commands with such arguments load the completion of arguments.
  async #runCommand(context: Context): Promise<ExitCode | void> {
    const { command, input } = this.#parts;
    const { ids, chosenUnless } = command;
    if (!ids && !chosenUnless && !lacksArgument(command, Object.keys(input.args).length))
      return command.run(context, input);
    const { runCompleted } = await import('./complete-arguments.ts');
    return runCompleted(command, context, input);
  }

  #contextOf(resolved: Resolved): Omit<Context, 'out'> {
    const { io, interrupts, painter, pages, profiles } = this.#parts;
    const { settings, profile } = resolved;
    const [first] = profiles;
    const { signal } = interrupts;
    const ask = this.#ask;
    const { call, list, connect, callAtTheEnd } = connectionOf(resolved, io, {
      ask,
      signal,
      observe: tracerOf(first.settings, io),
      writes: this.#writes,
      ...(this.#plan && { plan: this.#plan }),
    });
    const warn = (said: string) =>
      void io.stderr.write(sentencesOn(io.stderr, [`warning: ${said}`], painter.label));
    const isProtected = profile?.protected === true;
    return {
      call,
      list,
      connect,
      io,
      service: settings.service,
      settings,
      resolved,
      profile,
      dryRun: this.#plan !== undefined,
      ask,
      confirm: async (danger) => {
        if (this.#plan) this.#effects.push(danger.what);
        else await confirm(danger, { settings, ask, isProtected, warn });
      },
      progress: progressOn(io, settings, painter),
      signal,
      onInterrupt: (cleanUp) => interrupts.onInterrupt(() => cleanUp(callAtTheEnd)),
      ownInterrupts: interrupts.handOver,
      pages,
    };
  }
}

// After a withheld write, later steps lack its effect: their errors are not failures.
const unlessDry = (plan: readonly PlannedMessage[] | undefined) => (error: unknown) => {
  if (!(error instanceof DryRunEnds) && !plan?.length) throw error;
};

async function showPlan(
  plan: readonly PlannedMessage[],
  effects: readonly string[],
  out: OpenOutput,
) {
  for (const effect of effects) out.note(`Effect: ${effect}.`);
  out.note(
    plan.length === 0
      ? 'Dry run: nothing would be sent'
      : `Dry run: nothing was changed; ${plan.length === 1 ? 'this would be' : 'these would be'} sent`,
  );
  if (plan.length > 0) await out.rows(plan, planColumns);
  await out.close();
}
