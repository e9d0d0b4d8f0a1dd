// Adapter for JMESPath: --query selects from the answer in its JSON form.
import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { UsageError } from '../process/errors.ts';

/** Compiles the expression, so that an invalid one is refused before any request. */
export function pickerOf(expression: string): (answer: unknown) => unknown {
  try {
    const compiled = compile(expression);
    return (answer) => {
      try {
        return TreeInterpreter.search(compiled, answer as JSONValue);
      } catch (error) {
        throw wrong(expression, error);
      }
    };
  } catch (error) {
    throw wrong(expression, error);
  }
}

const wrong = (expression: string, error: unknown) =>
  new UsageError(
    `Value [${expression}] of --query is not a JMESPath: ${(error as Error).message}`,
    'https://jmespath.site explains it',
  );
