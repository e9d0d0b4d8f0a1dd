// Users, roles and group mappings.
import type { CasesOf } from './cases.ts';

const forbidden = { by: 'stranger:stranger', says: 'Access-Check-Result: Unauthorized' };
const otherAuthenticator = {
  params: { authenticator: 'unheard-of' },
  says: 'Basic authenticator with name [unheard-of] does not exist.',
};
const otherAuthorizer = {
  params: { authorizer: 'unheard-of' },
  says: 'Basic authorizer with name [unheard-of] does not exist.',
};
const noUser = { params: { username: 'unheard-of' }, says: 'User [unheard-of] does not exist.' };
const noRole = { params: { role: 'unheard-of' }, says: 'Role [unheard-of] does not exist.' };
const noGroup = {
  params: { groupMapping: 'unheard-of' },
  says: 'Group mapping [unheard-of] does not exist.',
};
const smile = /^:\)/; // how it begins
const group = { groupMapping: 'staff' };
const permission = { resource: { name: 'wiki', type: 'DATASOURCE' }, action: 'READ' };

export const authentication: CasesOf<'authentication'> = {
  loadStatus: { success: { shows: { users: true } }, refusals: { forbidden } },
  refreshAll: { success: {}, refusals: { forbidden } },
  userCache: {
    success: { shows: smile },
    refusals: { forbidden, invalidInput: otherAuthenticator },
  },
  users: {
    success: { shows: /"admin".*"stranger"/ },
    refusals: { forbidden, invalidInput: otherAuthenticator },
  },
  user: {
    success: { shows: { name: 'stranger', credentials: { iterations: 100 } } },
    refusals: { forbidden, invalidInput: noUser },
  },
  createUser: {
    success: { params: { username: 'maria' } },
    refusals: { forbidden, invalidInput: { says: 'User [stranger] already exists.' } },
  },
  setPassword: {
    success: { params: { username: 'maria' }, body: { password: 'secret' } },
    refusals: {
      forbidden,
      invalidInput: { ...noUser, body: { password: 'secret' } },
      runtimeFailure: { text: 'null', says: 'no body' },
    },
  },
  deleteUser: {
    success: { params: { username: 'maria' } },
    refusals: { forbidden, invalidInput: noUser },
  },
};

export const authorization: CasesOf<'authorization'> = {
  loadStatus: { success: { shows: { roles: true } }, refusals: { forbidden } },
  refreshAll: { success: {}, refusals: { forbidden } },
  userCache: { success: { shows: smile }, refusals: { forbidden, invalidInput: otherAuthorizer } },
  groupMappingCache: {
    success: { shows: smile },
    refusals: { forbidden, invalidInput: otherAuthorizer },
  },
  users: {
    success: { shows: /"admin".*"stranger"/ },
    refusals: { forbidden, invalidInput: otherAuthorizer },
  },
  user: {
    success: { shows: { name: 'stranger', roles: ['stranger'] } },
    refusals: { forbidden, invalidInput: noUser },
  },
  createUser: {
    success: { params: { username: 'maria' } },
    refusals: { forbidden, invalidInput: { says: 'User [stranger] already exists.' } },
  },
  createRole: {
    success: { params: { role: 'analyst' } },
    refusals: { forbidden, invalidInput: { says: 'Role [stranger] already exists.' } },
  },
  assignRole: {
    success: { params: { username: 'maria', role: 'analyst' } },
    refusals: { forbidden, invalidInput: { says: 'User [stranger] already has role [stranger].' } },
  },
  setPermissions: {
    success: { params: { role: 'analyst' }, body: [permission] },
    refusals: {
      forbidden,
      invalidInput: {
        body: [{ ...permission, resource: { name: '(', type: 'DATASOURCE' } }],
        says: 'resource name regex[(] does not compile',
      },
      runtimeFailure: { body: [{ action: 'READ' }], says: 'resource' },
    },
  },
  permissions: {
    success: {
      params: { role: 'analyst' },
      shows: [{ resourceAction: permission, resourceNamePattern: 'wiki' }],
    },
    refusals: { forbidden, invalidInput: noRole },
  },
  roles: {
    success: { shows: /"admin".*"analyst"/ },
    refusals: { forbidden, invalidInput: otherAuthorizer },
  },
  role: {
    success: {
      params: { role: 'analyst' },
      query: { full: '' },
      shows: { name: 'analyst', users: ['maria'] },
    },
    refusals: { forbidden, invalidInput: noRole },
  },
  createGroupMapping: {
    success: { params: group, body: { groupPattern: 'cn=staff,*', roles: [] } },
    refusals: {
      forbidden: { ...forbidden, params: group },
      invalidInput: {
        params: group,
        body: { groupPattern: 'cn=staff,*' },
        says: 'Group mapping [staff] already exists.',
      },
      runtimeFailure: { params: group, text: 'null', says: 'no body' },
    },
  },
  assignGroupRole: {
    success: { params: { ...group, role: 'analyst' } },
    refusals: { forbidden: { ...forbidden, params: group }, invalidInput: noGroup },
  },
  groupMapping: {
    success: {
      params: group,
      shows: { name: 'staff', groupPattern: 'cn=staff,*', roles: ['analyst'] },
    },
    refusals: { forbidden: { ...forbidden, params: group }, invalidInput: noGroup },
  },
  groupMappings: {
    success: { shows: ['staff'] },
    refusals: { forbidden, invalidInput: otherAuthorizer },
  },
  unassignGroupRole: {
    success: { params: { ...group, role: 'analyst' } },
    refusals: { forbidden: { ...forbidden, params: group }, invalidInput: noGroup },
  },
  deleteGroupMapping: {
    success: { params: group },
    refusals: { forbidden: { ...forbidden, params: group }, invalidInput: noGroup },
  },
  unassignRole: {
    success: { params: { username: 'maria', role: 'analyst' } },
    refusals: {
      forbidden,
      invalidInput: {
        params: { role: 'admin' },
        says: 'User [stranger] does not have role [admin].',
      },
    },
  },
  deleteRole: {
    success: { params: { role: 'analyst' } },
    refusals: { forbidden, invalidInput: noRole },
  },
  deleteUser: {
    success: { params: { username: 'maria' } },
    refusals: { forbidden, invalidInput: noUser },
  },
};
