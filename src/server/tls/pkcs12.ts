// PKCS12 key stores, as created by keytool and openssl. Node reads such files itself, but cannot
// select one of several keys.
import { X509Certificate } from 'node:crypto';
import forge from 'node-forge';
import { type RawStore, type StorePasswords, UnusableStore } from './raw-store.ts';

/** Opens a PKCS12 store. Throws UnusableStore for a wrong password or a damaged file. */
export function openPkcs12(bytes: Buffer, { store = '', key = store }: StorePasswords): RawStore {
  const bags = bagsIn(bytes, store).map(readBag);
  const certificates = bags.filter(({ type }) => type === oids.certBag);
  const keyBags = bags.filter(
    ({ type }) => type === oids.keyBag || type === oids.pkcs8ShroudedKeyBag,
  );
  const keys = keyBags.map(({ name, id, der }, at) => {
    const leaf = certificates.find((one) =>
      id === undefined ? name !== undefined && one.name === name : one.id === id,
    );
    const others = certificates.filter((one) => one !== leaf).map((one) => one.der);
    return {
      alias: name ?? String(at + 1),
      key: () => keyIn(der),
      chain: leaf ? chainFrom(leaf.der, others) : [],
    };
  });
  // A PKCS12 store has one password; in Java, a different one for keys fails, too.
  function keyIn(der: Buffer): Buffer {
    if (key === store) return der;
    throw new UnusableStore('is a PKCS12 store, whose keys have the password of the store', true);
  }
  // Java marks trusted certificates, other programs do not: in a file without keys, all
  // certificates are trusted.
  const trusted = certificates.filter(({ isTrusted }) => isTrusted || keys.length === 0);
  return { keys, trusted: trusted.map(({ der }) => der) };
}

const oids: Readonly<Record<string, string>> = forge.pki.oids;

// The library takes attribute names from this table, and skips unknown attributes.
const trustedKeyUsage = 'trustedKeyUsage';
forge.pki.oids['2.16.840.1.113894.746875.1.1'] = trustedKeyUsage;

// The library would decode keys and certificates, which fails for elliptic curves, and encode them
// again. On a failure, it keeps the original bytes.
const keepAsRead = () => {
  throw new Error('Kept as it was read');
};
forge.pki.privateKeyFromAsn1 = keepAsRead;
forge.pki.certificateFromAsn1 = keepAsRead;

function bagsIn(bytes: Buffer, password: string): forge.pkcs12.Bag[] {
  try {
    const content = forge.asn1.fromDer(forge.util.createBuffer(bytes.toString('latin1')), true);
    return forge.pkcs12
      .pkcs12FromAsn1(content, false, password)
      .safeContents.flatMap(({ safeBags }) => safeBags);
  } catch (error) {
    if (error instanceof Error && /password|MAC could not be verified/i.test(error.message))
      throw new UnusableStore(
        password === ''
          ? 'cannot be opened without a password'
          : 'cannot be opened: the password is wrong, or the file is damaged',
      );
    throw new UnusableStore('is not a PKCS12 store, or it is damaged');
  }
}

interface ReadBag {
  readonly type: string;
  readonly name: string | undefined;
  readonly id: string | undefined; // the same for a key and its certificate
  readonly isTrusted: boolean;
  readonly der: Buffer;
}

function readBag({ type, attributes, asn1 }: forge.pkcs12.Bag): ReadBag {
  const [name] = attributes.friendlyName ?? [];
  const [id] = attributes.localKeyId ?? [];
  return {
    type,
    name: typeof name === 'string' ? name : undefined,
    id: typeof id === 'string' ? id : undefined,
    isTrusted: trustedKeyUsage in attributes,
    der:
      asn1 === undefined
        ? Buffer.alloc(0)
        : Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1'),
  };
}

// Stores contain certificates in any order.
function chainFrom(leaf: Buffer, others: readonly Buffer[]): Buffer[] {
  const chain = [leaf];
  const left = new Map(others.map((der) => [der, certificateIn(der)]));
  for (let last = certificateIn(leaf); last; ) {
    const subject: X509Certificate = last;
    const issuer = [...left].find(([, one]) => subject.checkIssued(one));
    if (!issuer) break;
    left.delete(issuer[0]);
    chain.push(issuer[0]);
    last = issuer[1];
  }
  return chain;
}

function certificateIn(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new UnusableStore('holds a certificate that cannot be read');
  }
}
