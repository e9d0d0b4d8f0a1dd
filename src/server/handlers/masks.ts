// Masking of secrets in documents that the service returns. Stored and running documents are
// unchanged.
import { formatJson, parseJson } from '../../model/json.ts';
import {
  findMaskedPath,
  hasMask,
  isSecretName,
  mask,
  maskWord,
  restore,
} from '../../model/secrets.ts';
import { type Token, type Tokens, tokenize } from '../../sql/parse/lexer.ts';
import { secretMissing } from '../checks/refusals.ts';

/**
 * A document with `<masked>` in place of each secret, including secrets in its JSON texts and SQL
 * statements.
 */
export const maskDocument = <Document>(document: Document): Document =>
  mask(document, '', maskText) as Document;

/**
 * A document that a client sends back, with the stored secrets in place of masks. Refuses a mask
 * without a stored value.
 */
export function unmaskDocument<Document>(given: Document, stored: unknown): Document {
  if (!hasMask(given)) return given;
  const whole = restore(given, stored);
  const path = findMaskedPath(whole);
  if (path !== undefined) throw secretMissing(path);
  return whole as Document;
}

/** JSON text with its secrets masked; other text is unchanged. */
export function maskJsonText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return text;
  }
  const shown = formatJson(maskDocument(value));
  return shown === formatJson(value) ? text : shown;
}

/**
 * A statement with its secrets masked (Druid: MSQTaskQueryMakerUtils.maskSensitiveJsonKeys): in
 * literals that hold JSON, and in arguments with the name of a secret.
 */
export function maskSql(text: string): string {
  if (!isSecretName(text) && !/password|secret|key|token|info|headers|:\/\//i.test(text))
    return text;
  if (text.length > longestMasked) return maskWord;
  let tokens: Tokens;
  try {
    tokens = tokenize(text);
  } catch {
    return maskWord;
  }
  const literals: { readonly token: Token; readonly argument: string }[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens.at(at);
    if (token.kind === 'string') literals.push({ token, argument: argumentBefore(tokens, at) });
  }
  // JSON that is concatenated from several literals cannot be parsed: then all of them are masked.
  const isTorn = literals.some(
    ({ token }) => /^\s*[[{]/.test(token.value) && !isJson(token.value) && namesSecret(token.value),
  );
  let [shown, end] = ['', 0];
  for (const { token, argument } of literals) {
    const value =
      isTorn || isSecretName(argument) ? maskWord : maskJsonText(mask(token.value) as string);
    if (value === token.value) continue;
    shown += `${text.slice(end, token.offset)}'${value.replaceAll("'", "''")}'`;
    end = token.offset + token.image.length;
  }
  return shown + text.slice(end);
}

const maskText = (name: string, text: string): string | undefined => {
  if (name === 'sqlQuery') return maskSql(text);
  return jsonFields.has(name) ? maskJsonText(text) : undefined;
};

// Fields that hold JSON as text: in supervisors, audit entries and dynamic parameters.
const jsonFields = new Set(['specString', 'payload', 'value']);

// The name in `name => 'value'`.
const argumentBefore = (tokens: Tokens, at: number): string =>
  at >= 2 && tokens.at(at - 1).value === '=>' ? tokens.at(at - 2).value : '';

// In characters: tokenizing a longer statement would block the event loop.
const longestMasked = 256 * 1024;

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

const namesSecret = (text: string) =>
  /"[^"]*(passw|passphrase|secret|credential|jaas|key|token|headers)[^"]*"\s*:/i.test(text);
