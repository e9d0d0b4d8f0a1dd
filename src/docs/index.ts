// What is generated from the code and committed: `npm run docs` writes it, and a test checks that it is current.
import { coveragePage } from './coverage.ts';

/** The path of each generated file, and how its text is made. */
export const pages: Readonly<Record<string, () => Promise<string>>> = {
  'docs/coverage.md': coveragePage,
};
