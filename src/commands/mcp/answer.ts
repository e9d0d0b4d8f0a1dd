// The result of a call as text: without secrets, bounded, with the hint of an error.
import { undoOf } from '../../cli/help/command-tree.ts';
import { formatJson, parseJson } from '../../model/json.ts';
import { mask } from '../../model/secrets.ts';
import type { Finished } from './run-line.ts';
import { isList, type Line, type Tool } from './tools.ts';

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

interface Bounds {
  readonly maxBytes: number;
  readonly maxTimeMs: number;
}

/** The answer to a call that has ended. */
export function answerOf(
  { page }: Tool,
  { isPreview }: Line,
  finished: Finished,
  { maxBytes, maxTimeMs }: Bounds,
): Answer {
  const { notes: all, error } = readWords(finished.stderr);
  const isIdle = all.includes(nothingSent); // the call only read
  const notes = all.filter((note) => note !== nothingSent);
  const shown = withoutSecrets(finished.stdout, { isCut: finished.isCut, isList: isList(page) });
  const { text, isCut } = cut(shown, maxBytes, finished.isCut);
  const isError = !finished.isCut && (error !== undefined || finished.isLate);
  const isChanged = page.writes !== 'none' && !isPreview && !isError;
  const parts = [
    text,
    isCut && cutSentence(maxBytes),
    ...(finished.isCut ? [] : notes),
    isPreview &&
      !isError &&
      !isIdle &&
      'This is a preview: nothing was changed. confirm: true makes the change.',
    isChanged && undoSentence(undoOf(page)),
    finished.isLate &&
      `error: The call did not end within ${maxTimeMs / 1000} s and was stopped\nhint: narrow it, or raise --max-time of svcctl mcp`,
    !finished.isCut && !finished.isLate && error,
    !isError && !isCut && finished.code !== 0 && `exit code ${finished.code}`,
  ];
  return { text: parts.filter(Boolean).join('\n') || 'Done.', isError };
}

const nothingSent = 'Dry run: nothing would be sent';

const cutSentence = (maxBytes: number) =>
  `Only the first ${maxBytes} bytes are shown: narrow the answer with limit, where, columns or jmespath, or raise --max-bytes of svcctl mcp.`;

function undoSentence({ undo, undoReasons = [] }: ReturnType<typeof undoOf>): string | undefined {
  if (undo === 'yes') return 'The tool undo reverts this change.';
  if (undo === 'no') return `This cannot be undone: ${undoReasons.join('; ')}.`;
  return 'The tool undo with list: true shows whether this can be undone.';
}

interface Reported {
  readonly error: string;
  readonly outcome?: string;
  readonly exitCode?: number;
  readonly hint?: string;
}

function readWords(stderr: string) {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const reported = lines.map(reportedIn);
  const last = reported.findLast((one) => one !== undefined);
  return {
    notes: lines.filter((_, at) => reported[at] === undefined),
    error:
      last &&
      [
        `error: ${last.error}`,
        last.hint !== undefined && `hint: ${last.hint}`,
        `exit code ${last.exitCode} (${last.outcome})`,
      ]
        .filter(Boolean)
        .join('\n'),
  };
}

function reportedIn(line: string): Reported | undefined {
  if (!line.startsWith('{')) return;
  try {
    const value = JSON.parse(line) as Partial<Reported>;
    return typeof value.error === 'string' ? (value as Reported) : undefined;
  } catch {
    return;
  }
}

// The answer is a document, or a document per line; other text has no fields to mask. What cannot
// be parsed because it is cut is not shown.
function withoutSecrets(text: string, { isCut, isList }: { isCut: boolean; isList: boolean }) {
  if (!/^[[{]/.test(text)) return text.trimEnd();
  if (isCut && !isList) return '';
  const document = isCut ? undefined : parsed(text);
  if (document) return formatJson(mask(document.value));
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const row = parsed(line);
      if (row) return [formatJson(mask(row.value))];
      return isCut ? [] : [line];
    })
    .join('\n');
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return;
  }
}

// A list is cut between its lines.
function cut(text: string, maxBytes: number, wasCut: boolean) {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, isCut: wasCut };
  const begun = bytes.subarray(0, maxBytes).toString();
  const end = begun.lastIndexOf('\n');
  return { text: end > 0 ? begun.slice(0, end) : begun, isCut: true };
}
