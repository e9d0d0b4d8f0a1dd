// Names of TLS properties, without their prefix.

const ofKeyStores = [
  'keyStorePath',
  'keyStoreType',
  'keyStorePassword',
  'keyManagerPassword',
  'keyManagerFactoryAlgorithm',
  'certAlias',
];
const ofTrustStores = [
  'trustStorePath',
  'trustStoreType',
  'trustStorePassword',
  'trustStoreAlgorithm',
  'validateHostnames',
];

/** After `server.https.` */
export const namesOfServerTls: readonly string[] = [
  ...ofKeyStores,
  ...ofTrustStores,
  'requireClientCertificate',
  'requestClientCertificate',
  'includeCipherSuites',
  'excludeCipherSuites',
  'includeProtocols',
  'excludeProtocols',
  'crlPath',
  'reloadSslContext',
  'reloadSslContextSeconds',
];

/** After `client.https.` and `auth.basic.ssl.` */
export const namesOfClientTls: readonly string[] = ['protocol', ...ofKeyStores, ...ofTrustStores];
