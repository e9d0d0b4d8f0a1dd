// What a run of vitest came to, from its JSON report and, where the files that failed were run once more, from that of the second run.
// Usage: node .ci/report.js files REPORT                          the files with a failure, a line each
//        node .ci/report.js counts NAME STATUS REPORT [SECOND]    PASSED FAILED
//        node .ci/report.js names NAME STATUS REPORT [SECOND]     the failures, a line each
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [, , what, ...words] = process.argv;
if (what === 'files') {
  for (const file of new Set(read(words[0]).failures.map((failure) => failure.file)))
    console.log(file);
} else {
  const [name, status, ...reports] = words;
  const [first, second = first] = reports.map(read);
  if (status !== '0' && first.failures.length === 0) {
    second.failures.push({
      file: 'outside of all tests',
      test: `exit code ${status}`,
      message: 'see the errors it printed',
    });
  }
  const lasting = new Set(second.failures.map(id));
  const unstable = first.failures.filter((failure) => !lasting.has(id(failure)));
  if (what === 'counts')
    console.log(
      `${first.passed + first.failures.length - second.failures.length} ${second.failures.length}`,
    );
  else {
    for (const failure of second.failures)
      console.log(`FAILED ${name}: ${id(failure)}: ${failure.message}`);
    for (const failure of unstable)
      console.log(
        `UNSTABLE ${name}: ${id(failure)}: failed, and passed when it was repeated: ${failure.message}`,
      );
  }
}

/** A file that could not be run at all counts as one failure. */
function read(path) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const failures = report.testResults.flatMap((result) => {
    const file = relative(process.cwd(), result.name);
    const failed = result.assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && result.status === 'failed')
      return [{ file, test: 'the whole file', message: firstLine(result.message) }];
    return failed.map((test) => ({
      file,
      test: test.fullName,
      message: firstLine(test.failureMessages[0]),
    }));
  });
  return { passed: report.numPassedTests, failures };
}

function id(failure) {
  return `${failure.file}: ${failure.test}`;
}

function firstLine(text = '') {
  return text.split('\n', 1)[0].slice(0, 300);
}
