// The lock file says what each package must be, byte for byte, and leaves it to npm from where it
// comes.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optional?: boolean;
}

const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const { '': _, ...all } = packages; // this package itself
const entries = Object.entries(all).map(([path, locked]) => ({
  name: path.slice(path.lastIndexOf('node_modules/') + 13),
  ...locked,
}));

// Packages of other platforms, which npm does not install here, and of which no registry in reach
// has this version: `npm view` and `npm pack` answer E404, so there is nothing to take the checksum
// from. Whoever can reach them fills them in: npm install --package-lock-only.
const unreachable: Readonly<Record<string, readonly string[]>> = {
  '@biomejs/cli-': [
    'android-arm64',
    'android-x64',
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64-musl',
    'linux-x64-musl',
    'win32-arm64',
    'win32-x64',
  ],
  '@duckdb/node-bindings-': [
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-arm64-musl',
    'win32-arm64',
    'win32-x64',
  ],
  '@oxc-parser/binding-': [
    'android-arm-eabi',
    'android-arm64',
    'darwin-arm64',
    'darwin-x64',
    'freebsd-x64',
    'linux-arm-gnueabihf',
    'linux-arm-musleabihf',
    'linux-ppc64-gnu',
    'linux-riscv64-gnu',
    'linux-riscv64-musl',
    'linux-s390x-gnu',
    'openharmony-arm64',
    'win32-arm64-msvc',
    'win32-ia32-msvc',
    'win32-x64-msvc',
  ],
};
const withoutChecksum = Object.entries(unreachable).flatMap(([prefix, names]) =>
  names.map((name) => prefix + name),
);

test('every package has a checksum, but those of other platforms that cannot be reached', () => {
  expect(entries.length).toBeGreaterThan(100);
  const lacking = entries.filter(({ integrity }) => integrity === undefined);
  expect(lacking.map(({ name }) => name).sort()).toEqual([...withoutChecksum].sort());
  expect(lacking.filter(({ optional }) => !optional)).toEqual([]);
});

test('a checksum is of SHA-512, and no package names a registry', () => {
  expect(
    entries.filter(
      ({ integrity }) => integrity !== undefined && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
    ),
  ).toEqual([]);
  expect(entries.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
