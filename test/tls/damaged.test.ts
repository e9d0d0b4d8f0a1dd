// Key stores with bytes that are wrong: each is refused in words, and none ends the service.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openKeyStore } from '../../src/server/tls/key-store.ts';
import { UnusableStore } from '../../src/server/tls/raw-store.ts';
import { hasTools, keyPair, packed, password, storeFile } from './stores.ts';

describe.skipIf(!hasTools)('a damaged store', () => {
  beforeAll(() => {
    packed('server');
    keyPair('old.jks', 'old', ['-storetype', 'JKS']);
  });

  function opened(bytes: Buffer, store: string | undefined): string {
    try {
      const { keys } = openKeyStore(bytes, { store, key: password });
      for (const { key } of keys) key();
      return 'opened';
    } catch (error) {
      if (error instanceof UnusableStore) return error.message;
      throw error;
    }
  }

  test.each([
    ['server.p12', password],
    ['old.jks', password],
    ['old.jks', undefined], // without the check of its digest
  ])('%s, cut off anywhere, is refused (password %s)', (name, store) => {
    const whole = readFileSync(storeFile(name));
    const step = Math.ceil(whole.length / 100);
    expect(opened(whole, store)).toBe('opened');
    for (let length = 0; length < whole.length - 20; length += step)
      expect(opened(whole.subarray(0, length), store)).not.toBe('opened');
  });

  test('JKS with any byte changed is refused by its digest, and read or refused without it', () => {
    const whole = readFileSync(storeFile('old.jks'));
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expect(opened(changed, password)).not.toBe('opened');
      opened(changed, undefined);
    }
  });
});
