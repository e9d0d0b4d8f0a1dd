import { endpoint } from './endpoint.ts';

// All requests of a JDBC driver use one path; the body holds the request and the credentials
// (Apache Calcite: "Avatica JSON Reference" and "Avatica Protobuf Reference"). All refusals have
// status 500 and their details in the body.
export const avatica = {
  json: endpoint({
    summary: 'Answer a JDBC driver: Avatica, as JSON',
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/sql/avatica',
    ownDeadline: true,
    rawBody: 'application/json',
    reply: { kind: 'rows', contentType: 'application/json;charset=utf-8', also: [500] },
    permission: 'connection',
  }),
  protobuf: endpoint({
    summary: 'Answer a JDBC driver: Avatica, as Protocol Buffers',
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/sql/avatica-protobuf',
    ownDeadline: true,
    rawBody: 'application/octet-stream',
    reply: { kind: 'rows', contentType: 'application/octet-stream;charset=utf-8', also: [500] },
    permission: 'connection',
  }),
};
